// Copies that are kept by replaying changes.
import KeyValueObserving

/// A copy of an object's collections that is kept by replaying changes.
final class ProgramReplica {
    private var items: [Int]
    private var members: Set<Int>
    /// Whether undoing each change gave what was there before it.
    private var isConsistent = true
    private var tokens: [KeyValueObservation] = []
    private let areEqual: (_ items: [Int], _ members: Set<Int>) -> Bool

    init<Object: KeyValueObservable>(
        of object: Object, items: KeyPath<Object, [Int]>, members: KeyPath<Object, Set<Int>>
    ) {
        self.items = object[keyPath: items]
        self.members = object[keyPath: members]
        areEqual = { $0 == object[keyPath: items] && $1 == object[keyPath: members] }
        tokens.append(object.observe(items, options: [.old, .new]) { [unowned self] in replay($1) })
        tokens.append(object.observe(members, options: [.old, .new]) { [unowned self] in replay($1) })
    }

    /// Whether the copy is what the object has.
    var isCurrent: Bool { areEqual(items, members) && isConsistent }

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
