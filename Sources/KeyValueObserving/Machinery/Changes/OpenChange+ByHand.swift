// A change that is announced by hand: its will and its did are calls of the user.

extension OpenChange {
    /// What an announcement of elements means, worked out from the value before the change.
    struct ElementsByHand<Value> {
        let kind: KeyValueChange
        var indexes: RangeSet<Int>?
        /// The elements that leave, if elements leave.
        var old: Value?
        /// Whether no element is concerned, so that there is nothing to tell.
        let isEmpty: Bool
        /// Finds the elements that come in the value after the change, if elements come.
        let new: (Value) -> Value?
    }

    /// Begins a change by hand, or notes that it belongs to one of the same property that is under way.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - object: Whose it is.
    ///   - table: The object's table.
    ///   - subject: What of it changes.
    ///   - elements: Works out which elements are concerned, if not the value as a whole.
    static func begin<Object: KeyValueObservable, Value>(
        byHand keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable,
        _ subject: Announcement.Subject = .value, elements: ((Value) -> ElementsByHand<Value>)? = nil
    ) {
        let property = table.property(byHand: keyPath)
        if let open = first(where: { $0.table === table && $0.property == property }) {
            open.beginNested(subject, of: object)
            return
        }
        Delivery.completeUnderWay()
        var audience = table.audience(of: property, byHand: keyPath)
        let concerned = audience.isEmpty ? nil : elements?(object[keyPath: keyPath])
        if let concerned, concerned.isEmpty { audience = .nobody }
        let old = concerned == nil && audience.needsOld ? object[keyPath: keyPath] : concerned?.old
        let value = AnyValue.holding(optional: old)
        // Held by the list until its did, for nobody else knows it.
        let open = OpenChange.begin(
            property, of: object, in: table, for: audience,
            elements: concerned.map { concerned in
                TypedElementsChange(
                    concerned.kind, at: concerned.indexes.map(Positions.set), stored: { object[keyPath: keyPath] },
                    new: concerned.new)
            },
            announcement: Announcement(
                keyPath: keyPath, subject: subject, path: table.path(at: keyPath), old: value))
        unsafe open.will(old: value.pointer)
    }

    /// Ends the change by hand that `begin` began; nothing happens if there is none on this thread.
    ///
    /// - Parameters:
    ///   - keyPath: What changed.
    ///   - object: Whose it is.
    ///   - table: The object's table.
    ///   - subject: What of it changed.
    ///   - wholeOld: The value before the change, if that turned out to be one of the whole.
    static func end<Object: KeyValueObservable, Value>(
        byHand keyPath: KeyPath<Object, Value>, of object: Object, in table: ObservationTable,
        _ subject: Announcement.Subject = .value, wholeOld: Value? = nil
    ) {
        let property = table.property(byHand: keyPath)
        // The first observer in between makes a property known that was named by its key path before.
        guard
            let open = first(where: { open in
                open.table === table
                    && (open.property == property
                        || open.announcement.map { KeyPathComponents.areSame($0.keyPath, keyPath) } ?? false)
            })
        else { return }
        if open.endNested() { return }
        guard let announcement = open.announcement else { return }
        let old = wholeOld.map(AnyValue.holding) ?? announcement.old
        if wholeOld != nil { unsafe open.becomeSetting(old: old.pointer) }
        if announcement.subject != subject { trap(announcement.subject, subject, object) }
        let new = AnyValue.holding(optional: open.newValue(at: keyPath, of: object))
        unsafe open.did(new: new.pointer)
        unsafe Delivery.run(
            to: open.audience, object: object, open: open, elements: open.elements, isPrior: false, old: old.pointer,
            new: new.pointer)
        withExtendedLifetime((old, new)) {}
    }

    private func newValue<Object: KeyValueObservable, Value>(
        at keyPath: KeyPath<Object, Value>, of object: Object
    ) -> Value? {
        guard let elements = elements as? TypedElementsChange<Value> else {
            return audience.needsNew ? object[keyPath: keyPath] : nil
        }
        return audience.needsNewElements ? elements.new(in: object[keyPath: keyPath]) : nil
    }

    /// Notes that a change of the same property was announced inside this one, which speaks for it.
    private func beginNested(_ subject: Announcement.Subject, of object: AnyObject) {
        if let own = announcement?.subject, own != .value, subject != .value, own != subject {
            Self.trap(own, subject, object)
        }
        beginNested()
    }

    private static func trap(_ own: Announcement.Subject, _ other: Announcement.Subject, _ object: AnyObject) -> Never {
        fatalError(
            """
            \(type(of: object)) announced a change by hand as \(own), and then one of the same property as \(other). \
            Call will and did with the same arguments, and end a change of elements before the next one begins.
            """)
    }
}
