// Copies that are kept by replaying changes.
import KeyValueObserving

/// A copy of an object's collections that is kept by replaying changes.
final class ProgramReplica {
    private(set) var items: [Int]
    private(set) var members: Set<Int>
    /// Whether what left was always what was there.
    private(set) var isConsistent = true
    private var tokens: [KeyValueObservation] = []

    init(of object: ProgramObject) {
        items = object.items
        members = object.members
        tokens.append(object.observe(\.items, options: [.old, .new]) { [unowned self] in replay($1) })
        tokens.append(object.observe(\.members, options: [.old, .new]) { [unowned self] in replay($1) })
    }

    private func replay(_ change: KeyValueObservedChange<[Int]>) {
        let positions = change.indexes.map { Array($0.ranges.joined()) } ?? []
        switch change.kind {
        case .setting: items = change.newValue ?? []
        case .insertion:
            for (position, item) in zip(positions, change.newValue ?? []) { items.insert(item, at: position) }
        case .removal:
            isConsistent = isConsistent && change.oldValue == positions.map { items[$0] }
            for position in positions.reversed() { items.remove(at: position) }
        case .replacement:
            isConsistent = isConsistent && change.oldValue == positions.map { items[$0] }
            let new = change.newValue ?? []
            if new.count == positions.count {
                for (position, item) in zip(positions, new) { items[position] = item }
            } else {
                items.replaceSubrange(positions[0]...positions[positions.count - 1], with: new)
            }
        }
    }

    private func replay(_ change: KeyValueObservedChange<Set<Int>>) {
        switch change.kind {
        case .setting: members = change.newValue ?? []
        case .insertion, .removal, .replacement:
            let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
            isConsistent = isConsistent && old.isSubset(of: members) && members.isDisjoint(with: new)
            members = members.subtracting(old).union(new)
        }
    }
}
