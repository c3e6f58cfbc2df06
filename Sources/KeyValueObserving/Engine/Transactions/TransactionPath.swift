// What a transaction knows of one path.

/// A path that changes made in a transaction concern.
///
/// It is evaluated once, at the end. Two kinds of registration are not notified of all changes: one that was made in the
/// transaction, and one that ignores some of them. For these the path is also evaluated where their part begins or ends.
final class TransactionPath {
    let path: ObservedPath
    /// What the end of the transaction means to the path, if it is blocked until then.
    let change: PathChange?
    var made = TransactionSteps()
    private let thread: UInt64?
    /// Whether a change that concerns the path has ended in the transaction.
    private var hasChanged = false
    /// The same since the last evaluation.
    private var isDue = false
    /// Whether the transaction ends, so that the path has been evaluated.
    private(set) var isEnding = false
    /// The registrations that the changes since the last evaluation concern.
    private var newestNumber: RegistrationNumber
    private var priors: TransactionPriors
    private var ignored: Set<RegistrationNumber>
    /// The value at the last evaluation, or what another thread notified observers of since.
    private var before: BoxedValue?
    /// The number of what observers were last notified of, when that was found.
    private var version: Int

    /// Blocks a path on a thread until `unblock`.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - change: What the end of the transaction means to it.
    ///   - newestNumber: The number of the last registration that the first change concerns.
    ///   - thread: The thread.
    ///   - priors: Who has been called before changes of the path.
    init(
        _ path: ObservedPath, _ change: PathChange?, upTo newestNumber: RegistrationNumber, on thread: UInt64,
        _ priors: TransactionPriors
    ) {
        version = path.knownVersion
        self.path = path
        self.change = change
        self.thread = thread
        self.newestNumber = min(path.registrations.last?.number ?? 0, newestNumber)
        ignored = IgnoredRegistrations.current
        self.priors = priors
        path.block(on: thread)
        // The first change has called them itself.
        _ = self.priors.take(from: path.registrations, upTo: newestNumber)
    }

    /// A path that is not blocked: a change of its own was announced, or one ended that began before the transaction.
    init(unblocked path: ObservedPath, upTo newestNumber: RegistrationNumber, _ priors: TransactionPriors) {
        version = path.knownVersion
        self.path = path
        change = nil
        thread = nil
        self.newestNumber = newestNumber
        ignored = []
        self.priors = priors
        _ = self.priors.take(from: path.registrations, upTo: newestNumber)
    }

    /// Whether the path is blocked.
    var isBlocked: Bool { thread != nil }

    /// Notes that another change is about to concern the path.
    ///
    /// - Parameter number: The number of the last registration that the change concerns.
    func touch(upTo number: RegistrationNumber) {
        catchUp()
        let nowIgnored = IgnoredRegistrations.current
        let newest = min(newest, number)
        if newest != newestNumber || nowIgnored != ignored {
            separate()
            findOldValue()
        }
        if !isDue { newestNumber = newest }
        ignored = nowIgnored
        let late = priors.take(from: path.registrations, upTo: newest)
        // At a path that is not blocked, the change has called them itself.
        guard isBlocked, !late.isEmpty, let root = path.core?.root else { return }
        // Where it must not be evaluated, for a change of its own is announced, that change knows the value.
        let old = before ?? path.knownValue
        Delivery.run(
            DeliveryBatch(late.map { .init(registration: $0, object: root, isPrior: true, elements: nil, old: old) }))
    }

    /// The registrations that are to be called before a change of the path's own.
    ///
    /// - Parameter number: The number of the last registration that the change concerns.
    /// - Returns: Those who have not been called yet.
    func priorRecipients(upTo number: RegistrationNumber) -> RegistrationList {
        RegistrationList(priors.take(from: path.registrations, upTo: number))
    }

    /// Evaluates the path if a change that concerns it has ended, so that what follows is a change of its own.
    ///
    /// What the path depends on now is found, for what it was led to may change next.
    func separate() {
        guard let thread, !isEnding else { return }
        noteChange(path.takeDeferred(on: thread))
        // What is accessed in place must not be read.
        guard isDue, !path.isBlockedByOthers, let core = path.core, let root = core.root else { return }
        catchUp()
        // What a getter changes concerns the path once more.
        let (old, number, ignored) = (before, newestNumber, ignored)
        isDue = false
        Transaction.current?.beginPart()
        let value = Tracking.suspended { path.evaluate(core, from: root) }
        made.add(nil, upTo: number, newest: number, old: old, new: value, ignored: ignored)
        (before, newestNumber) = (value, newest)
    }

    /// Finds the value before a change that is the first of which somebody needs it: who came last asked for it.
    private func findOldValue() {
        guard !isDue, before == nil, path.knownValue == nil, path.registrations.needs.contains(.old),
            !path.isBlockedByOthers, let core = path.core, let root = core.root
        else { return }
        before = core.value(from: root)
    }

    private func noteChange(_ hasEnded: Bool) {
        if hasEnded { (hasChanged, isDue) = (true, true) }
    }

    /// Finds out what another thread notified observers of since `before` was found.
    private func catchUp() {
        let known = path.known
        if known.version != version, let value = known.value { before = value }
        version = known.version
    }

    private var newest: RegistrationNumber { path.registrations.last?.number ?? 0 }

    /// Begins the end of the transaction.
    ///
    /// - Returns: Whether a change concerned the path.
    func beginEnd() -> Bool {
        guard let thread else { return false }
        catchUp()
        isEnding = true
        noteChange(path.takeDeferred(on: thread))
        return hasChanged
    }

    func unblock() {
        if let thread { _ = path.unblock(on: thread) }
    }

    /// Notes the values that observers are notified of at the end.
    func end(old: BoxedValue?, new: BoxedValue?) {
        if isDue {
            made.add(
                nil, upTo: newestNumber, newest: newestNumber, old: before ?? old, new: new, ignored: ignored)
        }
        made.setEnds(old: old, new: new)
    }
}
