// Calls of a view that are one step.

extension ObservedMutableProperty {
    /// Makes a call of the view, which is atomic where several threads share the value.
    @inlinable @inline(__always)
    func asStep<Result>(_ body: () throws -> Result) rethrows -> Result {
        let isStep = reach.stored == nil
        if isStep { reach.beginStep() }
        defer { if isStep { reach.endStep() } }
        return try body()
    }

    /// Makes a call of the view that may be two changes, and lets them have one ``OutermostChange``.
    ///
    /// So that they can be undone as what they are, one call.
    @usableFromInline
    func asOneChange<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try Delivery.holdingPlace(body)
    }
}
