// A view's access to its property, for any type of object.

/// A view's access to its property, by the storage or by accessors.
///
/// This type changes an `@Observed` property at its address. The accessors of other properties know the object's type.
@usableFromInline
final class ViewBacking<Value> {
    /// The object, which the view keeps alive.
    @usableFromInline let object: any KeyValueObservable
    /// The property, as its class writes it if it is stored.
    @usableFromInline let keyPath: AnyKeyPath
    /// The storage of an `@Observed` property.
    @usableFromInline let place: StoragePlace<Value>?
    /// Whether the view must report accesses to another observation system, because the accessors do not.
    @usableFromInline let isReporting: Bool
    private let accessors: any ViewAccessors<Value>

    init(
        object: any KeyValueObservable, keyPath: AnyKeyPath, place: StoragePlace<Value>? = nil,
        _ accessors: some ViewAccessors<Value>
    ) {
        self.object = object
        self.keyPath = keyPath
        self.place = place
        self.accessors = accessors
        isReporting = type(of: object)._reportsPropertyAccesses
    }

    // MARK: The whole value

    /// The value; setting or changing it in place is one change of the property.
    var value: Value {
        get { accessors[self] }
        set { accessors[self] = newValue }
        _modify { yield &accessors[self] }
    }

    /// Sets the property, and announces the change even if setting the property does not.
    func set(_ newValue: Value) { accessors.set(newValue, in: self) }

    /// The value, for a caller that is about to change it.
    ///
    /// Earlier changes of the property are delivered first, because handlers may change the value. No dependency is
    /// recorded.
    @usableFromInline var current: Value { accessors.current(in: self) }

    // MARK: Some elements

    /// Begins a call of the view that is atomic.
    ///
    /// - Returns: Whether `endStep` must follow.
    @usableFromInline
    func beginStep() -> Bool { accessors.beginStep(in: self) }

    /// Ends the call.
    @usableFromInline
    func endStep() { accessors.endStep(in: self) }

    /// Calls `body` with the stored value, for a caller that is about to change it; see `current`.
    ///
    /// - Returns: The result of `body`; nil if the property has no address.
    @inlinable @inline(__always)
    func withStored<Result>(_ body: (Value) -> Result) -> Result? {
        guard let place else { return nil }
        if _slowPath(ThisThread.isDelivering) { Mutator.prepare(place.property, in: table) }
        return place.read(body)
    }

    /// Makes a change of some elements.
    @inlinable
    func makeChange(_ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void) {
        guard let place else { return change(edit, old: old, apply: apply) }
        report(.willChange)
        Mutator.change(at: place, of: object, in: table, edit, old: old, apply: apply)
        report(.didChange)
        extendLifetime(object)
    }

    @usableFromInline
    func change(_ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void) {
        accessors.change(edit, old: old, apply: apply, in: self)
    }

    // MARK: The property

    /// Reports an access that does not go through the accessors.
    @inlinable @inline(__always)
    func report(_ access: _PropertyAccess) {
        if _slowPath(isReporting) { object.reportAccess(access, at: keyPath) }
    }

    /// The address of the object's table.
    @usableFromInline var table: UInt {
        func open(_ object: some KeyValueObservable) -> UInt { object.keyValueRegistrar.tableAddress }
        return open(object)
    }

    /// The property and its object, for messages: `tags of a Person`.
    var name: String { "\(PropertyNames.text(of: keyPath)) of a \(TypeName.of(object))" }
}

/// The accessors of a property, which know its type and the object's.
protocol ViewAccessors<Value> {
    associatedtype Value

    /// The value; setting or changing it in place is one change of the property.
    subscript(view: ViewBacking<Value>) -> Value { get nonmutating set }

    func set(_ newValue: Value, in view: ViewBacking<Value>)

    func current(in view: ViewBacking<Value>) -> Value

    /// Makes a change of some elements of a property that has no address.
    func change(
        _ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void, in view: ViewBacking<Value>)

    func beginStep(in view: ViewBacking<Value>) -> Bool
    func endStep(in view: ViewBacking<Value>)
}

extension ViewAccessors {
    func beginStep(in view: ViewBacking<Value>) -> Bool { false }
    func endStep(in view: ViewBacking<Value>) {}
}
