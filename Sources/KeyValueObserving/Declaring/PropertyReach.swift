// How a view gets at its property.

/// How a view gets at its property; the subclass knows the object's type.
@usableFromInline
class PropertyReach<Value> {
    /// Where the property is stored, if the view reads and changes it there, and the object.
    @usableFromInline final let stored: (place: StoragePlace<Value>, object: AnyObject)?

    @inlinable
    init(stored: (place: StoragePlace<Value>, object: AnyObject)? = nil) {
        self.stored = stored
    }

    /// The value as the property's own accessors give and take it.
    var value: Value {
        get { preconditionFailure("a subclass reads") }
        set { preconditionFailure("a subclass writes \(newValue)") }
    }

    /// Sets the property, and announces that, also if setting it does not.
    func set(_ newValue: Value) { preconditionFailure("a subclass writes \(newValue)") }

    /// The value, for a caller that is about to change it.
    ///
    /// Deliveries under way are completed first, because they may change the value. Nobody depends on this reading.
    @usableFromInline var current: Value { preconditionFailure("a subclass reads") }

    /// Makes a change of some elements.
    @usableFromInline
    func change(
        _ edit: ElementsEdit<Value>, old: (Value) -> Value?, apply: (inout Value) -> Void
    ) {
        preconditionFailure("a subclass writes")
    }

    /// The elements one by one, where the value itself would have to be made from another array.
    @usableFromInline var converted: (any ConvertedElements)? { nil }

    /// Begins a call of a view that changes the value; `endStep` must follow.
    @usableFromInline
    func beginStep() {}

    /// Ends what `beginStep` began.
    @usableFromInline
    func endStep() {}

    /// The property and its object, for messages: `tags of a Person`.
    var name: String { preconditionFailure("a subclass knows the property") }

    /// The property's key path, as far as the view knows it.
    @usableFromInline var propertyKeyPath: AnyKeyPath { preconditionFailure("a subclass stores") }

    /// The address of the object's table.
    @usableFromInline var table: UInt { preconditionFailure("a subclass stores") }
}

extension KeyValueObservable {
    /// Runs `body`, which sets a property, and announces the change if somebody observes the property and it does not.
    func announcing<Value>(_ keyPath: KeyPath<Self, Value>, _ body: () -> Void) {
        let source = keyValueRegistrar.existingTable?.source(at: KeyPathName(keyPath))
        if source?.isAutomatic ?? true { body() } else { changeValue(for: keyPath, body) }
    }
}

/// The elements of an array of another type, each converted when it is asked for.
@usableFromInline
protocol ConvertedElements {
    var count: Int { get }
    /// The number of elements, for what is about to change it: see `PropertyReach.current`.
    var currentCount: Int { get }
    /// The elements at positions, likewise.
    func currentElements(at positions: Positions) -> [Any]
    func element(at position: Int) -> Any
}
