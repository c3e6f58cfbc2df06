// How changes of elements are made in values of a type.
import KeyValueObserving

/// What is to be known about a type of values to make changes of elements.
struct ElementChanges<Value> {
    /// The number of elements, where they have an order.
    var count: (Value) -> Int? = { _ in nil }
    /// Whether a value has the elements that a change takes away, and a place for those that it brings.
    var fits: (KeyValueObservedChange<Value>, Value) -> Bool = { _, _ in false }
    /// The elements of a value that a change concerns, for a message.
    var concerned: (KeyValueObservedChange<Value>, Value) -> Any = { $1 }
    /// Makes a change in a copy.
    var makeInCopy: (KeyValueObservedChange<Value>, inout Value) -> Void = { $1 = $0.requiredNewValue }
    /// Makes a change in a property.
    var make: (KeyValueObservedChange<Value>, ObservedMutableProperty<Value>) -> Void = { $1.apply($0) }

    /// Finds out about a type: whether it is an array, a set or a dictionary, or like one.
    static func find() -> Self {
        let candidates: [Any.Type] = [ObservedMutableProperty<Value>.self, Value.self]
        for candidate in candidates {
            if let type = candidate as? any OrderedChanges.Type, let found = type.orderedChanges as? Self {
                return found
            }
            if let type = candidate as? any MemberChanges.Type, let found = type.memberChanges as? Self { return found }
            if let type = candidate as? any EntryChanges.Type, let found = type.entryChanges as? Self { return found }
        }
        return Self()
    }
}

/// The view of a property whose elements have positions.
private protocol OrderedChanges {
    /// An `ElementChanges` of its values.
    static var orderedChanges: Any { get }
}

extension ObservedMutableProperty: OrderedChanges
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    fileprivate static var orderedChanges: Any {
        func elements(_ change: KeyValueObservedChange<Value>, _ value: Value) -> [Value.Element]? {
            let indexes = change.indexes ?? RangeSet()
            guard indexes.ranges.allSatisfy({ $0.lowerBound >= value.startIndex && $0.upperBound <= value.endIndex })
            else { return nil }
            return indexes.ranges.joined().map { value[$0] }
        }
        return ElementChanges<Value>(
            count: { $0.count },
            fits: { change, value in
                let places = change.indexes?.ranges.reduce(0) { $0 + $1.count } ?? 0
                guard change.kind == .removal || change.newValue?.count == places else { return false }
                guard change.kind == .insertion else {
                    guard let old = change.oldValue, let found = elements(change, value) else { return false }
                    return SameValue.areSame(found, Array(old))
                }
                let ranges = change.indexes?.ranges
                let count = change.newValue?.count ?? 0
                return (ranges?.first?.lowerBound ?? 0) >= value.startIndex
                    && (ranges?.last?.upperBound ?? 0) <= value.endIndex + count
            },
            concerned: { change, value in
                if let found = elements(change, value) { return found }
                return value
            },
            makeInCopy: { $0.apply(to: &$1) },
            make: { $1.apply($0) })
    }
}

/// The view of a property whose elements are the members of a set.
private protocol MemberChanges {
    /// An `ElementChanges` of its values.
    static var memberChanges: Any { get }
}

extension ObservedMutableProperty: MemberChanges
where Value: SetAlgebra & Collection, Value.ArrayLiteralElement == Value.Element {
    fileprivate static var memberChanges: Any {
        ElementChanges<Value>(
            fits: { change, value in
                (change.kind == .insertion || change.requiredOldValue.isSubset(of: value))
                    && (change.kind == .removal || change.requiredNewValue.isDisjoint(with: value))
            },
            makeInCopy: { $0.apply(to: &$1) },
            make: { $1.apply($0) })
    }
}

/// A dictionary.
private protocol EntryChanges {
    /// An `ElementChanges` of the type.
    static var entryChanges: Any { get }
}

extension Dictionary: EntryChanges {
    fileprivate static var entryChanges: Any {
        ElementChanges<Self>(
            fits: { change, value in
                let old = change.oldValue ?? [:]
                let areThere = old.allSatisfy { key, entry in value[key].map { SameValue.areSame($0, entry) } ?? false }
                let new = change.newValue ?? [:]
                return areThere && new.keys.allSatisfy { value[$0] == nil || old[$0] != nil }
            },
            makeInCopy: { $0.apply(to: &$1) },
            make: { $1.apply($0) })
    }
}
