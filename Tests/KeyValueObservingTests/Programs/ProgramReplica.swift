// Copies that are kept by replaying changes.
import KeyValueObserving

/// A copy of an object's collections that is kept by replaying changes.
final class ProgramReplica {
    private(set) var items: [Int]
    private(set) var members: Set<Int>
    /// Whether undoing each change gave what was there before it.
    private(set) var isConsistent = true
    private var tokens: [KeyValueObservation] = []

    init(of object: ProgramObject) {
        items = object.items
        members = object.members
        tokens.append(object.observe(\.items, options: [.old, .new]) { [unowned self] in replay($1) })
        tokens.append(object.observe(\.members, options: [.old, .new]) { [unowned self] in replay($1) })
    }

    private func replay(_ change: KeyValueObservedChange<[Int]>) {
        let before = items
        change.apply(to: &items)
        var undone = items
        change.inverse?.apply(to: &undone)
        isConsistent = isConsistent && (undone == before || change.kind == .setting && change.oldValue == undone)
    }

    private func replay(_ change: KeyValueObservedChange<Set<Int>>) {
        let before = members
        change.apply(to: &members)
        var undone = members
        change.inverse?.apply(to: &undone)
        isConsistent = isConsistent && (undone == before || change.kind == .setting && change.oldValue == undone)
    }
}
