// Calls of a view that are one step for an array that a class keeps behind hooks.

extension ObservedMutableProperty {
    /// Makes a call of the view, or does nothing if the value cannot be read.
    ///
    /// An array that is reached by hooks is read and written once or more within a call, and each of these may throw.
    /// Knowing where the call begins and ends, it changes wholly or not at all. Values that are stored need none of
    /// this.
    ///
    /// - Parameters:
    ///   - fallback: What the call returns if the value cannot be read.
    ///   - body: Makes the change.
    /// - Returns: What the call returns.
    @inlinable @inline(__always)
    func asStep<Result>(
        else fallback: @autoclosure () -> Result, _ body: () throws -> Result
    ) rethrows -> Result {
        let isStep = reach.stored == nil
        if isStep, !reach.beginStep() { return fallback() }
        defer { if isStep { reach.endStep() } }
        return try body()
    }

    /// The same for a call that returns nothing.
    @inlinable @inline(__always)
    func asStep(_ body: () throws -> Void) rethrows {
        try asStep(else: (), body)
    }

    /// Makes a call of the view that may be two changes, and lets them have one ``OutermostChange``.
    ///
    /// So that they can be undone as what they are, one call.
    @usableFromInline
    func asOneChange<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try Delivery.holdingPlace(body)
    }
}

extension ObservedMutableProperty where Value: Sequence {
    /// What stands for an element that cannot be read: only elements of any type come from hooks.
    @usableFromInline var unreadable: Value.Element {
        guard let element = Any?.none as Any as? Value.Element else { preconditionFailure("a stored value is read") }
        return element
    }
}
