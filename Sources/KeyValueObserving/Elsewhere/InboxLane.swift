// What one of the registrations that share an inbox needs.

/// What a registration needs whose changes go into an inbox.
struct InboxLane<Value: Sendable>: Sendable {
    /// Compares values, where equal ones are left out.
    let equality: Equality<Value>?
    /// Whether the value that was delivered last is kept: changes may be dropped, or are compared with it.
    let keepsTold: Bool
    /// What must be read, beside what the handler is called with.
    let needs: KeyValueObservingOptions

    init(_ request: ElsewhereRequest, comparing equality: Equality<Value>?) {
        let (options, isBounded) = (request.options, request.policy.bound != nil)
        self.equality = equality
        keepsTold = equality != nil || isBounded && options.contains(.old)
        let needsWholes = request.content.isOfWholes || keepsTold || isBounded && options.contains(.new)
        needs = needsWholes ? (keepsTold ? [.new, .whole] : .whole) : []
    }
}
