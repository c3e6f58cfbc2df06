// Some elements of a collection are changed.

extension Mutator {
    /// Changes some elements of a property, and announces that, also if setting the property does not.
    ///
    /// `old` finds the elements that leave in the value before the change.
    @inlinable
    static func change<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt,
        _ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        switch place.property.openChange(in: table) {
        case .silent:
            place.change(apply)
        case .simple(let borrowed):
            // Elements that leave are released after the access, for that may run code which reads the property.
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

    /// Changes some elements where code of others may run before the observers are called.
    @usableFromInline
    static func changeCarefully<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, _ source: Source, _ edit: PlannedEdit<Value>,
        old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        let isManual = !source.isAutomatic
        // `open` has left alone what is being delivered, as a set is silent.
        if isManual, ThisThread.isDelivering { Delivery.complete(concerning: source) }
        guard let change = Mutation.open(source, manually: isManual) else { return place.change(apply) }
        Tracking.suspended {
            var made: Edit? = Edit(edit.kind, at: edit.positions)
            var before = place.read(old)
            if change.hasPriors {
                let whole = place.read()
                ChangeValues.with(old: before, new: nil) { change.deliverPrior(made, $0, of: object) }
                // What handlers do to the property belongs to the change, which then is one of the whole value.
                if change.takeNested() { (made, before) = (nil, whole) }
            }
            place.change(apply)
            // So is it if getters change it, but then nobody has the value before.
            if change.evaluate(of: object, ofElements: made != nil), made != nil {
                (made, before) = (nil, nil)
            }
            let whole = made == nil || change.needsWhole ? place.read() : nil
            ChangeValues.with(old: before, new: made == nil ? whole : edit.elements, whole: whole) {
                change.deliver(made, $0, of: object)
            }
        }
    }

    /// Completes what a change of some elements concerns, before that is planned from what a value is.
    @usableFromInline
    static func prepare(_ property: PropertyIdentity, in table: UInt) {
        guard ThisThread.isDelivering, let table = Unretained<ObservationTable>(at: table) else { return }
        if let source = table.with({ $0.unretainedSource(of: property) })?.object {
            Delivery.complete(concerning: source)
        }
    }
}
