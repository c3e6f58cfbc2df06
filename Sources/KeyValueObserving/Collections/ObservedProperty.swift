// A live view of one property, independent of the type of the object it belongs to.

/// A live view of one observed property: what `person.$age` is.
///
/// It can be passed to code that knows the value's type and not the object's. It keeps the object alive, always reads
/// the current value, and writes like the property itself: observers are told.
///
/// ```swift
/// func reset(_ counter: ObservedProperty<Int>) { counter.value = 0 }
/// reset(person.$age)
/// ```
///
/// A view is as safe to use from several threads as the property is. A property whose type has no size, such as
/// `Void`, has no view: making one traps.
public struct ObservedProperty<Value> {
    private let reach: PropertyReach<Value>

    @usableFromInline
    init<Object: KeyValueObservable>(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        if MemoryLayout<Value>.size == 0 {
            // Not a precondition, whose sentence an optimized build leaves out.
            fatalError(
                "A property of type \(Value.self) has no view, for its storage has no place. Use the property itself.")
        }
        reach = StorageReach(object: object, storage: storage)
    }

    /// The property's value; setting or changing it in place is one change of the property.
    public var value: Value {
        get { reach.value }
        nonmutating set { reach.value = newValue }
        nonmutating _modify { yield &reach.value }
    }
}

extension ObservedProperty: CustomStringConvertible {
    /// The current value's description.
    public var description: String { String(describing: value) }
}

/// How a view gets at its property; the subclass knows the object's type.
private class PropertyReach<Value> {
    var value: Value {
        get { preconditionFailure("a subclass reads") }
        set { preconditionFailure("a subclass writes \(newValue)") }
    }
}

private final class StorageReach<Object: KeyValueObservable, Value>: PropertyReach<Value> {
    private let object: Object
    private let stored: ReferenceWritableKeyPath<Object, Value>
    private let storage: ReferenceWritableKeyPath<Object, Observed<Value>>

    init(object: Object, storage: ReferenceWritableKeyPath<Object, Observed<Value>>) {
        self.object = object
        self.storage = storage
        stored = storage.appending(path: \.value)
    }

    /// What the property's own accessors do.
    override var value: Value {
        get { Observed[_enclosingInstance: object, wrapped: stored, storage: storage] }
        set { Observed[_enclosingInstance: object, wrapped: stored, storage: storage] = newValue }
        _modify { yield &Observed[_enclosingInstance: object, wrapped: stored, storage: storage] }
    }
}
