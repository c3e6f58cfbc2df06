// Applying changes of elements to values of a type.
import KeyValueObserving

/// The functions of a type that apply changes of elements.
struct ElementChanges<Value> {
    /// The number of elements, if they have an order.
    var count: (Value) -> Int? = { _ in nil }
    /// A value with these elements; nil if they are of another type, or a value is not made of elements.
    var whole: ([Any]) -> Value? = { _ in nil }
    /// The part of a value that does not match the removed elements and the positions of a change; nil if all match.
    var mismatch: (KeyValueObservedChange<Value>, Value) -> Any? = { $1 }
    /// Makes a change in a copy.
    var makeInCopy: (KeyValueObservedChange<Value>, inout Value) -> Void = { $1 = $0.requiredNewValue }
    /// Makes a change in a property.
    var make: (KeyValueObservedChange<Value>, ObservedMutableProperty<Value>) -> Void = { $1.apply($0) }

    /// Finds the functions of a type, if it is an array, a set or a dictionary, or like one.
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
        ElementChanges<Value>(
            count: { $0.count },
            whole: { ($0 as? [Value.Element]).map { Value($0) } },
            mismatch: { change, value in
                let ranges = change.indexes?.ranges
                let count = ranges?.reduce(0) { $0 + $1.count } ?? 0
                let end = value.endIndex + (change.kind == .insertion ? count : 0)
                guard change.kind == .removal || change.newValue?.count == count,
                    (ranges?.first?.lowerBound ?? 0) >= value.startIndex, (ranges?.last?.upperBound ?? 0) <= end
                else { return value }
                if change.kind == .insertion { return nil }
                let found = ranges?.joined().map { value[$0] } ?? []
                return SameValue.areSame(found, Array(change.requiredOldValue)) ? nil : found
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
            whole: { ($0 as? [Value.Element]).map { Value($0) } },
            mismatch: { change, value in
                let old = change.kind == .insertion ? [] : change.requiredOldValue
                // A set does not find a member that is not equal to itself.
                let areThere = old.allSatisfy { !old.contains($0) || value.contains($0) }
                let areNew = change.kind == .removal || change.requiredNewValue.isDisjoint(with: value)
                return areThere && areNew ? nil : value
            },
            makeInCopy: { change, copy in
                change.apply(to: &copy)
                // Nor does it remove it, so all such members are removed.
                let old = change.kind == .insertion ? [] : change.requiredOldValue
                if !old.allSatisfy({ old.contains($0) }) { copy = Value(copy.filter { [copy] in copy.contains($0) }) }
            },
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
            mismatch: { change, value in
                let old = change.oldValue ?? [:]
                let areThere = old.allSatisfy { key, entry in
                    value[key].map { SameValue.areSame($0, entry) } ?? (old[key] == nil)
                }
                let areNew = change.newValue?.keys.allSatisfy { value[$0] == nil || old[$0] != nil } ?? true
                return areThere && areNew ? nil : value
            },
            makeInCopy: { $0.apply(to: &$1) },
            make: { $1.apply($0) })
    }
}
