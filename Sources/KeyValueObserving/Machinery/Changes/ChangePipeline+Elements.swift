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
    ///   - stored: Where the property's value is stored.
    ///   - edit: What is told.
    ///   - old: Finds the elements that leave in the value before the change.
    ///   - apply: Makes the change.
    static func change<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity, at stored: ReferenceWritableKeyPath<Object, Value>,
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        guard KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) else {
            return apply(&object[keyPath: stored])
        }
        if ReadingRecorder.isRecording {
            return ReadingRecorder.suspended {
                change(object, property, at: stored, edit, old: old, apply: apply)
            }
        }
        guard let audience = audience(of: property, of: object) else { return apply(&object[keyPath: stored]) }
        let open = OpenChange(
            of: property, of: object, for: audience,
            elements: TypedElementsChange(edit.kind, at: edit.positions?.indexes) { object[keyPath: stored] })
        let before = will(open, stored: { object[keyPath: stored] }, old: old)
        apply(&object[keyPath: stored])
        let isOfElements = open.elements != nil
        let after = isOfElements ? edit.elements : open.audience.needsNew ? object[keyPath: stored] : nil
        did(open, to: object, for: audience, old: before, new: after)
    }

    /// Makes the will of a change of elements.
    ///
    /// What prior handlers do to the property belongs to the change, which is one of the whole value then.
    private static func will<Value>(_ open: OpenChange, stored: () -> Value, old: (Value) -> Value?) -> Value? {
        let elements = open.audience.needsOldElements ? old(stored()) : nil
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
