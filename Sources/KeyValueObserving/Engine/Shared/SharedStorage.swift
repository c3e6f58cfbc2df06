// Where a property is stored that several threads change.
public import Synchronization

/// The value of a shared property, and the changes of it that wait for their delivery.
///
/// There are two values. What is stored is what everybody reads. What is *delivered* is the value up to which observers
/// have been notified: the one before the first change that waits. The library reads that one when it evaluates paths and
/// computed properties, so the old and new values that they see form one chain, whatever other threads store meanwhile.
///
/// The thread that stores while nobody delivers becomes the deliverer. Others leave their changes to it. It takes
/// them one after the other, and lets go when none is left.
///
/// The lock guards the value and the changes. It is held while the value is accessed in place, and so while code of the
/// user runs; for that code it is a lock of its own. The library takes no other lock under it, and never takes it under
/// another one.
@usableFromInline
final class SharedStorage<Value>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    /// The thread that accesses the value in place, or 0.
    ///
    /// Only a thread that wrote its own number finds it there, so it needs no order.
    @usableFromInline let accessor = Atomic<UInt64>(0)
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) @usableFromInline var value: Value
    /// Whether a change that is under way on the same thread speaks for the access in place.
    @safe @exclusivity(unchecked) private var isAccessNested = false
    /// The value before the access in place that is under way, if somebody may have to read it.
    @safe @exclusivity(unchecked) private var valueBeforeAccess: Value?
    /// How many calls of a view are under way, one within the other, of which the access in place is made.
    @safe @exclusivity(unchecked) private var steps = 0
    /// The changes that wait, in the order of their stores.
    @safe @exclusivity(unchecked) @usableFromInline var waiting = WaitingLine<SharedChange<Value>>()
    /// The thread that delivers them, or 0.
    @safe @exclusivity(unchecked) @usableFromInline var deliverer: UInt64 = 0
    /// What a getter set that the change being delivered runs, which speaks for that.
    @safe @exclusivity(unchecked) private var nestedValue: Value?

    @inlinable
    init(_ value: Value) {
        self.value = value
    }

    /// What a thread has to do with the changes that wait.
    @frozen @usableFromInline
    enum Part {
        /// Another thread delivers them.
        case none
        /// It delivers them; a frame of the same thread further out goes on after that.
        case inner
        /// It delivers them, and lets go when none is left.
        case outer
    }

    // MARK: Reading

    /// Copies the value; traps if this thread accesses it in place.
    @inlinable
    func read(named name: () -> String) -> Value {
        if isAccessed { return readInside(name) }
        lock.lock()
        defer { lock.unlock() }
        return _slowPath(ThisThread.isEvaluating) ? deliveredValue : value
    }

    /// The value that observers have been notified of.
    var delivered: Value { lock.withLock { deliveredValue } }

    @usableFromInline var deliveredValue: Value { waiting.first?.before ?? value }

    /// Whether this thread accesses it in place.
    @inlinable var isAccessed: Bool {
        let thread = accessor.load(ordering: .relaxed)
        return _slowPath(thread != 0) && thread == ThisThread.number
    }

    /// What the library reads while this thread accesses the value.
    @usableFromInline
    func readInside(_ name: () -> String) -> Value {
        if ThisThread.isEvaluating, let value = waiting.first?.before ?? valueBeforeAccess { return value }
        trapInside(name)
    }

    @usableFromInline
    func trapInside(_ name: () -> String) -> Never {
        fatalError(
            """
            \(name()) is read or changed while this thread changes it in place, in the same expression or in what that \
            calls. Copy the value, change the copy, and set the property.
            """)
    }

    // MARK: Changing

    /// Exchanges the value with another one, unless somebody has to be notified, or a change waits that comes first.
    ///
    /// - Parameters:
    ///   - new: The new value; the old one after that.
    ///   - isObserved: Whether somebody observes the object, asked under the lock: who comes later reads the new value.
    ///   - name: The property, for a message.
    /// - Returns: Whether it was done.
    @inlinable
    func exchange(_ new: inout Value, unless isObserved: () -> Bool, named name: () -> String) -> Bool {
        if isAccessed { trapInside(name) }
        lock.lock()
        defer { lock.unlock() }
        guard waiting.isEmpty, !isObserved() else { return false }
        swap(&value, &new)
        return true
    }

    /// Exchanges the value with another one, and has this thread deliver the change, which does not wait.
    ///
    /// - Parameters:
    ///   - new: The new value; the old one after that.
    ///   - isValid: Whether the recipients are still those that the caller found, asked under the lock.
    /// - Returns: What the thread has to do; nil if the change has to wait, and nothing was done.
    @inlinable
    func exchangeAlone(_ new: inout Value, while isValid: () -> Bool) -> Part? {
        lock.lock()
        defer { lock.unlock() }
        guard waiting.isEmpty, isMine, isValid() else { return nil }
        swap(&value, &new)
        return take()
    }

    /// Sets the value, and adds the change to those that wait.
    ///
    /// - Parameters:
    ///   - new: The new value; the old one after that.
    ///   - isNested: Whether a change that is under way on this thread speaks for it.
    /// - Returns: What the thread has to do.
    func set(_ new: inout Value, nested isNested: Bool) -> Part {
        lock.withLock {
            add(SharedChange(from: value, to: new), nested: isNested)
            swap(&value, &new)
            return part(nested: isNested)
        }
    }

    private func add(_ change: SharedChange<Value>, nested isNested: Bool) {
        guard isNested, waiting.isEmpty || waiting.last?.isJoined(by: change) ?? false else {
            return waiting.append(change)
        }
        if let last = waiting.popLast() { waiting.append(last.joined(by: change)) } else { nestedValue = change.new }
    }

    /// What getters have set of which the change being delivered speaks, since the last time.
    func takeNestedValue() -> Value? {
        lock.withLock {
            defer { nestedValue = nil }
            return nestedValue
        }
    }

    /// Whether no other thread delivers.
    @inlinable var isMine: Bool { deliverer == 0 || deliverer == ThisThread.number }

    private func part(nested isNested: Bool) -> Part { !isNested && !waiting.isEmpty && isMine ? take() : .none }

    @inlinable
    func take() -> Part {
        let isOuter = deliverer == 0
        deliverer = ThisThread.number
        return isOuter ? .outer : .inner
    }

    // MARK: Accessing in place

    /// Begins an access in place, which excludes all others; `endAccess` must follow on the same thread.
    ///
    /// - Parameters:
    ///   - isNested: Whether a change that is under way on this thread speaks for it.
    ///   - keepsBefore: Whether the value before it is kept, asked under the lock, and given whether no change waits and
    ///     no other thread delivers.
    ///   - name: The property, for a message.
    @usableFromInline
    func beginAccess(
        nested isNested: Bool = false, keeping keepsBefore: (_ isFree: Bool) -> Bool, named name: () -> String
    ) {
        if isAccessed { trapInside(name) }
        lock.lock()
        isAccessNested = isNested
        if keepsBefore(waiting.isEmpty && isMine) { valueBeforeAccess = value }
        accessor.store(ThisThread.number, ordering: .relaxed)
    }

    /// Whether the access under way has kept the value before it.
    @usableFromInline var hasValueBefore: Bool { valueBeforeAccess != nil }

    /// Begins a step within another one.
    ///
    /// - Returns: Whether one is under way on this thread; otherwise an access has to begin.
    func enterInnerStep() -> Bool {
        guard isInStep else { return false }
        steps += 1
        return true
    }

    /// Makes the access that has just begun one of steps, and begins the first.
    func enterFirstStep() { steps = 1 }

    /// Ends a step.
    ///
    /// - Returns: Whether it was the outermost, so that the access ends.
    func leaveStep() -> Bool {
        steps -= 1
        return steps == 0
    }

    /// Whether a step is under way on this thread.
    var isInStep: Bool { isAccessed && steps > 0 }

    /// Makes a change of some elements in an access, and adds it to those that wait.
    func change(_ edit: ElementsEdit<Value>, removing old: Value?, _ apply: (inout Value) -> Void) {
        guard let before = valueBeforeAccess else { return apply(&value) }
        waiting.append(SharedChange(from: before, edit, removing: old))
        apply(&value)
        valueBeforeAccess = value
    }

    /// Ends an access that need not be delivered.
    @usableFromInline
    func endAccess() { _ = endAccess { .none } }

    /// Ends an access that is delivered alone.
    ///
    /// - Returns: What the thread has to do.
    func endAccessAlone() -> Part { endAccess { take() } }

    /// Ends an access.
    ///
    /// - Parameter isWhole: Whether it was a change of the whole value.
    /// - Returns: What the thread has to do.
    func endAccess(changingWhole isWhole: Bool) -> Part {
        endAccess {
            let isNested = isAccessNested
            if let before = valueBeforeAccess, isWhole { add(SharedChange(from: before, to: value), nested: isNested) }
            return part(nested: isNested)
        }
    }

    private func endAccess(_ body: () -> Part) -> Part {
        accessor.store(0, ordering: .relaxed)
        let part = body()
        // It is released without the lock.
        let before = valueBeforeAccess
        valueBeforeAccess = nil
        lock.unlock()
        withExtendedLifetime(before) {}
        return part
    }

    // MARK: Delivering

    /// What the deliverer finds.
    enum Next {
        /// The first change, which is delivered from here on.
        case change(SharedChange<Value>)
        /// The recipients are others than those that the caller found.
        case outdated
        /// A handler has delivered all.
        case nothing

        /// The traced event inside which the change was made.
        var event: EngineTrace.EventNumber? {
            if case .change(let change) = self { change.event } else { nil }
        }
    }

    /// How some elements change in the first change that waits; nil if it sets the whole value.
    var nextElements: ElementsChange? { lock.withLock { waiting.first?.elements } }

    /// Takes the first change off the list.
    ///
    /// - Parameter isValid: Whether the recipients are still those that the caller found, asked under the lock.
    /// - Returns: The change, or why there is none.
    func next(while isValid: () -> Bool) -> Next {
        lock.withLock {
            if waiting.isEmpty { return .nothing }
            return isValid() ? waiting.popFirst().map { .change($0) } ?? .nothing : .outdated
        }
    }

    /// Whether a change waits.
    var hasWaiting: Bool { lock.withLock { !waiting.isEmpty } }

    /// Lets go of the changes if none waits.
    ///
    /// - Parameter part: What the thread has to do.
    /// - Returns: Whether none waits.
    @inlinable
    func letGo(_ part: Part) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard waiting.isEmpty else { return false }
        if case .outer = part { deliverer = 0 }
        return true
    }
}
