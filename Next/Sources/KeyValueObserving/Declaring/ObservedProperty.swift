// A live view through which a property is read, independent of the type of the object it belongs to.

/// A live view of one observed property that cannot change it: what `person.$age` is.
///
/// It can be passed to code that knows the value's type and not the object's. It keeps the object alive, and always
/// reads the current value.
///
/// ```swift
/// func show(_ count: ObservedProperty<Int>) { print(count.value) }
/// show(person.$age)
/// ```
///
/// The view of a collection is a collection. A getter that reads the property through a view depends on it, as if it read
/// the property itself.
///
/// `$age` can be used wherever `age` can be read, also where its setter is private. To change a property through a view,
/// ask the object for one: ``KeyValueObservable/mutable(_:)``. That takes a key path that can be written.
///
/// ### What to know
///
/// A view is as safe to use from several threads as the property is. It reads what is stored: an override of the getter
/// is not called. A property whose type has no size, such as `Void`, has no view: making one traps.
public struct ObservedProperty<Value> {
    private let reach: PropertyReach<Value>

    @usableFromInline
    init<Object: KeyValueObservable>(_ object: Object, _ storage: ReferenceWritableKeyPath<Object, Observed<Value>>) {
        if MemoryLayout<Value>.size == 0 {
            // Not a precondition, whose sentence an optimized build leaves out.
            fatalError(
                "A property of type \(Value.self) has no view, for its storage has no place. Use the property itself.")
        }
        reach = StorageReach.of(object, storage)
    }

    @usableFromInline
    init<Object: KeyValueObservable>(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, ObservedShared<Value>>
    ) where Value: Sendable {
        reach = SharedReach(object: object, storage: storage, property: nil)
    }

    /// The property's value.
    public var value: Value { reach.value }
}

extension ObservedProperty: CustomStringConvertible {
    /// The current value's description.
    public var description: String { String(describing: value) }
}

extension ObservedProperty: Sequence where Value: Sequence {
    /// Goes through the elements as they are now; what changes while it does is not seen.
    public func makeIterator() -> Value.Iterator { value.makeIterator() }

    /// That of the current value.
    public var underestimatedCount: Int { value.underestimatedCount }
}

extension ObservedProperty: Collection where Value: Collection {
    /// The position of the first element.
    public var startIndex: Value.Index { value.startIndex }

    /// The position after the last element.
    public var endIndex: Value.Index { value.endIndex }

    /// The positions there are now.
    public var indices: Value.Indices { value.indices }

    /// The element at a position, as it is now.
    public subscript(position: Value.Index) -> Value.Element { value[position] }

    /// The position after another one.
    public func index(after index: Value.Index) -> Value.Index { value.index(after: index) }

    /// The position a number of elements further on.
    public func index(_ index: Value.Index, offsetBy distance: Int) -> Value.Index {
        value.index(index, offsetBy: distance)
    }

    /// How many elements lie between two positions.
    public func distance(from start: Value.Index, to end: Value.Index) -> Int { value.distance(from: start, to: end) }

    /// The number of elements now.
    public var count: Int { value.count }

    /// Whether there are no elements now.
    public var isEmpty: Bool { value.isEmpty }
}

extension ObservedProperty: BidirectionalCollection where Value: BidirectionalCollection {
    /// The position before another one.
    public func index(before index: Value.Index) -> Value.Index { value.index(before: index) }
}

extension ObservedProperty: RandomAccessCollection where Value: RandomAccessCollection {}
