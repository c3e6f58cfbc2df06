// A change that is announced by hand: its will and its did are calls of the user.

extension OpenChange {
    /// Begins a change by hand, or notes that it belongs to one of the same property that is under way.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - object: Whose it is.
    ///   - table: The object's table.
    static func begin<Object: KeyValueObservable, Value>(
        byHand keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) {
        let property = table.property(byHand: keyPath)
        if let open = first(where: { $0.table === table && $0.property == property }) {
            open.beginNested()
            return
        }
        Delivery.completeUnderWay()
        let audience = table.audience(of: property, byHand: keyPath)
        // Held by the list until its did, for nobody else knows it.
        let open = OpenChange(of: property, of: object, in: table, for: audience, keyPathByHand: keyPath)
        let old = audience.needsOld ? object[keyPath: keyPath] : nil
        let value = TypedValue(optional: old)
        open.oldByHand = value
        unsafe open.will(old: value.pointer)
    }

    /// Ends the change by hand that `begin` began; nothing happens if there is none on this thread.
    static func end<Object: KeyValueObservable, Value>(
        byHand keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable
    ) {
        let property = table.property(byHand: keyPath)
        guard let open = first(where: { $0.table === table && $0.property == property }) else { return }
        if open.endNested() { return }
        guard open.keyPathByHand != nil, let old = open.oldByHand else { return }
        let new = TypedValue(optional: open.audience.needsNew ? object[keyPath: keyPath] : nil)
        open.did()
        unsafe Delivery.run(
            to: open.audience, object: object, open: open, isPrior: false, old: old.pointer, new: new.pointer)
        withExtendedLifetime((old, new)) {}
    }
}
