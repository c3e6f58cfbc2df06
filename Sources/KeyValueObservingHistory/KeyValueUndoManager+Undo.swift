// Undoing and redoing.
import KeyValueObserving

extension KeyValueUndoManager {
    /// Takes the last step back.
    ///
    /// The inverse changes are made in one transaction, so observers are notified when all of them have been made. If there is
    /// nothing to undo, nothing happens. Inside a handler, the deliveries under way on the thread are completed first, and
    /// the change that is being delivered is part of what is undone.
    ///
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed: a property does not have the value that the step
    ///   left, or the call is made inside a transaction, a group, ``undo()`` or ``redo()``. Objects are compared by
    ///   identity; of values that are not `Equatable` nor made of such values it cannot be told that they differ.
    /// - Complexity: O(*n*), where *n* is the number of elements of the properties concerned.
    public func undo() throws(KeyValueUndoError) {
        try revert(\.undoSteps, .undoing, to: \.redoSteps)
    }

    /// Makes the changes again that were undone last.
    ///
    /// All that ``undo()`` says holds for it.
    ///
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed; see ``undo()``.
    public func redo() throws(KeyValueUndoError) {
        try revert(\.redoSteps, .redoing, to: \.undoSteps)
    }

    private func revert(
        _ steps: ReferenceWritableKeyPath<KeyValueUndoManager, [UndoStep]>, _ direction: Reversal.Direction,
        to others: ReferenceWritableKeyPath<KeyValueUndoManager, [UndoStep]>
    ) throws(KeyValueUndoError) {
        try checkIsFree()
        Delivery.completeAll()
        recording.close()
        announce()
        try revertLast(steps, direction, to: others)
        trim()
        announce()
    }

    /// Takes the last of some steps back, and adds what takes that back to others.
    func revertLast(
        _ steps: ReferenceWritableKeyPath<KeyValueUndoManager, [UndoStep]>, _ direction: Reversal.Direction,
        to others: ReferenceWritableKeyPath<KeyValueUndoManager, [UndoStep]>
    ) throws(KeyValueUndoError) {
        guard let step = self[keyPath: steps].last else { return }
        try step.checkReversal()
        self[keyPath: steps].removeLast()
        let recorded = UndoStep(named: step.name)
        reversal = Reversal(direction: direction, recorded: recorded)
        withKeyValueTransaction { step.revert() }
        let isDropped = reversal?.isDropped ?? false
        reversal = nil
        if !recorded.isEmpty, !isDropped { self[keyPath: others].append(recorded) }
    }

    /// Throws if steps cannot be taken back or made now.
    func checkIsFree() throws(KeyValueUndoError) {
        let reason: String? =
            if reversal != nil {
                "inside undo() or redo(), by a handler that is called for what they change"
            } else if recording.isReplaying {
                "inside replay(_:), by a handler that is called for what it changes"
            } else if recording.group != nil {
                "inside a group, which is not a step yet"
            } else if OutermostChange.isInTransaction {
                "inside a transaction, which is not a step yet"
            } else { nil }
        if let reason { throw KeyValueUndoError(underWay: reason) }
    }
}
