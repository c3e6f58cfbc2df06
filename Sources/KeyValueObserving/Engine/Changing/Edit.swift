// Changes of some elements of a collection.

/// The kind, positions and steps of a change, without the elements.
@usableFromInline
final class Edit {
    @usableFromInline let kind: KeyValueChange
    /// The positions in an ordered collection: the old ones; for an insertion, the new ones.
    let positions: Positions?
    /// The changes of elements that a transaction combined into a setting, in their order.
    let steps: EditSteps?

    @usableFromInline
    init(_ kind: KeyValueChange, at positions: Positions?) {
        self.kind = kind
        self.positions = positions
        steps = nil
    }

    /// Creates a setting made of changes of elements.
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
    /// Whether the property was not set silently between the steps, as far as their values were requested.
    let areComplete: Bool

    init(_ all: [KeptValues], complete areComplete: Bool) { (self.all, self.areComplete) = (all, areComplete) }
}

/// Steps with types, as a change carries them.
final class ChangeSteps<Value>: EditSteps {
    let all: [KeyValueObservedChange<Value>]

    init(_ all: [KeyValueObservedChange<Value>]) { self.all = all }
}

extension Edit {
    /// A copy with the steps that the handlers of a call site receive.
    @usableFromInline
    func typed<Value>(as type: Value.Type, _ site: CallSite) -> Edit {
        guard let steps = steps as? KeptSteps else { return self }
        // A registration that requested no values receives the steps, whatever other registrations requested.
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

    /// Whether the steps lead from one value to another.
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

/// A change of elements that a view is about to make: the edit delivered to observers, and the new elements.
@usableFromInline
struct PlannedEdit<Value> {
    @usableFromInline let kind: KeyValueChange
    @usableFromInline let positions: Positions?
    /// The elements that are inserted or replace others.
    @usableFromInline let elements: Value?

    @inlinable
    init(_ kind: KeyValueChange, at positions: Positions?, with elements: Value?) {
        self.kind = kind
        self.positions = positions
        self.elements = elements
    }
}

/// Whether two values have the same representation, as copies of one value do.
///
/// For a collection, this compares the addresses of the elements, whatever their number. If only padding differs, the
/// answer is no, which is the safe one.
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

    /// The number of positions, or `Int.max` if there are more.
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

    /// The positions as changes carry them.
    @usableFromInline var indexes: RangeSet<Int> {
        switch self {
        case .range(let range): RangeSet(range)
        case .ranges(let positions): positions.set
        }
    }
}

/// Positions that are not one range.
///
/// An object, because the size of a range set, and thus that of any type containing one, is known only at run time.
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
