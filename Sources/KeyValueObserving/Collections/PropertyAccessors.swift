// A view's access to a property of an object of a known type.

/// Uses the property's storage, if its address is known, and otherwise its accessors.
struct PropertyAccessors<Object: KeyValueObservable, Value>: ViewAccessors {
    let owner: Object
    let keyPath: ReferenceWritableKeyPath<Object, Value>
    /// Whether the property overrides one that several threads change, whose changes cannot be announced.
    var isShared = false

    subscript(view: ViewBacking<Value>) -> Value {
        get {
            // The getter reports the read.
            guard let place = view.place, !view.isReporting, !ThisThread.isTracking else {
                return owner[keyPath: keyPath]
            }
            return place.read()
        }
        nonmutating set {
            guard let place = view.place else {
                owner[keyPath: keyPath] = newValue
                return
            }
            // The address was taken when the view was made, so an access that has begun since traps now.
            place.change { _ in }
            view.report(.willChange)
            Mutator.set(newValue, at: place, of: owner, in: view.table)
            view.report(.didChange)
        }
        nonmutating _modify {
            if let place = view.place {
                view.report(.read)
                view.report(.willChange)
                var access = AccessInPlace()
                unsafe access.begin(at: place.pointer, of: owner, in: view.table, Value.self, named: { view.keyPath })
                defer {
                    access.end(owner)
                    view.report(.didChange)
                }
                yield unsafe &place.pointer.pointee
            } else {
                yield &owner[keyPath: keyPath]
            }
        }
    }

    private var source: Source? { owner.keyValueRegistrar.existingTable?.source(at: KeyPathName(keyPath)) }

    func set(_ newValue: Value, in view: ViewBacking<Value>) {
        if source?.isAutomatic ?? true {
            self[view] = newValue
        } else {
            owner.changeValue(for: keyPath) { self[view] = newValue }
        }
    }

    func current(in view: ViewBacking<Value>) -> Value {
        if let value = view.withStored({ $0 }) { return value }
        if ThisThread.isDelivering, let source { Delivery.complete(concerning: source) }
        return Tracking.suspended { owner[keyPath: keyPath] }
    }

    /// Sets the property once and announces the change, or changes the property in place.
    func change(
        _ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void, in _: ViewBacking<Value>
    ) {
        Tracking.suspended {
            if isShared { return apply(&owner[keyPath: keyPath]) }
            let before = owner[keyPath: keyPath]
            let elements = Edit(edit.kind, at: edit.positions)
            let announced = Mutator.will(
                keyPath, of: owner, edit: elements, old: old(before).map { .holding($0) })
            // A handler with `.prior` may have set the property.
            var after = owner[keyPath: keyPath]
            let isAsPlanned = isSame(before, after)
            apply(&after)
            owner[keyPath: keyPath] = after
            if let announced {
                // A setter that stores a different value has set the whole value.
                let isKept = isAsPlanned && isSame(owner[keyPath: keyPath], after)
                if !isKept { announced.mutation.old = .holding(before) }
                Mutator.end(
                    announced, of: AnnouncedProperty(object: owner, keyPath: keyPath),
                    edit: isKept ? elements : nil, new: edit.elements.map { .holding($0) })
            }
            owner.reportManualChange(.didChange, at: keyPath)
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        isSameCopy(left, right) || Equality<Value>()?.areEqual(left, right) ?? false
    }
}
