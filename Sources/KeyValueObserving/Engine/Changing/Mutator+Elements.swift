// Changing some elements of a collection.

extension Mutator {
    /// Changes some elements of a property, and announces the change even if setting the property does not.
    ///
    /// `old` finds the removed elements in the value before the change.
    @inlinable
    static func change<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt,
        _ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        switch place.property.openChange(in: table) {
        case .silent:
            place.change(apply)
        case .simple(let borrowed):
            // Removed elements are released after the access, because that may run code that reads the property.
            let before = edit.kind == .insertion ? nil : place.read(old)
            place.change(apply)
            let whole = borrowed.needsWhole ? place.read() : nil
            ChangeValues.with(old: before, new: edit.elements, whole: whole) {
                borrowed.deliver(Edit(edit.kind, at: edit.positions), $0, of: object)
            }
            extendLifetime(object)
        case .careful(let source):
            source.with { changeCarefully(at: place, of: object, $0, edit, old: old, apply: apply) }
        }
    }

    /// Changes some elements if code of users may run before the observers are called.
    @usableFromInline
    static func changeCarefully<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, _ source: Source, _ edit: PlannedEdit<Value>,
        old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        let isManual = !source.isAutomatic
        // `open` has not completed deliveries, because a set is silent.
        if isManual, ThisThread.isDelivering { Delivery.complete(concerning: source) }
        guard let change = Mutation.open(source, manually: isManual) else { return place.change(apply) }
        Tracking.suspended {
            var made: Edit? = Edit(edit.kind, at: edit.positions)
            var before = place.read(old)
            if change.hasPriors {
                let whole = place.read()
                ChangeValues.with(old: before, new: nil) { change.deliverPrior(made, $0, of: object) }
                // Changes of the property by handlers belong to this one, which is then a change of the whole value.
                if change.takeNested() { (made, before) = (nil, whole) }
            }
            place.change(apply)
            // It is also one if getters change the property, but then the old value is unknown.
            if change.evaluate(of: object, ofElements: made != nil), made != nil {
                (made, before) = (nil, nil)
            }
            let whole = made == nil || change.needsWhole ? place.read() : nil
            ChangeValues.with(old: before, new: made == nil ? whole : edit.elements, whole: whole) {
                change.deliver(made, $0, of: object)
            }
        }
    }

    /// Completes deliveries that a change of elements concerns, before the change is planned from the current value.
    @usableFromInline
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let table = Unretained<ObservationTable>(at: table) else { return }
        if let source = table.with({ $0.unretainedSource(of: property) })?.object {
            Delivery.complete(concerning: source)
        }
    }
}
