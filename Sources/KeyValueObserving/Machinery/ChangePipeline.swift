// One change of one property, from its will to its did: every door ends here.

@usableFromInline
enum ChangePipeline {
    /// Sets a property that somebody may observe.
    ///
    /// The closures read and write the property of the object they are given and capture nothing.
    @usableFromInline
    static func set<Object: KeyValueObservable, Value>(
        _ value: Value, of object: Object, _ property: PropertyIdentity, reading read: (Object) -> Value,
        writing write: (Object, Value) -> Void
    ) {
        guard let change = will(object, property, inPlace: false, reading: read) else {
            write(object, value)
            return
        }
        write(object, value)
        did(change, to: object, reading: read)
    }

    /// Begins an access in place to a property that somebody may observe; the result goes to `didModify`.
    @usableFromInline
    static func willModify<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity, reading read: (Object) -> Value
    ) -> AnyObject? {
        will(object, property, inPlace: true, reading: read).map(ChangeInPlace.init)
    }

    /// Ends an access in place.
    @usableFromInline
    static func didModify<Object: KeyValueObservable, Value>(
        _ object: Object, _ change: AnyObject, reading read: (Object) -> Value
    ) {
        // `willModify` made it, for the same property.
        did(unsafe unsafeDowncast(change, to: ChangeInPlace<Value>.self).change, to: object, reading: read)
    }

    /// Fixes who is told of a change, reads the old values they asked for, and tells those who asked before.
    ///
    /// - Returns: The change to be ended by `did`; nil if nobody is told, or if the property is already changing on
    ///   this thread and the outer change speaks for this one too.
    private static func will<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity, inPlace: Bool, reading read: (Object) -> Value
    ) -> Change<Value>? {
        let table = object.keyValueRegistrar.table()
        guard !OpenChange.isOpen(table, property) else { return nil }
        Delivery.completeUnderWay()
        guard let audience = table.audience(of: property) else { return nil }

        var change = Change<Value>(audience: audience)
        if audience.needs.contains(.old) {
            change.old = read(object)
        }
        // Code of others runs before the did only in these cases; then the change must be found to be open.
        if inPlace || audience.hasPriors || !audience.paths.isEmpty {
            change.open = OpenChange(of: table, property, reaching: audience.paths)
            change.paths = audience.paths.compactMap { $0.will() }
        }
        if audience.hasPriors {
            unsafe withUnsafePointer(to: change.old) { old in
                unsafe Delivery.run(
                    Delivery(to: audience, object: object, isPrior: true, old: old, new: nil, paths: change.paths))
            }
        }
        return change
    }

    /// Reads the new values, follows the paths to where they lead now, and tells everybody.
    private static func did<Object: KeyValueObservable, Value>(
        _ change: consuming Change<Value>, to object: Object, reading read: (Object) -> Value
    ) {
        let new = change.audience.needs.contains(.new) ? read(object) : nil
        if let open = change.open {
            change.paths = change.paths.map { $0.did(after: open) }
            open.close()
            OpenChange.tell(change.paths)
        }
        unsafe withUnsafePointer(to: change.old) { old in
            unsafe withUnsafePointer(to: new) { new in
                unsafe Delivery.run(
                    Delivery(
                        to: change.audience, object: object, isPrior: false, old: old, new: new, paths: change.paths))
            }
        }
    }
}

/// A change between its will and its did.
private struct Change<Value> {
    let audience: Audience
    var old: Value?
    var paths: [PathChange] = []
    var open: OpenChange?
}

/// Carries a change across an access in place, whose frame has no room for it.
private final class ChangeInPlace<Value> {
    let change: Change<Value>

    init(_ change: Change<Value>) {
        self.change = change
    }
}
