// What one of the registrations that share an inbox needs.

/// What a registration needs whose changes go into an inbox.
struct InboxLane<Value: Sendable>: Sendable {
    /// Whether changes of elements are to come with the whole value after them.
    let needsWholes: Bool
    /// Whether to keep the last whole value, in case a change of elements follows.
    let tracksWhole: Bool
    /// What was delivered last, where only what differs from that is.
    let distinct: DistinctValues<Value>?

    /// `type` is that of the values of the key path.
    init(of type: Any.Type, _ request: ElsewhereRequest, distinct: DistinctValues<Value>?) {
        let (options, isBounded) = (request.options, request.policy.bound != nil)
        needsWholes =
            request.content.isOfWholes || distinct != nil || isBounded && !options.isDisjoint(with: [.old, .new])
        tracksWhole = isBounded && options.contains(.old) && isCollection(type)
        self.distinct = distinct
    }

    /// What must be read, beside what the handler is called with.
    var needs: KeyValueObservingOptions {
        var needs: KeyValueObservingOptions = tracksWhole || distinct != nil ? .new : []
        if needsWholes { needs.insert(.whole) }
        return needs
    }
}
