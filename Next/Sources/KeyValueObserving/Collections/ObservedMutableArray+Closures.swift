// What closures of the caller find in the array that a view changes.

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// What a closure of the caller finds in the array, and the array that it found it in.
    ///
    /// A closure that changes the array is called again with what is there then.
    @inlinable
    func settled<Result>(_ body: (Value) throws -> Result) rethrows -> (value: Value, result: Result) {
        for _ in 0..<100 {
            let value = reach.current
            let result = try body(value)
            if isUnchanged(value) { return (value, result) }
        }
        Self.trapUnsettled()
    }

    /// Whether the array is now what it was.
    @usableFromInline
    func isUnchanged(_ before: Value) -> Bool {
        let now = reach.current
        guard reach.stored == nil else { return isSameCopy(before, now) }
        // What a getter makes is another copy each time, and may have other elements each time.
        return areAlike(before, now) || before.count == now.count && !areAlike(now, reach.current)
    }

    /// Whether two arrays are equal, as far as their elements can be compared.
    private func areAlike(_ left: Value, _ right: Value) -> Bool {
        areEqual(left, right)
            ?? (left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) ?? true })
    }

    @usableFromInline
    static func trapUnsettled() -> Never {
        fatalError("A closure changes the observed array that it is asked about each time it is called.")
    }
}

/// Whether two values are equal; nil if the first has no `==`.
func areEqual<Value>(_ left: Value, _ right: Value) -> Bool? {
    func isEqual<Left: Equatable>(_ left: Left) -> Bool { (right as? Left).map { left == $0 } ?? false }
    return (left as? any Equatable).map { isEqual($0) }
}
