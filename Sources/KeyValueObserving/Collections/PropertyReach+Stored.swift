// How a view looks at and changes a value where it is stored.

extension PropertyReach {
    /// Looks at the stored value for what is about to change it: see `current`; nil if it is not looked at where it is
    /// stored.
    @inlinable @inline(__always)
    final func withStored<Result>(_ body: (Value) -> Result) -> Result? {
        guard stored != nil else { return nil }
        if _slowPath(Delivery.isUnderWay) { prepareChange() }
        return stored?.read(body)
    }

    /// Makes a change of some elements.
    ///
    /// Nearly all are made and told here, where the type of the value is known: without metadata, and without a copy.
    ///
    /// - Parameters:
    ///   - edit: What is told of it.
    ///   - old: Finds the elements that leave in the value before the change.
    ///   - apply: Makes it, and is told whether the value is as it was: a prior handler may have changed it.
    @inlinable @inline(__always)
    final func makeChange(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        guard let stored else { return change(edit, old: old, apply: apply) }
        var simple: Audience?
        switch audience {
        case .nobody: break
        case .simple(let audience): simple = audience
        case .special: return change(edit, old: old, apply: apply)
        }
        // Elements that leave are released after the access, for that may call code which reads the property.
        let before = simple == nil || edit.kind == .insertion ? nil : stored.read(old)
        stored.change { apply(&$0, true) }
        if let simple {
            ChangePipeline.tell(
                simple, of: stored.owner, ElementsChange(edit.kind, at: edit.positions), old: before, new: edit.elements
            )
        }
    }
}
