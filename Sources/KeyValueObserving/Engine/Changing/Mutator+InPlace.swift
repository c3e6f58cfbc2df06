// Changing a property in place.

extension Mutator {
    /// Prepares an access in place to a property of an observed object; nil if no observer is concerned.
    static func beginInPlace<Value>(
        at place: StoragePlace<Value>, of object: AnyObject, in table: UInt
    ) -> Mutation? {
        guard let change = openInPlace(place.property, in: table) else { return nil }
        if change.needsOld { change.keepOld(place) }
        beginAccess(change, of: object)
        return change
    }

    /// Finds the recipients.
    ///
    /// It first completes the deliveries under way on this thread that the change concerns.
    private static func openInPlace(_ property: PropertyIdentity, in table: UInt) -> Mutation? {
        switch property.openChange(in: table) {
        case .silent: nil
        case .simple(let borrowed): open(borrowed.endBorrowing().object)
        case .careful(let source): open(source.object)
        }
    }

    private static func open(_ source: Source) -> Mutation? {
        let isAutomatic = source.isAutomatic
        // Inside another change of the property it is alone, and the outer change includes it if that ends later.
        let outer = source.openHere
        outer?.noteNested()
        guard let change = Mutation.open(source, manually: !isAutomatic, alone: outer != nil) else { return nil }
        change.isSilent = !isAutomatic && outer == nil
        return change
    }

    private static func beginAccess(_ change: Mutation, of object: AnyObject) {
        if change.hasPriors, !change.isSilent, change.source.openHere === change {
            Tracking.suspended { change.deliverPrior(nil, change.kept, of: object) }
        }
        change.unretainedSource.with { $0.beginAccess() }
    }

    /// Ends a change in place once the access has ended.
    static func endInPlace<Value>(_ change: Mutation, of object: AnyObject, _: Value.Type) {
        endAccess(change, of: object)
        if change.needsNew, !change.isSilent {
            change.keepNew(StoragePlace<Value>(of: change.property, in: object))
        }
        change.deliver(nil, change.kept, of: object)
    }

    /// Ends an access.
    private static func endAccess(_ change: Mutation, of object: AnyObject) {
        change.unretainedSource.with { source in
            source.endAccess()
            if let outer = source.openHere, outer !== change {
                outer.noteNested()
                change.isSilent = true
            }
        }
        Tracking.suspended { _ = change.evaluate(of: object) }
    }
}
