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
    private weak let object: Object?
    private let sources: [any InboxSource<Object, Value>]
    private let request: ElsewhereRequest
    private let isOfWholes: Bool
    /// The actor that the object belongs to, if that is known.
    private let isolation: (any Actor)?

    init(
        _ sources: [any InboxSource<Object, Value>], of object: Object, _ request: ElsewhereRequest,
        ofWholes isOfWholes: Bool, isolation: (any Actor)?
    ) {
        self.isolation = isolation
        self.object = object
        self.sources = sources
        self.request = request
        self.isOfWholes = isOfWholes
    }

    func iterate() -> ChangeIteration<Value>? {
        guard let object else { return nil }
        isolation?.checkIsCurrent {
            """
            \(sources.map(\.name).joined(separator: ", ")) of \(TypeName.of(object)) belongs to \(isolation.map { TypeName.of($0) } ?? ""), \
            and an iterator over its \(request.recipient), asked for at \(request.fileID):\(request.line), was made \
            outside it. Iterate in a task of that actor, and send the values on from there.
            """
        }
        return ChangeIteration(over: sources, of: object, request, ofWholes: isOfWholes)
    }
}
