// What a transaction knows of one path.

/// A path that changes made in a transaction concern.
///
/// It is evaluated once, at the end: until then it is blocked. Only a change of its own that is announced, or one that
/// ends after it began before the transaction, does not block it, and is noted as it is made; the next change does.
///
/// Two kinds of registration are not notified of all changes: one that was made in the transaction, and one that ignores
/// some of them. For these the path is also evaluated where their part begins or ends.
final class TransactionPath {
    let path: ObservedPath
    /// What evaluates it at the end, with the other paths that belong to the same property; nil until it belongs to one.
    private var closing: PendingChange?
    /// What the end of the transaction means to the path, if it is blocked until then.
    private var change: PathChange?
    private var made = TransactionSteps()
    /// How much of it is delivered even if a change of the path's own is still open at the end, if anything.
    private var ended: TransactionSteps.Extent?
    /// Whether the path is blocked on the thread of the transaction.
    private(set) var isBlocked = false
    /// Whether a change that concerns the path has ended in the transaction.
    private var hasChanged = false
    /// The same since the last evaluation.
    private var isDue = false
    /// Whether the transaction ends, so that the path has been evaluated if it is blocked.
    private var isEnding = false
    /// The registrations that the changes since the last evaluation concern.
    private var newestNumber: RegistrationNumber = 0
    private var priors = TransactionPriors()
    private var ignored: Set<RegistrationNumber> = []
    /// The value at the last evaluation, or what another thread notified observers of since.
    private var before: BoxedValue?
    /// The number of what observers were last notified of, when that was found.
    private var version = 0

    /// A path that belongs to no property yet.
    init(_ path: ObservedPath) { self.path = path }

    // MARK: Before a change

    /// Whether it belongs to a property.
    var hasProperty: Bool { closing != nil }

    /// Has it belong to a property.
    ///
    /// - Parameters:
    ///   - closing: What evaluates the property's paths at the end.
    ///   - number: The number of the last registration that the change concerns.
    func belong(to closing: PendingChange, upTo number: RegistrationNumber) {
        self.closing = closing
        priors.noteCalled(from: path.registrations, upTo: number)
    }

    /// Notes that a change of a property is about to concern the path.
    ///
    /// - Parameters:
    ///   - number: The number of the last registration that the change concerns.
    ///   - object: The object that changes.
    func touch(upTo number: RegistrationNumber, of object: AnyObject) {
        if !isBlocked {
            // What changes such a path while the transaction ends is noted as it is made.
            if !isEnding { block(upTo: number, of: object) }
        } else if isEnding {
            // A getter made the change, after the path was evaluated for the last time.
            closing?.becomeDirty()
        } else {
            touchAgain(upTo: number)
        }
    }

    /// Notes that another change is about to concern the path, which is blocked.
    private func touchAgain(upTo number: RegistrationNumber) {
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
        guard !late.isEmpty, let root = path.core?.root else { return }
        // Where it must not be evaluated, for a change of its own is announced, that change knows the value.
        let old = before ?? path.knownValue
        let change = NotedChange(nil, whole: nil, upTo: newest, ignored: [], old: old, new: nil)
        Delivery.run(DeliveryBatch(late.map { .init($0, root, change, isPrior: true) }))
    }

    /// Blocks the path on this thread until `unblock`, for a change that is about to be made.
    private func block(upTo number: RegistrationNumber, of object: AnyObject) {
        let change = closing?.includePath(path, isQuiet: true)
        self.change = change
        isBlocked = true
        version = path.knownVersion
        newestNumber = min(newest, number)
        ignored = IgnoredRegistrations.current
        path.block(on: ThisThread.number)
        // The getter that is read now may change something, too.
        change?.findOldValue(of: object)
        change?.letGo()
    }

    /// The registrations that are to be called before a change that does not block the path.
    ///
    /// - Parameter number: The number of the last registration that the change concerns.
    /// - Returns: Those who have not been called yet; nil if the path is blocked, for which `touch` calls them.
    func priorRecipients(upTo number: RegistrationNumber) -> RegistrationList? {
        isBlocked ? nil : RegistrationList(priors.take(from: path.registrations, upTo: number))
    }

    // MARK: Between two changes

