// The mutating methods of the view of an array that take several positions.

extension ObservedMutableProperty
where Value: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Inserts elements at the positions that they then have: one insertion, or nothing if there are none.
    ///
    /// As with Foundation's `insert(_:at:)` of a mutable array, the positions are those after the insertion.
    ///
    /// - Parameters:
    ///   - elements: The new elements, in the order of their positions.
    ///   - positions: The positions that they will have.
    /// - Precondition: There are as many elements as positions, and none leaves a gap.
    @inlinable
    public func insert(contentsOf elements: some Collection<Value.Element>, at positions: RangeSet<Int>) {
        asStep {
            change(.insertion, at: .set(positions), to: Value(elements))
        }
    }

    /// Removes the elements at positions: one removal, or nothing if there are none.
    ///
    /// - Precondition: All are positions of elements.
    @inlinable
    public func removeSubranges(_ positions: RangeSet<Int>) {
        asStep {
            change(.removal, at: .set(positions))
        }
    }

    /// Replaces the elements at positions by as many others: one replacement, or nothing if there are none.
    ///
    /// - Parameters:
    ///   - positions: The positions.
    ///   - elements: The new elements, in the order of their positions.
    /// - Precondition: All are positions of elements, and there are as many new elements.
    @inlinable
    public func replaceSubranges(
        _ positions: RangeSet<Int>, with elements: some Collection<Value.Element>
    ) {
        asStep {
            let positions = Positions.set(positions)
            let elements = Value(elements)
            if positions.count != elements.count { trapCount(positions.count, elements.count) }
            change(.replacement, at: positions, to: elements)
        }
    }

    /// Gathers the elements at positions before the one at another, as `moveSubranges(_:to:)` of an array does.
    ///
    /// It is a removal, then an insertion, or nothing if they are there already.
    ///
    /// - Parameters:
    ///   - positions: The elements to move, which keep their order.
    ///   - destination: The position that they move to, counted before the removal.
    /// - Returns: The positions of the moved elements.
    /// - Precondition: All are positions of elements, and the destination is one or the end.
    @inlinable @discardableResult
    public func moveSubranges(_ positions: RangeSet<Int>, to destination: Int) -> Range<Int> {
        asStep {
            let moved = Positions.set(positions)
            let bounds = currentBounds
            check(.removal, at: moved, bounds)
            check(destination..<destination, bounds)
            let before = RangeSet(positions.ranges.map { $0.clamped(to: Int.min..<destination) }.filter { !$0.isEmpty })
            let target = destination - Positions.set(before).count
            // Only one of several ranges can be at the destination; if there is none, all are.
            let isThere = positions.ranges.allSatisfy { $0.lowerBound <= destination && destination <= $0.upperBound }
            guard !isThere else { return target..<(target + moved.count) }

            return asOneChange {
                var elements = currentElements(at: moved)
                change(.removal, at: moved, in: bounds) { value in
                    // The elements at the positions when they are removed move.
                    let there = positions.intersection(RangeSet(value.startIndex..<value.endIndex))
                    elements = Value(value[there])
                    value.removeSubranges(there)
                }
                // A handler called for the removal may have removed more.
                let start = Swift.min(target, currentBounds.upperBound)
                change(.insertion, at: .range(start..<(start + elements.count)), to: elements)
                return start..<(start + elements.count)
            }
        }
    }
}
