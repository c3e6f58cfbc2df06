// Undoing and redoing.
import KeyValueObserving

extension KeyValueUndoManager {
    /// Undoes the last step.
    ///
    /// The inverse changes are made in one transaction, so observers are notified when all of them have been made. Then
    /// the properties of the step have the values that they had before it: properties that a `didSet` or a handler set
    /// to other values are set again. If there is nothing to undo, nothing happens. That is also the case after
    /// ``stopTracking(_:)``, which forgets the recorded changes. Inside a handler, earlier changes are delivered to all
    /// other observers first, and the change that is being delivered is undone, too.
    ///
    /// - Returns: Whether there was a step to undo.
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed: a property does not have the value that the
    ///   step left, or the call is made inside a transaction, a group, ``undo()`` or ``redo()``. Objects are compared
    ///   by identity; values that are neither `Equatable` nor made of such values cannot be found to differ.
    /// - Complexity: O(*n*), where *n* is the number of elements of the properties concerned.
    @discardableResult
    public func undo() throws(KeyValueUndoError) -> Bool {
        try revert(isUndo: true)
    }

    /// Redoes the step that was undone last.
    ///
    /// Everything that ``undo()`` says also holds for this method.
    ///
    /// - Returns: Whether there was a step to redo.
    /// - Throws: A ``KeyValueUndoError``, after which nothing has changed; see ``undo()``.
    @discardableResult
    public func redo() throws(KeyValueUndoError) -> Bool {
        try revert(isUndo: false)
    }

    private func revert(isUndo: Bool) throws(KeyValueUndoError) -> Bool {
        try checkIsFree()
        Delivery.completeAll()
        recording.close()
        self[keyPath: Self.steps(isUndo)].dropVoidEnd()
        announce()
        let hasReverted = try revertLast(isUndo: isUndo)
        trim()
        announce()
        return hasReverted
    }

    /// Reverts the last step that can be undone or redone, and adds its inverse to the other list.
    ///
    /// Further changes by handlers are part of the inverse, and of the step that is now the last one. Both lists thus
    /// stay paths from one state to the next, whatever handlers change.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func revertLast(isUndo: Bool) throws(KeyValueUndoError) -> Bool {
        let (steps, others) = (Self.steps(isUndo), Self.steps(!isUndo))
        guard let step = self[keyPath: steps].last else { return false }
        var copies = ValueCopies()
        try step.rehearse(in: &copies)
        self[keyPath: steps].removeLast()
        let recorded = UndoStep()
        reversal = Reversal(isUndo: isUndo, recorded: recorded)
        step.revert(to: copies)
        let isDropped = reversal?.isDropped ?? false
        reversal = nil
        if isDropped { return true }
        step.invert()
        step.append(recorded, beyond: copies)
        self[keyPath: steps].last?.append(recorded, beyond: copies)
        self[keyPath: steps].removeDeadEnd()
        self[keyPath: others].append(step)
        undoSteps.last?.typing = nil
        return true
    }

    private static func steps(_ isUndo: Bool) -> ReferenceWritableKeyPath<KeyValueUndoManager, [UndoStep]> {
        isUndo ? \.undoSteps : \.redoSteps
    }

    /// Throws if steps cannot be reverted or recorded now.
    func checkIsFree() throws(KeyValueUndoError) {
        let reason: String? =
            if reversal != nil {
                "inside undo(), redo(), restore(_:) or replay(_:), by a handler that is called for what they change"
            } else if recording.groupCount > 0 {
                "inside a group, which is not a step yet"
            } else if Delivery.Outermost.isInTransaction {
                "inside a transaction, which is not a step yet"
            } else { nil }
        if let reason { throw KeyValueUndoError(underWay: reason) }
    }
}
