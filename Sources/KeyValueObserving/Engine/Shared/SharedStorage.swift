// The storage of a property that several threads change.
public import Synchronization

/// The value of a shared property, and its changes that wait for delivery.
///
/// A thread that stores while no thread delivers becomes the deliverer. Other threads leave their changes to it. It
/// takes them one after the other, and stops delivering when none is left. Watches are evaluated with the stored value.
///
/// The lock guards the value and the changes. It is held while the value is accessed in place, and thus while code of
/// users runs; to that code, it is a lock of the property. Of the library's locks, only the table's is taken under it,
/// to register between two stores and to find the observers. It is never taken under another lock.
@usableFromInline
final class SharedStorage<Value>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    /// The thread that accesses the value in place, or 0.
    ///
    /// Only a thread that wrote its own number finds that number, so it needs no order.
    @usableFromInline let accessor = Atomic<UInt64>(0)
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) @usableFromInline var value: Value
    /// The value before the current access in place, if an observer needs it.
    @safe @exclusivity(unchecked) private var valueBefore: Value?
    /// The source of the property during an access in place; nil if the property is not observed.
    @safe @exclusivity(unchecked) private var accessed: Source?
    /// Whether no change waited when the access in place began.
    @safe @exclusivity(unchecked) private var isFirst = false
    /// Whether the access in place is a call of a view.
    @safe @exclusivity(unchecked) private var isStep = false
    /// The waiting changes, in the order of their stores.
    @safe @exclusivity(unchecked) @usableFromInline var waiting = WaitingLine<SharedChange<Value>>()
    /// The thread that delivers them, or 0.
    @safe @exclusivity(unchecked) @usableFromInline var deliverer: UInt64 = 0

    @inlinable
    init(_ value: Value) {
        self.value = value
    }

    // MARK: Reading

    /// Copies the value; traps if this thread accesses it in place.
    @inlinable
    func read(named name: () -> String) -> Value {
        if isAccessed { trapInside(name) }
        lock.lock()
        defer { lock.unlock() }
        return value
    }

    /// Whether this thread accesses it in place.
    @inlinable var isAccessed: Bool {
        let thread = accessor.load(ordering: .relaxed)
        return _slowPath(thread != 0) && thread == ThisThread.number
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

    /// Exchanges the value with another one, unless an observer must be notified, or an earlier change waits.
    ///
    /// `isObserved` is called under the lock, so later registrations read the new value. `new` becomes the old value.
    @inlinable
    func exchange(_ new: inout Value, unless isObserved: () -> Bool, named name: () -> String) -> Bool {
        if isAccessed { trapInside(name) }
        lock.lock()
        defer { lock.unlock() }
        guard waiting.isEmpty, !isObserved() else { return false }
        swap(&value, &new)
        return true
    }

    /// Exchanges the value with another one, and makes this thread the deliverer of the change, which does not wait.
    ///
    /// `isCurrent` is called under the lock, and returns whether the recipients are still valid.
    ///
    /// - Returns: False, without an exchange, if another thread delivers or a change waits.
    @inlinable
    func exchangeAlone(_ new: inout Value, if isCurrent: () -> Bool) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard waiting.isEmpty, deliverer == 0, isCurrent() else { return false }
        deliverer = ThisThread.number
        swap(&value, &new)
        return true
    }

    /// Sets the value, and adds the change to the waiting ones.
    ///
    /// A nested set belongs to the change being delivered on this thread, unless other changes wait.
    ///
    /// - Returns: How many changes were added, if they come first; nil if none was added.
    func set(_ new: inout Value, nested isNested: Bool) -> Int? {
        lock.withLock {
            let isFirst = waiting.isEmpty
            defer { swap(&value, &new) }
            if isNested, isFirst { return nil }
            waiting.append(SharedChange(from: value, to: new, whole: new))
            return isFirst ? 1 : 0
        }
    }

    // MARK: Accessing in place

    /// Begins an access in place, which excludes all others; `endAccess` must follow on the same thread.
    ///
    /// `source` is called under the lock.
    func beginAccess(_ source: () -> Source?, named name: () -> String) {
        if isAccessed { trapInside(name) }
        lock.lock()
        accessed = source()
        isFirst = waiting.isEmpty
        accessed?.beginAccess()
        if accessed?.direct.needs.contains(.old) ?? false { valueBefore = value }
        accessor.store(ThisThread.number, ordering: .relaxed)
    }

    /// Marks the access that has just begun as a call of a view.
    func beginStep() { isStep = true }

    /// Whether a call of a view is under way on this thread.
    var isInStep: Bool { isAccessed && isStep }

    /// Makes a change of some elements in an access, and adds it to the waiting ones.
    func change(_ edit: PlannedEdit<Value>, removing old: Value?, _ apply: (inout Value) -> Void) {
        apply(&value)
        if accessed == nil { return }
        waiting.append(
            SharedChange(Edit(edit.kind, at: edit.positions), from: old, to: edit.elements, whole: value))
    }

    /// Ends an access.
    ///
    /// - Returns: How many changes were added, if they come first; nil if none waits.
    @usableFromInline
    @discardableResult
    func endAccess(changingWhole isWhole: Bool = true) -> Int? {
        accessor.store(0, ordering: .relaxed)
        isStep = false
        if isWhole, accessed != nil { waiting.append(SharedChange(from: valueBefore, to: value, whole: value)) }
        // The old value is released without the lock.
        let (before, source) = (valueBefore, accessed)
        (valueBefore, accessed) = (nil, nil)
        let count: Int? = waiting.isEmpty ? nil : isFirst ? waiting.count : 0
        // The deliverer of a waiting change must not find the property being accessed.
        source?.endAccess()
        lock.unlock()
        withExtendedLifetime(before) {}
        return count
    }

    // MARK: Delivering

    /// Makes this thread the deliverer of the waiting changes.
    ///
    /// - Returns: Whether it is, and whether an outer frame delivers already; nil if another thread delivers.
    func beginDelivering() -> (Bool, isInner: Bool) {
        lock.withLock {
            let thread = ThisThread.number
            defer { if deliverer == 0 { deliverer = thread } }
            return (deliverer == 0 || deliverer == thread, deliverer == thread)
        }
    }

    /// Removes the first waiting change.
    ///
    /// - Returns: The change, and how many waited with it; nil if none waits.
    func next(orLetGo isLettingGo: Bool) -> (change: SharedChange<Value>, waitingCount: Int)? {
        lock.withLock {
            let count = waiting.count
            let next = waiting.popFirst()
            if next == nil, isLettingGo { deliverer = 0 }
            return next.map { ($0, count) }
        }
    }

    /// Stops delivering if no change waits, and returns whether it did.
    @inlinable
    func letGo() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if waiting.isEmpty { deliverer = 0 }
        return waiting.isEmpty
    }
}

extension SharedStorage: SharedLine {
    func register(
        _ registration: Registration, _ keeping: Keeping, callingFirst callsFirst: Bool, _ record: () -> Void
    ) -> BoxedValue {
        let copy = lock.withLock {
            record()
            // From now on, other threads may call the registration.
            if keeping != .nothing { registration.keep(.holding(value), keeping) }
            if callsFirst { waiting.append(SharedChange(from: nil, to: nil, whole: value, for: registration)) }
            return value
        }
        return .holding(copy)
    }

    func deliver(on object: AnyObject, in table: ObservationTable, _ property: PropertyIdentity) {
        let table = unsafe UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque())
        SharedProperty(storage: self, property: property, object: object, table: table).deliverAdded()
    }
}
