// Mutations of collections by their views, as random programs make them.
import KeyValueObserving

extension ItemsMutation {
    /// Makes the mutation, if it is possible.
    func perform(on items: ObservedMutableArray<Int>) {
        func set(_ positions: [Int]) -> RangeSet<Int> { RangeSet(positions.map { $0..<($0 + 1) }) }
        guard isPossible(with: items.count) else { return }
        switch self {
        case .append(let new): if new.count == 1 { items.append(new[0]) } else { items.append(contentsOf: new) }
        case .insert(let new, let positions): items.insert(contentsOf: new, at: set(positions))
        case .remove(let positions): items.removeSubranges(set(positions))
        case .replace(let positions, let new): items.replaceSubranges(set(positions), with: new)
        case .replaceSubrange(let range, let new): items.replaceSubrange(range, with: new)
        case .move(let positions, let destination): items.moveSubranges(set(positions), to: destination)
        case .swap(let first, let second): items.swapAt(first, second)
        case .sort: items.sort()
        case .reverse: items.reverse()
        case .removeAll: items.removeAll()
        case .removeMultiples(let divisor): items.removeAll { $0.isMultiple(of: divisor) }
        }
    }
}

extension MembersMutation {
    func perform(on members: ObservedMutableSet<Int>) {
        switch self {
        case .insert(let member): members.insert(member)
        case .remove(let member): members.remove(member)
        case .formUnion(let other): members.formUnion(other)
        case .subtract(let other): members.subtract(other)
        case .formIntersection(let other): members.formIntersection(other)
        case .formSymmetricDifference(let other): members.formSymmetricDifference(other)
        case .set(let other): members.set(other)
        case .removeAll: members.removeAll()
        }
    }
}
