// How a view gets at a property of an object whose type is known.

/// Uses the place where the property is stored, if it has one, and otherwise its accessors.
class PropertyBacking<Object: KeyValueObservable, Value>: ViewBacking<Value> {
    private let owner: Object
    private let accessors: ReferenceWritableKeyPath<Object, Value>
    /// Whether the property overrides one that several threads change, whose changes cannot be announced.
    private let isShared: Bool

    /// `declared` is the key path as the class writes it.
    init(
        _ owner: Object, _ accessors: ReferenceWritableKeyPath<Object, Value>, declared: AnyKeyPath? = nil,
        place: StoragePlace<Value>? = nil, isShared: Bool = false
    ) {
        self.owner = owner
        self.accessors = accessors
        self.isShared = isShared
        super.init(object: owner, keyPath: declared ?? accessors, place: place)
    }

    override var value: Value {
        get {
            // The getter reports that it reads.
            guard let place, !isReporting, !ThisThread.isTracking else { return owner[keyPath: accessors] }
            return place.read()
        }
        set {
            guard let place else {
                owner[keyPath: accessors] = newValue
                return
            }
            // The address was taken when the view was made: an access that has begun since traps here.
            place.change { _ in }
            report(.willChange)
            Mutator.set(newValue, at: place, of: owner, in: table)
            report(.didChange)
        }
        _modify {
            if let place {
                report(.read)
                report(.willChange)
                var access = AccessInPlace()
                unsafe access.begin(at: place.pointer, of: owner, in: table, Value.self, named: { keyPath })
                defer {
                    access.end(owner)
                    report(.didChange)
                }
                yield unsafe &place.pointer.pointee
            } else {
                yield &owner[keyPath: accessors]
            }
        }
    }

    private var source: Source? { owner.keyValueRegistrar.existingTable?.source(at: KeyPathName(accessors)) }

    override func set(_ newValue: Value) {
        if source?.isAutomatic ?? true {
            value = newValue
        } else {
            owner.changeValue(for: accessors) { value = newValue }
        }
    }

    override var current: Value {
        if let value = withStored({ $0 }) { return value }
        if ThisThread.isDelivering, let source { Delivery.complete(concerning: source) }
        return Tracking.suspended { owner[keyPath: accessors] }
    }

    /// Sets the property once, and announces what changes by that, or changes it in place.
    override func change(_ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void) {
        Tracking.suspended {
            if isShared { return apply(&owner[keyPath: accessors]) }
            let before = owner[keyPath: accessors]
            let elements = Edit(edit.kind, at: edit.positions)
            let announced = Mutator.will(
                accessors, of: owner, edit: elements, old: old(before).map { .holding($0) })
            // A handler that is called before the change may have set the property.
            var after = owner[keyPath: accessors]
            let isAsPlanned = isSame(before, after)
            apply(&after)
            owner[keyPath: accessors] = after
            if let announced {
                // A setter that stores something else has set the whole value.
                let isKept = isAsPlanned && isSame(owner[keyPath: accessors], after)
                if !isKept { announced.mutation.old = .holding(before) }
                Mutator.end(
                    announced, of: AnnouncedProperty(object: owner, keyPath: accessors),
                    edit: isKept ? elements : nil, new: edit.elements.map { .holding($0) })
            }
            owner.reportManualChange(.didChange, at: accessors)
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        isSameCopy(left, right) || Equality<Value>()?.areEqual(left, right) ?? false
    }
}
