// How a view looks at and changes a value where it is stored.

extension PropertyReach {
    /// Looks at the stored value for a caller that is about to change it: see `current`.
    ///
    /// - Returns: What `body` returns; nil if the view does not read the value where it is stored.
    @inlinable @inline(__always)
    final func withStored<Result>(_ body: (Value) -> Result) -> Result? {
        guard let stored else { return nil }
        if _slowPath(ThisThread.isDelivering) { Assignment.prepare(stored.place.property, in: table) }
        return stored.place.read(body)
    }

    /// Makes a change of some elements.
    @inlinable
    final func makeChange(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        guard let stored else { return change(edit, old: old, apply: apply) }
        Assignment.change(
            at: stored.place, of: stored.object, in: table, named: { propertyKeyPath }, edit, old: old, apply: apply)
        extendLifetime(stored.object)
    }
}
