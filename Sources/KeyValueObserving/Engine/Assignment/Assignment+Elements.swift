// Some elements of a collection are changed.

extension Assignment {
    /// Changes some elements of a property.
    ///
    /// - Parameters:
    ///   - place: Where the property is stored.
    ///   - object: The object.
    ///   - table: The address of the object's table.
    ///   - keyPath: The property's key path, for those who watch all properties.
    ///   - edit: What observers are notified of, and what it brings.
    ///   - old: Finds the elements that leave in the value before the change.
    ///   - apply: Makes the change, or undoes it.
    @inlinable
    static func change<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt, named keyPath: () -> AnyKeyPath,
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, ElementsEdit<Value>.Mode) -> Void
    ) {
        if _slowPath(isWatched(table)) { watch(place.property, of: object, in: table, keyPath()) }
        switch open(place.property, in: table) {
        case .silent:
            place.change { apply(&$0, .asPlanned) }
        case .simple(let borrowed):
            // Elements that leave are released after the access, for that may run code which reads the property.
            let before = edit.kind == .insertion ? nil : place.read(old)
            place.change { apply(&$0, .asPlanned) }
            deliver(
                to: borrowed, of: object, ElementsChange(edit.kind, at: edit.positions), old: before,
                new: edit.elements)
        case .careful(let record, let borrowed):
            record.with { changeCarefully(at: place, of: object, $0, borrowed, edit, old: old, apply: apply) }
        }
    }

    /// Changes some elements where code of others may run before the observers are called.
    @usableFromInline
    static func changeCarefully<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, _ record: PropertyRecord,
        _ borrowed: Unretained<Recipients>?, _ edit: ElementsEdit<Value>, old: (Value) -> Value?,
        apply: (inout Value, ElementsEdit<Value>.Mode) -> Void
    ) {
        guard let change = CarefulChange.begin(record, borrowed, of: object) else {
            return place.change { apply(&$0, .asPlanned) }
        }
        Tracking.suspended {
            var elements: ElementsChange? = ElementsChange(edit.kind, at: edit.positions)
            // What handlers and getters do to the property meanwhile belongs to the change, which then is one of the whole
            // value.
            var whole: Value? = place.read()
            let isStored: (PathCore, BoxedValue) -> Bool = { core, value in place.read { core.isStored(value, $0) } }
            var before = place.read(old)
            ChangeValues.with(old: before) { change.prepare(elements, $0, isStored) }
            if change.takeDirty() || change.hasPriors, let whole, !isSameCopy(whole, place.read()) {
                elements = nil
                before = whole
            }
            // The storage of a collection that nobody else holds is changed in place.
            whole = nil
            place.change { apply(&$0, elements == nil ? .wherePossible : .asPlanned) }
            if elements != nil {
                var made = place.read()
                if change.finish(isStored) {
                    apply(&made, .undone(before))
                    elements = nil
                    before = made
                }
            } else {
                change.finish()
            }
            let after = elements != nil ? edit.elements : change.needsNew ? place.read() : nil
            ChangeValues.with(old: before, new: after) { change.deliver(elements, $0) }
        }
    }
}
