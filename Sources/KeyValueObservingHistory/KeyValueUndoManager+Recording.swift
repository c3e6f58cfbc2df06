// Recording changes as steps.
import KeyValueObserving

/// Which step the next change belongs to.
struct Recording {
    /// What makes changes one step.
    enum Scope: Equatable {
        /// They are made in the same outermost change or transaction.
        case change(UInt64)
        /// They are made in the same group, which is not inside another change.
        case group(Int)
    }

    /// A group that is running, the outermost one.
    private(set) var group: Scope?
    /// The scope of the last step, while changes of it may come.
    private(set) var open: Scope?
    /// How the changes of a scope are called.
    private var name: (scope: Scope, text: String)?
    private var lastGroup = 0
    /// Whether saved steps are being made again.
    var isReplaying = false

    /// The scope of a change that was made.
    func scope(of change: OutermostChange) -> Scope { group ?? .change(change.number) }

    /// Begins a group, which is part of a change under way.
    mutating func beginGroup(in change: OutermostChange?) -> Scope {
        lastGroup += 1
        let scope = change.map { .change($0.number) } ?? Scope.group(lastGroup)
        group = scope
        return scope
    }

    mutating func endGroup() { group = nil }

    /// Names the changes of a scope, unless they have a name.
    mutating func setName(_ text: String, of scope: Scope) {
        if name?.scope != scope { name = (scope, text) }
    }

    mutating func forgetName() { name = nil }

    /// Whether nothing names the changes of a scope.
    func isUnnamed(_ scope: Scope) -> Bool { name?.scope != scope }

    /// Begins a step.
    ///
    /// - Returns: Its name.
    mutating func begin(_ scope: Scope) -> String? {
        open = scope
        return name?.scope == scope ? name?.text : nil
    }

    /// Ends the step: what comes is another one.
    mutating func close() { open = nil }
}

extension KeyValueUndoManager {
    /// Records a change of a tracked property, in the handler that is called for it.
    func record<Object, Value>(
        _ change: KeyValueObservedChange<Value>, of property: TrackedProperty<Object, Value>
    ) {
        if let reversal { return reversal.recorded.append(change, of: property) }
        guard let outermost = OutermostChange.current else { return }
        let scope = recording.scope(of: outermost)
        if recording.open == scope, let step = undoSteps.last {
            step.append(change, of: property)
        } else if let step = stepOfTyping(property, in: scope, outermost) {
            _ = recording.begin(scope)
            step.append(change, of: property)
        } else {
            let step = UndoStep(named: recording.begin(scope))
            if step.name == nil, !outermost.isTransaction, case .change = scope { beginTyping(property, step) }
            step.append(change, of: property)
            undoSteps.append(step)
        }
        redoSteps = []
        trim()
        announce()
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
    /// Observers are notified at each change, as without a group; use `withKeyValueTransaction` to have them wait. A
    /// group inside another one, inside a transaction or inside a handler belongs to the step around it, and names it unless it has a
    /// name. A group that changes nothing tracked is no step. What handlers change that are called for earlier changes does not belong
    /// to the group: the deliveries under way on the thread are completed first.
    ///
    /// - Parameters:
    ///   - name: How the step is called, for ``undoActionName``.
    ///   - body: Makes changes.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; what it changed is a step nevertheless.
    @discardableResult
    public func group<Result, Failure: Error>(
        named name: String? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        Delivery.completeAll()
        let outer = recording.group
        let scope = outer ?? recording.beginGroup(in: OutermostChange.current)
        defer { if outer == nil { recording.endGroup() } }
        if let name {
            recording.setName(name, of: scope)
            if recording.open == scope, let step = undoSteps.last, step.name == nil {
                step.name = name
                announce()
            }
        }
        return try body()
    }

    /// Runs `body`, whose changes are not recorded.
    ///
    /// That are the changes `body` makes on this thread, with those of their handlers. A recorded step that changed the same property
    /// can then be undone only when the property has its value again.
    ///
    /// - Parameter body: Makes changes.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    public func withoutRecording<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try kvo.ignoringChanges(body)
    }
}
