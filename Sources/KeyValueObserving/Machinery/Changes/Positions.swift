// Positions in an ordered collection.

/// Some positions in an ordered collection, in ascending order.
///
/// Most changes concern one range, which needs no memory of its own.
@usableFromInline
enum Positions {
    case range(Range<Int>)
    case set(RangeSet<Int>)

    /// How many there are.
    @inlinable
    var count: Int {
        switch self {
        case .range(let range): range.count
        case .set(let set): set.ranges.reduce(0) { $0 + $1.count }
        }
    }

    /// As changes tell them.
    @usableFromInline var indexes: RangeSet<Int> {
        switch self {
        case .range(let range): RangeSet(range)
        case .set(let set): set
        }
    }
}
