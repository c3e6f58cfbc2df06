// A property is changed in place.

extension Mutator {
    /// Prepares an access in place to a property of an observed object; nil if nobody needs to know.
    @inlinable
    static func beginInPlace<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt
    ) -> Mutation? {
        guard let change = openInPlace(place.property, in: table) else { return nil }
        if change.isAccessInside { return change }
        if change.needsOld { change.keep(place.read(), in: &change.old) }
        beginAccess(change, of: object)
        return change
    }

    /// Finds out who is notified.
    ///
    /// What is still to be told on this thread of what the change concerns is told first.
    @usableFromInline
    static func openInPlace(_ property: PropertyIdentity, in table: UInt) -> Mutation? {
        switch property.openChange(in: table) {
        case .silent: nil
        case .simple(let borrowed): open(borrowed.endBorrowing().object)
        case .careful(let source): open(source.object)
        }
    }

    private static func open(_ source: Source) -> Mutation? {
        let isAutomatic = source.isAutomatic
        if let change = Mutation.open(source, manually: !isAutomatic) {
            change.isSilent = !isAutomatic
            return change
        }
        // Inside another change of the property, it only has to be known that this is accessed.
        guard let outer = Mutation.current(of: source) else { return nil }
        outer.isAccessInside = true
        source.beginAccess()
        return outer
    }

    @usableFromInline
    static func beginAccess(_ change: Mutation, of object: AnyObject) {
        if !change.isSilent {
            Tracking.suspended { change.deliverPrior(nil, ChangeValues(old: change.old), of: object) }
        }
        change.source.beginAccess()
    }

    /// Ends a change in place once the access has ended.
    @inlinable @inline(__always)
    static func endInPlace<Value>(_ change: Mutation, of object: AnyObject, reading read: () -> Value) {
        if !endAccess(change, of: object) { return }
        let new: Value? = change.needsNew ? read() : nil
        ChangeValues.with(old: nil, new: new) { deliver(change, new: $0, of: object) }
    }

    /// Ends an access.
    ///
    /// - Returns: Whether it is a change of its own.
    @usableFromInline
    static func endAccess(_ change: Mutation, of object: AnyObject) -> Bool {
        change.source.endAccess()
        if change.isAccessInside {
            change.isAccessInside = false
            change.postponedEnd?()
            return false
        }
        Tracking.suspended { _ = change.evaluate(of: object) }
        return true
    }

    @usableFromInline
    static func deliver(_ change: Mutation, new values: ChangeValues, of object: AnyObject) {
        change.deliver(nil, values.with(old: change.old), of: object)
    }
}
