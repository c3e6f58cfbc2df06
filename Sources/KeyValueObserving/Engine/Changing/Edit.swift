// How some elements of a collection change.

/// What a change of elements is, beside the elements.
@usableFromInline
final class Edit {
    @usableFromInline let kind: KeyValueChange
    /// Where, in an ordered collection: the old positions, of an insertion the new ones.
    let positions: Positions?

    @usableFromInline
    init(_ kind: KeyValueChange, at positions: Positions?) {
        self.kind = kind
        self.positions = positions
    }
}

/// A change of elements that a view is asked to make: what observers are notified of, and what it brings.
@usableFromInline
struct PlannedEdit<Value> {
    @usableFromInline let kind: KeyValueChange
    @usableFromInline let positions: Positions?
    /// The elements that are inserted or take the place of others.
    @usableFromInline let elements: Value?

    @inlinable
    init(_ kind: KeyValueChange, at positions: Positions?, with elements: Value?) {
        self.kind = kind
        self.positions = positions
        self.elements = elements
    }
}

/// Whether two values have the same representation, as copies of one value have.
///
/// For a collection that is a comparison of where its elements are, whatever their number. Where only padding differs
/// the answer is no, which is the careful one.
func isSameCopy<Value>(_ left: Value, _ right: Value) -> Bool {
    unsafe withUnsafeBytes(of: left) { left in
        unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
    }
}

/// Some positions in an ordered collection, in ascending order.
///
/// Most changes concern one range, which needs no memory of its own.
@usableFromInline
enum Positions {
    case range(Range<Int>)
    case ranges(PositionSet)

    @inlinable
    static func set(_ positions: RangeSet<Int>) -> Positions { .ranges(PositionSet(positions)) }

    /// How many there are, or `Int.max` if there are more than that.
    @inlinable
    var count: Int {
        switch self {
        case .range(let range): range.count
        case .ranges(let positions):
            positions.set.ranges.reduce(0) { sum, range in
                let (count, isMore) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
                let (total, areMore) = sum.addingReportingOverflow(count)
                return isMore || areMore ? .max : total
            }
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
