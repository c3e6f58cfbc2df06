// How the view of an array makes all its changes.

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Makes one change, unless it concerns no element; traps before anything is delivered if a position is not one.
    ///
    /// - Parameters:
    ///   - kind: Insertion, removal or replacement.
    ///   - positions: Old positions, for an insertion new ones.
    ///   - elements: The new elements, as many as positions.
    ///   - bounds: The positions that the array has now, if the caller looked.
    ///   - otherwise: Makes the change if a prior handler has changed the array. By default what stands at the
    ///     positions that the array still has is changed.
    @inlinable
    func change(
        _ kind: KeyValueChange, at positions: Positions, to elements: Value = Value(), in bounds: Range<Int>? = nil,
        otherwise: ((inout Value) -> Void)? = nil
    ) {
        let bounds = bounds ?? currentBounds
        check(kind, at: positions, count: elements.count, bounds)
        guard positions.count > 0 else { return }
        reach.makeChange(
            ElementsEdit(kind, at: positions, with: kind == .removal ? nil : elements),
            old: { kind == .insertion ? nil : Self.elements(of: $0, at: positions) },
            apply: { value, mode in
                switch mode {
                case .asPlanned: Self.apply(kind, to: &value, at: positions, elements)
                case .wherePossible:
                    if let otherwise { return otherwise(&value) }
                    Self.applyWherePossible(kind, to: &value, at: positions, elements, plannedFor: bounds)
                }
            })
    }

    @inlinable
    static func apply(_ kind: KeyValueChange, to value: inout Value, at positions: Positions, _ elements: Value) {
        switch positions {
        case .range(let range):
            value.replaceSubrange(kind == .insertion ? range.lowerBound..<range.lowerBound : range, with: elements)
        case .ranges(let positions):
            let set = positions.set
            switch kind {
            case .insertion: value.insert(elements, standingAt: set)
            case .removal: value.removeSubranges(set)
            default: for (position, element) in zip(set.ranges.joined(), elements) { value[position] = element }
            }
        }
    }

    /// Makes a change of an array that is not the one it was meant for.
    @usableFromInline
    static func applyWherePossible(
        _ kind: KeyValueChange, to value: inout Value, at positions: Positions, _ elements: Value,
        plannedFor planned: Range<Int>
    ) {
        let bounds = value.startIndex..<value.endIndex
        switch (kind, positions) {
        case (.insertion, .range(let range)):
            // What was to be appended is appended.
            let start = range.lowerBound == planned.upperBound ? bounds.upperBound : range.lowerBound
            value.insert(contentsOf: elements, at: Swift.min(start, bounds.upperBound))
        case (.insertion, .ranges(let positions)):
            value.insert(elements, standingAt: positions.set)
        case (.removal, _):
            value.removeSubranges(positions.indexes.intersection(RangeSet(bounds)))
        default:
            for (position, element) in zip(positions.indexes.ranges.joined(), elements) where bounds.contains(position)
            {
                value[position] = element
            }
        }
    }

    /// The positions that the array has now, for a change that is about to be made.
    @inlinable
    var currentBounds: Range<Int> {
        if let bounds = reach.withStored({ $0.startIndex..<$0.endIndex }) { return bounds }
        if let converted = reach.converted { return 0..<converted.currentCount }
        let value = reach.current
        return value.startIndex..<value.endIndex
    }

    /// The positions that a range expression stands for; traps if they cannot be those of elements.
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
            // A range expression only asks for the ends.
            return range.relative(to: bounds)
        }
    }

    /// A number of positions from one on; traps if there are none.
    @inlinable
    func positions(from start: Int, count: Int) -> Range<Int> {
        let (end, overflows) = start.addingReportingOverflow(count)
        if count < 0 || overflows { trap(overflows ? start : end, currentBounds) }
        return start..<end
    }

    /// The elements at positions now, for a change that is about to be made.
    @inlinable
    func currentElements(at positions: Positions) -> Value {
        if let elements = reach.converted?.currentElements(at: positions) as? Value { return elements }
        return Self.elements(of: reach.current, at: positions)
    }

    /// The elements at positions, as a collection of the same type.
    @inlinable
    static func elements(of value: Value, at positions: Positions) -> Value {
        switch positions {
        case .range(let range): Value(value[range])
        case .ranges(let positions): Value(value[positions.set])
        }
    }

    // MARK: Checks, before anything is delivered

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
                // It lies at the end at most, and so does what follows it.
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
            "Index \(position) is out of range of \(reach.name), whose indices are \(bounds). Nothing was changed.")
    }

    @usableFromInline
    func trapCount(_ positions: Int, _ elements: Int) -> Never {
        fatalError(
            "\(elements) elements were given for \(positions) positions of \(reach.name). Give as many of both.")
    }
}