    /// Evaluates the path if a change that concerns it has ended, so that what follows is a change of its own.
    ///
    /// What the path depends on now is found, for what it was led to may change next.
    func separate() {
        guard isBlocked, !isEnding else { return }
        takeDeferred()
        // What is accessed in place must not be read.
        guard isDue, !path.isBlockedByOthers, let core = path.core, let root = core.root else { return }
        catchUp()
        // What a getter changes concerns the path once more.
        let (old, number, ignored) = (before ?? path.knownValue, newestNumber, ignored)
        isDue = false
        Transaction.current?.object.beginPart()
        let value = Tracking.suspended { path.evaluate(core, from: root) }
        made.add(nil, upTo: number, newest: number, old: old, new: value, ignored: ignored)
        (before, newestNumber) = (value, newest)
    }

    /// Finds the value before a change that is the first of which somebody needs it: who came last asked for it.
    private func findOldValue() {
        guard !isDue, before == nil, !path.isBlockedByOthers, let root = path.core?.root else { return }
        // Not only the transaction needs it: a change that is announced may end after it.
        path.findOldValue(from: root)
    }

    private func takeDeferred() {
        if path.takeDeferred(on: ThisThread.number) { (hasChanged, isDue) = (true, true) }
    }

    /// Finds out what another thread notified observers of since `before` was found.
    private func catchUp() {
        let known = path.known
        if known.version != version, let value = known.value { before = value }
        version = known.version
    }

    private var newest: RegistrationNumber { path.registrations.last?.number ?? 0 }

    // MARK: After a change

    /// Notes a change of the path that is not noted at the end, because the path was not blocked when it began.
    ///
    /// Such a change has evaluated the path itself, and has ended. What the path's getter changed may have blocked the path
    /// since.
    ///
    /// - Parameters:
    ///   - change: What it means to the path.
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - values: The property's values or elements.
    func note(_ change: PathChange, _ elements: ElementsChange?, _ values: ChangeValues) {
        guard let core = change.core else { return }
        let registrations = path.registrations
        let newest = registrations.last?.number ?? 0
        let number = change.newestNumber
        switch change.values {
        case .none:
            // The path is evaluated at the end. That does not concern who registered after the change was announced.
            if change.isAnnounced { newestNumber = min(newestNumber, number) }
            return
        case .own(let old, let new): made.add(nil, upTo: number, newest: newest, old: old, new: new)
        case .made(let leaf):
            let whole = elements == nil ? nil : change.root.flatMap { registrations.whole(of: $0) }
            leaf.withValues(values) {
                let (old, new) = core.boxed($0)
                made.add(elements, whole: whole, upTo: number, newest: newest, old: old, new: new)
            }
        case .madeOld(let leaf, let new):
            leaf.withValues(values.withoutNew) {
                made.add(nil, upTo: number, newest: newest, old: core.boxed($0).old, new: new)
            }
        }
        ended = made.extent
    }

    // MARK: At the end

    /// Begins the end of the transaction.
    ///
    /// - Returns: Whether a change concerned the path while it was blocked.
    func beginEnd() -> Bool {
        isEnding = true
        guard isBlocked else { return false }
        catchUp()
        takeDeferred()
        return hasChanged
    }

    func unblock() {
        if isBlocked { _ = path.unblock(on: ThisThread.number) }
    }

    /// Adds what is to be delivered to registrations at the path.
    func addCalls(to calls: inout [DeliveryBatch.Call]) {
        guard let root = change?.root ?? path.core?.root else { return }
        if case .own(let old, let new)? = change?.values {
            note(old: old, new: new)
        } else {
            // Whoever announced a change of the path that is still open notifies its observers of the rest.
            made.cut(to: ended)
        }
        made.addCalls(of: path.registrations, root, to: &calls)
    }

    /// Notes the values that observers are notified of at the end.
    private func note(old: BoxedValue?, new: BoxedValue?) {
        if isDue {
            made.add(
                nil, upTo: newestNumber, newest: newestNumber, old: before ?? old, new: new, ignored: ignored)
        }
        // What has ended begins with an older value.
        made.setEnds(old: ended == nil ? old : nil, new: new)
    }
}
