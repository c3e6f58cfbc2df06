// How some elements of a collection change.

/// What a change of elements is, beside the elements.
@usableFromInline
final class Edit {
    @usableFromInline let kind: KeyValueChange
    /// Where, in an ordered collection: the old positions, of an insertion the new ones.
    let positions: Positions?
    /// Of a setting that a transaction made of changes of elements: these, in their order.
    let steps: EditSteps?

    @usableFromInline
    init(_ kind: KeyValueChange, at positions: Positions?) {
        self.kind = kind
        self.positions = positions
        steps = nil
    }

    /// A setting that is made of changes of elements.
    init(settingBy steps: EditSteps) {
        kind = .setting
        positions = nil
        self.steps = steps
    }
}

/// Changes of elements that a transaction made one after the other.
class EditSteps {}

/// Steps as the engine keeps them, without their types.
final class KeptSteps: EditSteps {
    let all: [KeptValues]
    /// Whether nothing was set silently between them, as far as their values were asked for.
    let areComplete: Bool

    init(_ all: [KeptValues], complete areComplete: Bool) { (self.all, self.areComplete) = (all, areComplete) }
}

/// Steps as a change has them.
final class ChangeSteps<Value>: EditSteps {
    let all: [KeyValueObservedChange<Value>]

    init(_ all: [KeyValueObservedChange<Value>]) { self.all = all }
}

extension Edit {
    /// A copy with the steps that handlers at a call site are called with.
    @usableFromInline
    func typed<Value>(as type: Value.Type, _ site: CallSite) -> Edit {
        guard let steps = steps as? KeptSteps else { return self }
        // A registration that asked for no values gets what was done, whatever others asked for.
        let areDelivered = steps.areComplete || !site.wantsOld && !site.wantsNew
        return Edit(
            settingBy: ChangeSteps(
                (areDelivered ? steps.all : []).map { step in
                    KeyValueObservedChange<Value>(
                        kind: step.edit?.kind ?? .setting,
                        oldValue: site.wantsOld ? step.old?.value(as: type) : nil,
                        newValue: site.wantsNew ? step.new?.value(as: type) : nil, edit: step.edit, isPrior: false,
                        origin: site)
                }))
    }

    /// Whether its steps lead from one value to another.
    @usableFromInline
    func leads<Value>(from old: Value, to new: Value) -> Bool {
        guard let steps = steps as? KeptSteps, let last = steps.all.last else { return true }
        var copy = old
        return steps.all.dropLast().allSatisfy { $0.change(of: Value.self).make(in: &copy) }
            && last.change(of: Value.self).make(in: &copy, leadingTo: new)
    }

    /// A copy with the values of a path that ends at the property.
    func wrapped(by leaf: PathLeaf, _ type: Any.Type) -> Edit {
        guard let steps = steps as? KeptSteps else { return self }
        return Edit(
            settingBy: KeptSteps(steps.all.map { $0.wrapped(by: leaf, type) }, complete: steps.areComplete))
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
