// The changes of one property in a step.
import KeyValueObserving

/// The changes of one property in a step, in their order.
struct StepChanges<Value> {
    private(set) var list: [KeyValueObservedChange<Value>] = []
    /// The number of elements after the last change, if it is a change of elements in order.
    private(set) var count: Int?
    /// The number of changes at the last comparison of the values before and after them.
    private var comparedCount = 0

    init(_ list: [KeyValueObservedChange<Value>] = [], count: Int? = nil) {
        self.list = list
        self.count = count
    }

    /// Adds a change unless it changes nothing; consecutive settings are one.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - count: The number of elements after it, if it is a change of elements in order.
    mutating func append(_ change: KeyValueObservedChange<Value>, count: Int?) {
        var change = change
        if change.kind == .setting, let last = list.last, last.kind == .setting {
            list.removeLast()
            change = KeyValueObservedChange(
                kind: .setting, oldValue: last.oldValue, newValue: change.newValue, keyPath: change.keyPath)
        }
        let isReplacement = change.kind == .setting || change.kind == .replacement
        if !isReplacement || !SameValue.isUnchanged(change.requiredOldValue, change.requiredNewValue) {
            list.append(change)
        }
        self.count = list.isEmpty ? nil : count
    }

    /// Whether to compare the values, because the changes may lead back to the value before them.
    ///
    /// While further changes may come, it returns true each time their number has doubled, because a comparison takes
    /// time for all elements.
    mutating func isToBeCompared(isComplete: Bool) -> Bool {
        guard list.count > 1, list.count >= (isComplete ? comparedCount + 1 : comparedCount * 2) else { return false }
        comparedCount = list.count
        return true
    }

    /// The inverse changes, in the order to apply them.
    var inverses: [KeyValueObservedChange<Value>] { list.reversed().compactMap(\.inverse) }

    mutating func invert(_ number: (Value) -> Int?) {
        var before = list.contains { $0.kind == .setting } ? nil : count
        for change in list {
            if change.kind == .insertion { before? -= change.newValue.flatMap(number) ?? 0 }
            if change.kind == .removal { before? += change.oldValue.flatMap(number) ?? 0 }
        }
        self = Self(inverses, count: before)
    }
}
