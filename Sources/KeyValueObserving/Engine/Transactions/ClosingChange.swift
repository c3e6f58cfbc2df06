// The paths that depend on a property that a transaction changed.

/// Evaluates the paths that depend on one property at the end of a transaction that changed it.
///
/// Until then it blocks them. A path that depends on several of the changed properties belongs to the first of them. The
/// property's record does not know this change: what getters set while it ends are changes of their own.
final class ClosingChange: PendingChange, @unchecked Sendable {
    // Only its thread uses what follows, and no access lasts while code of others runs.
    @safe @exclusivity(unchecked) private(set) var followed: [TransactionPath] = []
    /// Where those stand in `followed` that come after the first few.
    @safe @exclusivity(unchecked) private var positions: [ObjectIdentifier: Int] = [:]

    /// How many paths are searched one after the other.
    private static let few = 8

    init(_ record: PropertyRecord) { super.init(record, Registration.newestNumber) }

    // MARK: Before a change

    /// Blocks a path, which one of the property's changes is about to concern for the first time.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - number: The number of the last registration that the change concerns.
    ///   - object: The object that changes.
    ///   - priors: Who has been called before changes of the path.
    func follow(
        _ path: ObservedPath, upTo number: RegistrationNumber, of object: AnyObject, _ priors: TransactionPriors
    ) {
        let followed = TransactionPath(path, upTo: number, priors)
        append(followed)
        block(followed, upTo: number, of: object)
    }

    /// Blocks a path that is not blocked yet.
    private func block(_ path: TransactionPath, upTo number: RegistrationNumber, of object: AnyObject) {
        let change = includePath(path.path, isQuiet: true)
        // The getter that is read next may change something, too.
        path.block(change, upTo: number, on: thread)
        change?.findOldValue(of: object)
        change?.letGo()
    }

    /// Notes that another change concerns a path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - number: The number of the last registration that the change concerns.
    ///   - object: The object that changes.
    func touch(_ path: ObservedPath, upTo number: RegistrationNumber, of object: AnyObject) {
        guard let known = known(path) else { return }
        if !known.isBlocked {
            // What changes such a path while the transaction ends is noted as it is made.
            if !known.isEnding { block(known, upTo: number, of: object) }
        } else if known.isEnding {
            // A getter made the change, after the path was evaluated for the last time.
            becomeDirty()
        } else {
            known.touch(upTo: number)
        }
    }

    /// Notes that what follows at a path is a change of its own there: a registration is about to be made.
    func separate(_ path: ObservedPath) { known(path)?.separate() }

    /// The same at all paths.
    func separate() {
        for path in followed { path.separate() }
    }

    /// The registrations at a path that are to be called before a change of its own, which is announced; nil if the
    /// path is not known, or blocked.
    func priorRecipients(at path: ObservedPath, upTo number: RegistrationNumber) -> RegistrationList? {
        known(path).flatMap { $0.isBlocked ? nil : $0.priorRecipients(upTo: number) }
    }

    /// Whether a path is blocked until the end.
    func blocks(_ path: ObservedPath) -> Bool { known(path)?.isBlocked ?? false }

    private func known(_ path: ObservedPath) -> TransactionPath? {
        if let first = followed.prefix(Self.few).first(where: { $0.path === path }) { return first }
        return positions[ObjectIdentifier(path)].map { followed[$0] }
    }

    private func append(_ path: TransactionPath) {
        followed.append(path)
        if followed.count > Self.few { positions[ObjectIdentifier(path.path)] = followed.count - 1 }
    }

    // MARK: After a change

    /// Notes what a change means to a path that is not blocked: one whose own change was announced manually.
    ///
    /// - Parameters:
    ///   - change: What it means to the path.
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - values: The property's values or elements.
    ///   - priors: Who has been called before changes of the path, unless that is known.
    func note(
        _ change: PathChange, _ elements: ElementsChange?, _ values: ChangeValues, _ priors: TransactionPriors
    ) {
        let path: TransactionPath
        if let known = known(change.path) {
            path = known
        } else {
            path = TransactionPath(change.path, upTo: change.newestNumber, priors)
            append(path)
        }
        path.note(change, elements, values)
    }

    // MARK: At the end

    /// Finds out which paths have changed; from here on, those that are blocked belong to the end.
    func beginEnd() {
        takeUp()
        noteDeferred(followed.filter { $0.beginEnd() }.map(\.path))
        for change in paths { change.hasBlocked = true }
    }

    /// Evaluates the paths.
    ///
    /// - Parameter object: The object that changed; a change that is announced needs it to find the root of a path in
    ///   its `deinit`.
    func evaluate(_ object: AnyObject?) { evaluatePaths(from: 0, of: object ?? self) }

    /// Decides what the observers of the paths are notified of.
    func finish() {
        for path in followed { path.unblock() }
        conclude()
    }

    /// Adds what is to be delivered to registrations at the paths.
    func addCalls(to calls: inout [DeliveryBatch.Call]) {
        for path in followed {
            guard let root = path.change?.root ?? path.path.core?.root else { continue }
            path.end(of: root, to: &calls)
        }
    }
}
