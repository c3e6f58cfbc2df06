// What closures of the caller find in the array that a view changes.

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// What a closure of the caller finds in the array, and the array that it found it in.
    ///
    /// A closure that changes the array traps, as it does where an array is sorted in place.
    @inlinable
    func snapshot<Result>(_ body: (Value) throws -> Result) rethrows -> (value: Value, result: Result) {
        let value = reach.current
        let result = try body(value)
        if !isUnchanged(value) { trapChanged() }
        return (value, result)
    }

    /// Whether the array is now what it was, as far as that is known: what a getter makes is another copy each time.
    @usableFromInline
    func isUnchanged(_ before: Value) -> Bool { reach.stored == nil || isSameCopy(before, reach.current) }

    @usableFromInline
    func trapChanged() -> Never {
        fatalError(
            "A closure changed \(reach.name), which it was asked about. Change the array before or after the call.")
    }
}

/// Whether two values are equal; nil if the first has no `==`.
func areEqual<Value>(_ left: Value, _ right: Value) -> Bool? {
    func isEqual<Left: Equatable>(_ left: Left) -> Bool { (right as? Left).map { left == $0 } ?? false }
    return (left as? any Equatable).map { isEqual($0) }
}
