// A change of some elements of a to-many property.

/// A change that a view is asked to make: what is told of it, and what it brings.
@usableFromInline
struct ElementsEdit<Value> {
    @usableFromInline let kind: KeyValueChange
    /// Where, for an ordered property: old positions, for an insertion new ones.
    @usableFromInline let positions: Positions?
    /// The elements that are inserted or take the place of others.
    @usableFromInline let elements: Value?

    @usableFromInline
    init(_ kind: KeyValueChange, at positions: Positions?, with elements: Value?) {
        self.kind = kind
        self.positions = positions
        self.elements = elements
    }
}

extension ChangePipeline {
    /// Completes what is being delivered on this thread, before a change is worked out that may have to be told.
    ///
    /// - Parameters:
    ///   - property: What will change, if that is known.
    ///   - object: Whose it is.
    static func prepareChange(of property: PropertyIdentity?, of object: some KeyValueObservable) {
        guard Delivery.isUnderWay, let table = object.keyValueRegistrar.existingTable,
            property.map(table.mayObserve) ?? true
        else { return }
        Delivery.completeUnderWay()
    }

    /// Changes some elements of a property.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - property: Its property.
    ///   - storage: Where the property's value is stored.
    ///   - edit: What is told.
    ///   - old: Finds the elements that leave in the value before the change.
    ///   - apply: Makes the change, and is told whether the value is as it was.
    static func change<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity, _ storage: StorageAccess<Object, Value>,
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        guard KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) else {
            return storage.change(object) { apply(&$0, true) }
        }
        if ReadingRecorder.isRecording {
            return ReadingRecorder.suspended { change(object, property, storage, edit, old: old, apply: apply) }
        }
        guard let audience = audience(of: property, of: object) else {
            return storage.change(object) { apply(&$0, true) }
        }
        let indexes = edit.positions?.indexes
        if audience.isSimple {
            // No code of others runs before the did, so nobody could find the change open.
            // Elements that leave are released after the access, for that may call code which reads the property.
            let before = old(storage.read(object))
            storage.change(object) { apply(&$0, true) }
            return did(
                nil, to: object, for: audience, elements: ElementsChange(edit.kind, at: indexes), old: before,
                new: edit.elements)
        }
        let open = OpenChange.begin(
            property, of: object, in: object.keyValueRegistrar.table(), for: audience,
            elements: TypedElementsChange(edit.kind, at: indexes) { storage.read(object) })
        let before = will(open, stored: { storage.read(object) }, old: old)
        let isOfElements = open.elements != nil
        storage.change(object) { apply(&$0, isOfElements) }
        let after = isOfElements ? edit.elements : open.audience.needsNew ? storage.read(object) : nil
        did(open, to: object, for: audience, old: before, new: after)
    }

    /// Makes the will of a change of elements.
    ///
    /// What prior handlers do to the property belongs to the change, which is one of the whole value then.
    private static func will<Value>(_ open: OpenChange, stored: () -> Value, old: (Value) -> Value?) -> Value? {
        let elements = old(stored())
        guard open.audience.hasPriors else {
            unsafe withUnsafePointer(to: elements) { unsafe open.will(old: $0) }
            return elements
        }
        let whole: Value? = stored()
        unsafe withUnsafePointer(to: elements) { unsafe open.will(old: $0) }
        guard let value = whole, !isSameCopy(value, stored()) else { return elements }
        unsafe withUnsafePointer(to: whole) { unsafe open.becomeSetting(old: $0) }
        return whole
    }
}
