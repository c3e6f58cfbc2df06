// Changes of elements at several positions, each in one pass.

extension RangeReplaceableCollection where Self: RandomAccessCollection, Index == Int {
    /// Inserts elements so that they are at positions afterwards, or at the end if that comes first.
    ///
    /// Linear in the number of elements from the first position on.
    @inlinable
    mutating func insert(_ elements: Self, standingAt positions: RangeSet<Int>) {
        guard let first = positions.ranges.first else { return }
        let start = Swift.min(first.lowerBound, endIndex)
        var (merged, end, rest) = ([Element](), start, elements[...])
        for range in positions.ranges {
            // The elements before the range are merged already.
            let gap = range.lowerBound - start - merged.count
            let next = Swift.min(end + Swift.max(gap, 0), endIndex)
            merged += self[end..<next]
            end = next
            merged += rest.prefix(range.count)
            rest = rest.dropFirst(range.count)
        }
        replaceSubrange(start..<end, with: merged)
    }

    /// Removes the elements at positions; the others keep where the collection's positions begin.
    ///
    /// Linear in the number of elements from the first position on. (`removeSubranges(_:)` makes another collection.)
    mutating func remove(standingAt positions: RangeSet<Int>) {
        guard let first = positions.ranges.first, let last = positions.ranges.last else { return }
        let range = first.lowerBound..<last.upperBound
        var kept: [Element] = []
        for gap in RangeSet(range).subtracting(positions).ranges { kept += self[gap] }
        replaceSubrange(range, with: kept)
    }
}
