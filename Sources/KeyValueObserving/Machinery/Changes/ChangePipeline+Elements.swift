// A change of some elements of a to-many property.

/// A change that a view is asked to make: what is told of it, and what it brings.
@usableFromInline
struct ElementsEdit<Value> {
    @usableFromInline let kind: KeyValueChange
    /// Where, for an ordered property: old positions, for an insertion new ones.
    @usableFromInline let positions: Positions?
    /// The elements that are inserted or take the place of others.
    @usableFromInline let elements: Value?

    @inlinable
    init(_ kind: KeyValueChange, at positions: Positions?, with elements: Value?) {
        self.kind = kind
        self.positions = positions
        self.elements = elements
    }
}

/// Who is to be told of a change of elements.
@usableFromInline
enum ElementsAudience {
    case nobody
    /// They are told when the change was made, and nothing is to be done before.
    case simple(Audience)
    /// There is more to it.
    case special
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

    /// Who is to be told of a change of elements that is about to be made.
    static func audienceOfElements(
        of property: PropertyIdentity, of object: some KeyValueObservable
    ) -> ElementsAudience {
        guard KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) else { return .nobody }
        guard !ReadingRecorder.isRecording else { return .special }
        guard let audience = audience(of: property, of: object) else { return .nobody }
        return audience.isSimple ? .simple(audience) : .special
    }

    /// Changes some elements of a property.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - property: Its property.
    ///   - stored: What the property stores.
    ///   - edit: What is told.
    ///   - old: Finds the elements that leave in the value before the change.
    ///   - apply: Makes the change, and is told whether the value is as it was.
    static func change<Value>(
        _ object: some KeyValueObservable, _ property: PropertyIdentity, _ stored: StoredValue<Value>,
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value, _ isAsPlanned: Bool) -> Void
    ) {
        guard KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) else {
            return stored.change { apply(&$0, true) }
        }
        if ReadingRecorder.isRecording {
            return ReadingRecorder.suspended { change(object, property, stored, edit, old: old, apply: apply) }
        }
        guard let audience = audience(of: property, of: object) else {
            return stored.change { apply(&$0, true) }
        }
        if audience.isSimple {
            // No code of others runs before the did, so nobody could find the change open.
            // Elements that leave are released after the access, for that may call code which reads the property.
            let before = stored.read(old)
            stored.change { apply(&$0, true) }
            return did(
                nil, to: object, for: audience, elements: ElementsChange(edit.kind, at: edit.positions), old: before,
                new: edit.elements)
        }
        let open = OpenChange.begin(
            property, of: object, in: object.keyValueRegistrar.table(), for: audience,
            elements: TypedElementsChange(edit.kind, at: edit.positions) { stored.value })
        let before = will(open, stored: { stored.value }, old: old)
        let isOfElements = open.elements != nil
        stored.change { apply(&$0, isOfElements) }
        let after = isOfElements ? edit.elements : open.audience.needsNew ? stored.value : nil
        did(open, to: object, for: audience, old: before, new: after)
    }

    /// Tells of a change of elements that was made.
    @inlinable
    static func tell<Value>(
        _ audience: Audience, of object: AnyObject, _ elements: ElementsChange, old: Value?, new: Value?
    ) {
        unsafe withUnsafePointer(to: old) { old in
            unsafe withUnsafePointer(to: new) { new in
                unsafe deliver(to: audience, object, nil, elements, old: old, new: new)
            }
        }
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
