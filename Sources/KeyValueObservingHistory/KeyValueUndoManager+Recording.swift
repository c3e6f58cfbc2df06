// Recording changes as steps.
import KeyValueObserving

/// The step that the next change belongs to.
struct Recording {
    /// The step that changes are added to.
    private(set) var step: UndoStep?
    /// The outermost change that the step belongs to; nil for a group.
    private var change: UInt64?
    /// How many groups are running.
    var groupCount = 0
    /// The functions to call when the groups have ended.
    var endings: [() -> Void] = []
    /// Whether the changes of a transaction are being recorded.
    var isCompleting = false

    /// The step that is open for changes of an outermost change.
    func step(of change: Delivery.Outermost?) -> UndoStep? {
        self.change == nil || self.change == change?.number ? step : nil
    }

    /// Opens a step for an outermost change, or for a group.
    mutating func open(_ step: UndoStep, for change: Delivery.Outermost?) -> UndoStep {
        (self.step, self.change) = (step, change?.number)
        return step
    }

    /// Closes the step, so that the next change begins another one.
    mutating func close() { step = nil }
}

extension KeyValueUndoManager {
    /// Records a change of a tracked property, in the handler that is called for it.
    func record<Object, Value>(
        _ change: KeyValueObservedChange<Value>, of property: TrackedProperty<Object, Value>
    ) {
        if let reversal { return reversal.recorded.append(change, of: property) }
        guard let outermost = Delivery.Outermost.current else { return }
        let step = step(of: property, in: outermost)
        step.append(change, of: property)
        if step.isAlive, undoSteps.last !== step { undoSteps.append(step) }
        guard recording.groupCount == 0, !recording.isCompleting else { return }
        if outermost.isTransaction {
            recording.isCompleting = true
            Delivery.completeAll()
            recording.isCompleting = false
            recording.step?.dropVoid()
        } else {
            property.dropIfVoid(in: step.id, isComplete: false)
        }
        noteChanges()
    }

    /// The step that a change belongs to, by the rule of what one step is.
    ///
    /// One action of the user is a step: the running group, or else the outermost change or transaction, with all
    /// changes that handlers, bindings and groups make inside it. Only changes that are alone are joined by time.
    private func step(of property: some AnyTrackedProperty, in change: Delivery.Outermost) -> UndoStep {
        if let step = recording.step(of: change) { return step }
        guard let span = property.coalescing, !change.isTransaction else {
            return recording.open(UndoStep(), for: change)
        }
        let (id, time, last) = (ObjectIdentifier(property), now(), undoSteps.last)
        let isJoined = last?.typing.map { $0.property == id && time - $0.time <= span } ?? false
        let step = recording.open((isJoined ? last : nil) ?? UndoStep(), for: change)
        step.typing = (id, time)
        return step
    }

    /// Drops the steps that cannot be redone after the changes of the open step, and notifies observers.
    private func noteChanges() {
        if recording.step?.isAlive ?? false { redoSteps = [] }
        trim()
        announce()
    }

    /// Runs `body` when all changes of the step that is being delivered have been recorded.
    func atEndOfStep(_ body: @escaping () -> Void) {
        Delivery.completeAll()
        if recording.groupCount > 0 { recording.endings.append(body) } else { body() }
    }

    /// Runs `body`, and makes one step of all it changes.
    ///
    /// ```swift
    /// let undoManager = KeyValueUndoManager()
    /// undoManager.track(person, \.name, \.tags)
    /// undoManager.group(named: "Paste") {
    ///     person.mutable(\.tags).append(contentsOf: ["a", "b"])
    ///     person.name = "Pasted"
    /// }
    /// ```
    ///
    /// Observers are notified at each change, as without a group; use `withKeyValueTransaction` to make them wait.
    /// Observers of ``canUndo`` and the others are notified when the group ends. A group inside another one, inside a
    /// transaction or inside a handler belongs to the step around it, and names it unless it has a name. Inside a
    /// handler, earlier changes are delivered to all other observers before `body` runs, so changes these observers
    /// make do not belong to the group.
    ///
    /// - Parameters:
    ///   - name: The step's name, for ``undoActionName``.
    ///   - body: Makes changes.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws; its changes are a step nevertheless.
    @discardableResult
    public func group<Result, Failure: Error>(
        named name: String? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        Delivery.completeAll()
        let change = Delivery.Outermost.current
        let step = recording.step(of: change) ?? recording.open(UndoStep(), for: change)
        step.name = step.name ?? name
        recording.groupCount += 1
        defer {
            recording.groupCount -= 1
            if recording.groupCount == 0 {
                let endings = recording.endings
                recording.endings = []
                for ending in endings { ending() }
            }
            if recording.groupCount == 0, !recording.isCompleting {
                step.dropVoid()
                noteChanges()
                if change == nil { recording.close() }
            }
        }
        return try body()
    }

    /// Runs `body` without recording its changes.
    ///
    /// This covers changes that `body` makes on this thread, and changes made by handlers that they trigger. A recorded
    /// step that changed the same property can then be undone only when the property has its value again.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for a message.
    ///   - line: The line of the call.
    ///   - body: Makes changes.
    /// - Precondition: No transaction is open, because its changes would be delivered, and recorded, after `body`. A
    ///   transaction inside `body` is not recorded.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    @discardableResult
    public func withoutRecording<Result, Failure: Error>(
        fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if Delivery.Outermost.isInTransaction {
            fatalError(
                """
                withoutRecording(_:) was called inside a transaction, which delivers all its changes at its end, after that: \
                they would be recorded. Call withKeyValueTransaction(_:) inside withoutRecording(_:).
                """, file: fileID, line: line)
        }
        return try kvo.ignoringChanges(body)
    }
}
