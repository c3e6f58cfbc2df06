// How a view gets at its property, whatever the type of the object.

/// How a view gets at its property: where it is stored, or by its accessors.
///
/// An `@Observed` property is changed at its place, here. For any other one the subclass knows the object's type.
@usableFromInline
class ViewBacking<Value> {
    /// The object, which the view keeps alive.
    @usableFromInline final let object: any KeyValueObservable
    /// The property, as its class writes it if it is stored.
    @usableFromInline final let keyPath: AnyKeyPath
    /// Where an `@Observed` property is stored.
    @usableFromInline final let place: StoragePlace<Value>?
    /// Whether accesses are reported to another system of observation, where the accessors do not do that.
    @usableFromInline final let isReporting: Bool

    init(object: any KeyValueObservable, keyPath: AnyKeyPath, place: StoragePlace<Value>? = nil) {
        self.object = object
        self.keyPath = keyPath
        self.place = place
        isReporting = type(of: object)._reportsPropertyAccesses
    }

    // MARK: What subclasses do

    /// The value; setting or changing it in place is one change of the property.
    var value: Value {
        get { preconditionFailure("a subclass reads") }
        set { preconditionFailure("a subclass writes \(newValue)") }
    }

    /// Sets the property, and announces that, also if setting it does not.
    func set(_ newValue: Value) { preconditionFailure("a subclass writes \(newValue)") }

    /// The value, for a caller that is about to change it.
    ///
    /// Earlier changes of the property are delivered first, because handlers may change the value. Nobody depends on this
    /// reading.
    @usableFromInline var current: Value { preconditionFailure("a subclass reads") }

    /// Makes a change of some elements of a property that has no place.
    @usableFromInline
    func change(_ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void) {
        preconditionFailure("a subclass writes")
    }

    /// Begins a call of the view that is atomic.
    ///
    /// - Returns: Whether `endStep` must follow.
    @usableFromInline
    func beginStep() -> Bool { false }

    /// Ends the call.
    @usableFromInline
    func endStep() {}

    /// Counts the elements, where the value would have to be made from another array.
    ///
    /// - Parameter isCurrent: Whether it is for a caller that is about to change them, as `current` is.
    /// - Returns: The number; nil where the value is at hand.
    @usableFromInline
    func convertedCount(current isCurrent: Bool = false) -> Int? { nil }

    /// Finds the elements at positions, likewise.
    ///
    /// - Returns: The elements; nil where the value is at hand.
    @usableFromInline
    func convertedElements(at positions: Positions, current isCurrent: Bool = false) -> Value? { nil }

    // MARK: Where the property is stored

    /// Looks at the stored value for a caller that is about to change it: see `current`.
    ///
    /// - Returns: What `body` returns; nil if the property has no place.
    @inlinable @inline(__always)
    final func withStored<Result>(_ body: (Value) -> Result) -> Result? {
        guard let place else { return nil }
        if _slowPath(ThisThread.isDelivering) { Mutator.prepare(place.property, in: table) }
        return place.read(body)
    }

    /// Makes a change of some elements.
    @inlinable
    final func makeChange(_ edit: PlannedEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void) {
        guard let place else { return change(edit, old: old, apply: apply) }
        report(.willChange)
        Mutator.change(at: place, of: object, in: table, edit, old: old, apply: apply)
        report(.didChange)
        extendLifetime(object)
    }

    /// Reports an access that does not go through the accessors.
    @inlinable @inline(__always)
    final func report(_ access: _PropertyAccess) {
        if _slowPath(isReporting) { object.reportAccess(access, at: keyPath) }
    }

    /// The address of the object's table.
    @usableFromInline final var table: UInt {
        func open(_ object: some KeyValueObservable) -> UInt { object.keyValueRegistrar.tableAddress }
        return open(object)
    }

    /// The property and its object, for messages: `tags of a Person`.
    final var name: String { "\(PropertyNames.text(of: keyPath)) of a \(TypeName.of(object))" }
}
