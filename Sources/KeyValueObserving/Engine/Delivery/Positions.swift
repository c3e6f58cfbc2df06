// Positions in an ordered collection.

/// Some positions in an ordered collection, in ascending order.
///
/// Most changes concern one range, which needs no memory of its own.
@usableFromInline
enum Positions {
    case range(Range<Int>)
    case ranges(PositionSet)

    @inlinable
    static func set(_ positions: RangeSet<Int>) -> Positions { .ranges(PositionSet(positions)) }

    /// How many there are.
    @inlinable
    var count: Int {
        switch self {
        case .range(let range): range.count
        case .ranges(let positions): positions.set.ranges.reduce(0) { $0 + $1.count }
        }
    }

    /// As changes carry them.
    @usableFromInline var indexes: RangeSet<Int> {
        switch self {
        case .range(let range): RangeSet(range)
        case .ranges(let positions): positions.set
        }
    }
}

/// Positions that are not one range.
///
/// An object, because the size of a range set is known only at run time, and would make that of what holds it unknown.
@usableFromInline
final class PositionSet {
    @usableFromInline let set: RangeSet<Int>

    @usableFromInline
    init(_ set: RangeSet<Int>) {
        self.set = set
    }
}

extension PositionSet: Equatable {
    @usableFromInline
    static func == (left: PositionSet, right: PositionSet) -> Bool { left.set == right.set }
}
