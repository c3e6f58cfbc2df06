// The one function that makes all changes of an array's view.

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Makes one change, unless it concerns no element; traps before any delivery if a position does not exist.
    ///
    /// - Parameters:
    ///   - kind: Insertion, removal or replacement.
    ///   - positions: Old positions, for an insertion new ones.
    ///   - elements: The new elements, as many as positions.
    ///   - bounds: The current positions of the array, if the caller has read them.
    ///   - apply: Makes the change in another way than by positions.
    @inlinable
    func change(
        _ kind: KeyValueChange, at positions: Positions, to elements: Value = Value(), in bounds: Range<Int>? = nil,
        applying apply: ((inout Value) -> Void)? = nil
    ) {
        check(kind, at: positions, count: elements.count, bounds ?? currentBounds)
        guard positions.count > 0 else { return }
        backing.makeChange(
            PlannedEdit(kind, at: positions, with: kind == .removal ? nil : elements),
            old: { kind == .insertion ? nil : Self.elements(of: $0, at: positions) },
            apply: apply ?? { Self.apply(kind, to: &$0, at: positions, elements) })
    }

    /// Makes a change, as far as its positions exist; a handler with `.prior` may have changed the array.
    @inlinable
    static func apply(_ kind: KeyValueChange, to value: inout Value, at positions: Positions, _ elements: Value) {
        let bounds = value.startIndex..<value.endIndex
        switch (positions, kind) {
        case (.range(let range), .insertion):
            let start = Swift.min(range.lowerBound, bounds.upperBound)
            value.replaceSubrange(start..<start, with: elements)
        case (.range(let range), _):
            let there = range.clamped(to: bounds)
            value.replaceSubrange(there, with: there == range ? elements : Value(elements.prefix(there.count)))
        case (.ranges(let positions), .insertion): value.insert(elements, standingAt: positions.set)
        case (.ranges(let positions), .removal): value.removeSubranges(positions.set.intersection(RangeSet(bounds)))
        case (.ranges(let positions), _):
            for (position, element) in zip(positions.set.ranges.joined(), elements) where bounds.contains(position) {
                value[position] = element
            }
        }
    }

    /// The current positions of the array, for a change that is about to be made.
    @inlinable
    var currentBounds: Range<Int> {
        if let bounds = backing.withStored({ $0.startIndex..<$0.endIndex }) { return bounds }
        let value = backing.current
        return value.startIndex..<value.endIndex
    }

    /// The positions of a range expression; traps if they cannot be those of elements.
    ///
    /// The standard library would trap without naming the cause.
    @inlinable
    func relative(_ range: some RangeExpression<Int>) -> Range<Int> {
        let bounds = currentBounds
        switch range {
        case let range as PartialRangeFrom<Int> where range.lowerBound > bounds.upperBound:
            trap(range.lowerBound, bounds)
        case let range as PartialRangeUpTo<Int> where range.upperBound < bounds.lowerBound:
            trap(range.upperBound, bounds)
        case let range as PartialRangeThrough<Int>
        where range.upperBound >= bounds.upperBound || range.upperBound < bounds.lowerBound - 1:
            trap(range.upperBound, bounds)
        case let range as ClosedRange<Int> where range.upperBound >= bounds.upperBound:
            trap(range.upperBound, bounds)
        default:
            // A range expression uses only the ends.
            return range.relative(to: bounds)
        }
    }

    /// A number of positions from a start on; traps if they do not exist.
    @inlinable
    func positions(from start: Int, count: Int) -> Range<Int> {
        let (end, overflows) = start.addingReportingOverflow(count)
        if count < 0 || overflows { trap(overflows ? start : end, currentBounds) }
        return start..<end
    }

    /// The current elements at positions, for a change that is about to be made.
    @inlinable
    func currentElements(at positions: Positions) -> Value {
        Self.elements(of: backing.current, at: positions)
    }

    /// The elements at positions, as a collection of the same type.
    @inlinable
    static func elements(of value: Value, at positions: Positions) -> Value {
        switch positions {
        case .range(let range): Value(value[range])
        case .ranges(let positions): Value(value[positions.set])
        }
    }

    /// The array, and the result of a closure of the caller for it.
    ///
    /// A closure that changes the array traps, as when it sorts an array in place.
    @inlinable
    func snapshot<Result>(_ body: (Value) throws -> Result) rethrows -> (value: Value, result: Result) {
        let value = backing.current
        let result = try body(value)
        checkUnchanged(value)
        return (value, result)
    }

    /// Traps if a closure has changed the array, as far as that is known, because a getter may return another copy each
    /// time.
    @usableFromInline
    func checkUnchanged(_ before: Value) {
        if backing.place == nil || isSameCopy(before, backing.current) { return }
        fatalError(
            "A closure changed \(backing.name), which it was asked about. Change the array before or after the call.")
    }

    // MARK: Checks before any delivery

    /// Traps if a change cannot be made.
    @inlinable
    func check(_ kind: KeyValueChange, at positions: Positions, count: Int? = nil, _ bounds: Range<Int>) {
        switch (kind, positions) {
        case (.insertion, .range(let range)):
            if range.lowerBound < bounds.lowerBound || range.lowerBound > bounds.upperBound {
                trap(range.lowerBound, bounds)
            }
        case (.insertion, .ranges(let ranges)):
            if let count, count != positions.count { trapCount(positions.count, count) }
            var end = bounds.upperBound
            for range in ranges.set.ranges {
                if range.lowerBound < bounds.lowerBound || range.lowerBound > end {
                    trap(range.lowerBound, bounds)
                }
                // The range is at the end at most, as are the ranges after it.
                end += range.count
            }
        case (_, .range(let range)):
            check(range, bounds)
        case (_, .ranges(let ranges)):
            for range in ranges.set.ranges { check(range, bounds) }
        }
    }

    @inlinable
    func check(_ range: Range<Int>, _ bounds: Range<Int>) {
        if range.lowerBound < bounds.lowerBound { trap(range.lowerBound, bounds) }
        if range.upperBound > bounds.upperBound {
            trap(range.isEmpty ? range.upperBound : range.upperBound - 1, bounds)
        }
    }

    @usableFromInline
    func trap(_ position: Int, _ bounds: Range<Int>) -> Never {
        fatalError(
            "Index \(position) is out of range of \(backing.name), whose indices are \(bounds). Nothing was changed.")
    }

    @usableFromInline
    func trapCount(_ positions: Int, _ elements: Int) -> Never {
        fatalError(
            "\(elements) elements were given for \(positions) positions of \(backing.name). Give as many of both.")
    }
}
