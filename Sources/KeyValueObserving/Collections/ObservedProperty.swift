// A live view of one property, independent of the type of the object it belongs to.

/// A live view of one observed property: what `person.$age` is.
///
/// It can be passed to code that knows the value's type and not the object's. It keeps the object alive, always reads
/// the current value, and writes like the property itself: observers are notified.
///
/// ```swift
/// func reset(_ counter: ObservedProperty<Int>) { counter.value = 0 }
/// reset(person.$age)
/// ```
///
/// ### Views of collections
///
/// The view of a collection is a collection itself, and its mutating methods report which elements change and where, as
/// the proxies of Cocoa's `mutableArrayValue(forKey:)` do:
///
/// ```swift
/// let token = person.observe(\.tags, options: .new) { _, change in
///     print(change.kind, change.newValue!, change.indexes!)
/// }
/// person.$tags.append("new")          // prints "insertion ["new"] RangeSet(0..<1)"
/// ```
///
/// Each call is one change, with its kind, its positions and the elements concerned; its cost does not depend on
/// the number of other elements. Setting ``value``, or changing it in place, is a change of the whole.
///
/// ### What to know
///
/// A view is as safe to use from several threads as the property is. It writes where the property's value is stored: a
/// `willSet` or `didSet` of the property, or an override of its setter, is not called. A property whose type has no
/// size, such as `Void`, has no view: making one traps.
public struct ObservedProperty<Value> {
    @usableFromInline let reach: PropertyReach<Value>

    init(_ reach: PropertyReach<Value>) {
        self.reach = reach
    }

    @inlinable
    init<Object: KeyValueObservable>(_ object: Object, _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>) {
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
