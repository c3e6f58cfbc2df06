// What a sequence iterates over, when it is iterated over.

/// What a sequence iterates over, when it is iterated over.
protocol IterationSource<Value>: Sendable {
    associatedtype Value: Sendable

    /// A new iteration; nil if the object is gone.
    func iterate() -> ChangeIteration<Value>?
}

/// Key paths or an expression of an object, which is held weakly.
///
/// It is used where an iterator is made; that the object may be read there is up to whoever makes it.
struct ObservedSource<Object: KeyValueObservable, Value: Sendable>: IterationSource, @unchecked Sendable {
    private(set) weak var object: Object?
    let sources: InboxSources<Object, Value>
    let request: ElsewhereRequest
    /// The actor that the object belongs to, if that is known.
    let isolation: (any Actor)?

    func iterate() -> ChangeIteration<Value>? {
        guard let object else { return nil }
        isolation?.checkIsCurrent {
            """
            \(sources.all.map(\.name).joined(separator: ", ")) of \(TypeName.of(object)) belongs to \
            \(isolation.map { TypeName.of($0) } ?? ""), and an iterator over its \(request.recipient), asked for at \
            \(request.fileID):\(request.line), was made outside it. Iterate in a task of that actor, and send the \
            values on from there.
            """
        }
        return ChangeIteration(over: sources, of: object, request)
    }
}

extension KeyValueObservable {
    /// What a sequence of changes iterates over.
    func changes<Kept: Sendable>(
        _ sources: InboxSources<Self, Kept>, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt
    ) -> KeyValueChanges<Kept> {
        let request = ElsewhereRequest(
            to: "sequence of changes", .changes(options), policy, of: sources, in: self, fileID, line)
        return KeyValueChanges(ObservedSource(object: self, sources: sources, request: request, isolation: isolation))
    }

    /// What a sequence of values iterates over.
    func values<Kept: Sendable>(
        _ sources: InboxSources<Self, Kept>, _ policy: KeyValueBufferingPolicy, _ isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt
    ) -> KeyValueValues<Kept> {
        let content = InboxContent(options: [.initial, .new], isOfWholes: true)
        let request = ElsewhereRequest(
            to: "sequence of values", content, policy, of: sources, in: self, fileID, line)
        return KeyValueValues(ObservedSource(object: self, sources: sources, request: request, isolation: isolation))
    }
}
