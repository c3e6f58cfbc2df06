// What a transaction knows of one path.

/// A path that changes made in a transaction concern.
///
/// It is evaluated once, at the end. Only where a registration must not hear of what was changed before, the path is
/// evaluated before the next change: for one that was made in the transaction, or that ignores some of the changes.
final class TransactionPath {
    let path: ObservedPath
    var made = TransactionSteps()
    private let thread: UInt64?
    private var isDeferred = false
    /// The registrations that the changes since the last evaluation concern.
    private var newestNumber: RegistrationNumber
    private var ignored: Set<RegistrationNumber>
    /// The value at the last evaluation.
    private var before: BoxedValue?

    /// Blocks a path on a thread until `unblock`.
    init(_ path: ObservedPath, on thread: UInt64, knownAs value: BoxedValue?) {
        before = value
        self.path = path
        self.thread = thread
        newestNumber = Registration.newestNumber
        ignored = IgnoredRegistrations.current
        path.block(on: thread)
    }

    /// A path that need not be blocked, for nothing else concerns it.
    init(unblocked path: ObservedPath) {
        self.path = path
        thread = nil
        newestNumber = Registration.newestNumber
        ignored = []
    }

    /// Notes that another change is about to concern the path.
    func touch() {
        let (newest, nowIgnored) = (path.registrations.last?.number ?? 0, IgnoredRegistrations.current)
        guard let thread, newest > newestNumber || nowIgnored != ignored else { return }
        isDeferred = path.unblock(on: thread) || isDeferred
        defer { path.block(on: thread) }
        // What is accessed in place must not be read.
        guard !path.isBlocked, let core = path.core, let root = core.root else { return }
        let value = Tracker.suspended { core.value(from: root) }
        add(old: before, new: value)
        let late = path.registrations.all.filter { $0.number > newestNumber && $0.site.options.contains(.prior) }
        (before, newestNumber, ignored) = (value, newest, nowIgnored)
        Delivery.run(
            DeliveryBatch(late.map { .init(registration: $0, object: root, isPrior: true, elements: nil, old: value) }))
    }

    /// - Returns: Whether a change concerned the path.
    func unblock() -> Bool {
        guard let thread else { return false }
        return path.unblock(on: thread) || isDeferred
    }

    /// Notes the values that observers are notified of at the end.
    func end(old: BoxedValue?, new: BoxedValue?) {
        made.beginWith(old)
        add(old: before ?? old, new: new)
    }

    private func add(old: BoxedValue?, new: BoxedValue?) {
        made.add(nil, upTo: newestNumber, newest: newestNumber, old: old, new: new, ignored: ignored)
    }
}
