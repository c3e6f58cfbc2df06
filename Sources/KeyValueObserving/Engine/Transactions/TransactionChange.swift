// What a transaction knows of one property that was changed in it.

/// The changes of one property in a transaction.
///
/// It does not keep the object alive. Only the thread of the transaction uses it, and no access lasts while code of others
/// runs.
final class TransactionChange {
    let record: PropertyRecord
    private let reference: RootReference<AnyObject>
    @safe @exclusivity(unchecked) private var made = TransactionSteps()
    @safe @exclusivity(unchecked) private var priors = TransactionPriors()
    @safe @exclusivity(unchecked) private var needs = Recipients.Needs()
    /// The number of the last registration that is among those.
    @safe @exclusivity(unchecked) private var newestNeeding: RegistrationNumber = 0
    /// The paths that depend on the property, and on none that was changed before it.
    @safe @exclusivity(unchecked) private var paths: [TransactionPath] = []
    /// What the end of the transaction means to them; nil as long as there are none.
    ///
    /// The record does not know this change: what getters set while it ends are changes of their own.
    @safe @exclusivity(unchecked) private var closing: PendingChange?
    /// Where it stands among the changes of the transaction.
    @safe @exclusivity(unchecked) private(set) var position: Int
    @safe @exclusivity(unchecked) private var hasChanged = false
    /// Where the next set belongs to the change that was noted last: in which part of the transaction, and as long as
    /// nobody comes or goes.
    @safe @exclusivity(unchecked) private var joinable: (part: Int, version: UInt32)?
    /// The number of its first change, where somebody traces.
    @safe @exclusivity(unchecked) var event = EngineTrace.EventNumber.unreported

    init(_ record: PropertyRecord, of object: AnyObject, at position: Int) {
        self.record = record
        reference = RootReference(object)
        self.position = position
    }

    // MARK: Before a change

    /// What registrations on the property itself need: those that there are, and those that were there before.
    func needs(of direct: RegistrationList) -> Recipients.Needs {
        noteNeeds(of: direct)
        return needs
    }

    private func noteNeeds(of direct: RegistrationList) {
        direct.forEach(after: newestNeeding) { needs.add($0) }
        newestNeeding = direct.last?.number ?? newestNeeding
    }

    /// Finds who on the property itself is to be called before a change.
    ///
    /// - Parameter number: The number of the last registration that the change concerns.
    /// - Returns: Those who have not been called yet.
    func priorRecipients(upTo number: RegistrationNumber) -> RegistrationList {
        RegistrationList(priors.take(from: record.direct, upTo: number))
    }

    /// Has a path belong to the property, unless it belongs to one that was changed before.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - number: The number of the last registration that the change concerns.
    func add(_ path: TransactionPath, upTo number: RegistrationNumber) {
        if path.hasProperty { return }
        let closing = closing ?? PendingChange(record, Registration.newestNumber)
        self.closing = closing
        paths.append(path)
        path.belong(to: closing, upTo: number)
    }

    /// Notes that what follows at its paths are changes of their own.
    func separate() {
        for path in paths { path.separate() }
    }

    // MARK: After a change

    /// Notes a change of the property.
    ///
    /// - Parameters:
    ///   - newestNumber: The number of the last registration that the change concerns.
    ///   - position: Where the property stands among the changes of the transaction, if this is its first change.
    ///   - object: The object that changed.
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - values: The old and new values or elements.
    func note(
        _ newestNumber: RegistrationNumber, at position: () -> Int, of object: AnyObject, _ elements: ElementsChange?,
        _ values: ChangeValues
    ) {
        takePlace(position)
        let direct = record.direct
        guard let newest = direct.last?.number else { return }
        noteNeeds(of: direct)
        if needs.hasPriors { priors.noteCalled(from: direct, upTo: newestNumber) }
        let (old, new) = record.description?.boxed(values) ?? (nil, nil)
        let whole = elements == nil ? nil : direct.whole(of: object)
        // What it replaces is released when nothing is being changed any more, for that may run code of users.
        let replaced = made.last?.new
        made.add(elements, whole: whole, upTo: newestNumber, newest: newest, old: old, new: new)
        withExtendedLifetime(replaced) {}
    }

    /// Notes in which part of the transaction the next set belongs to the change that was noted just now; nil if it is a
    /// change of its own.
    func lastMayBeJoined(in part: Int?) { joinable = part.map { ($0, record.version) } }

    /// Begins to set the property, if the set belongs to the last change.
    ///
    /// - Returns: Whether it does, so that its value only has to be stored and noted.
    func join(in part: Int) -> Joining {
        guard let joinable, joinable.part == part, record.isFree(since: joinable.version) else { return .alone }
        return joined(made.last)
    }

    /// Begins to set the property, which concerns none but these registrations on the property itself.
    ///
    /// - Parameters:
    ///   - direct: The registrations; there is one at least.
    ///   - version: How often somebody had come or gone when they were found.
    ///   - part: The part of the transaction.
    ///   - position: Where the property stands among the changes of the transaction, if this is its first change.
    /// - Returns: The same as `join`; on its own, if one of them is called before the change.
    func begin(_ direct: RegistrationList, _ version: UInt32, in part: Int, at position: () -> Int) -> Joining {
        let needs = needs(of: direct)
        guard !needs.hasPriors, let newest = direct.last?.number else { return .alone }
        takePlace(position)
        joinable = (part, version)
        return joined(made.beginSetting(upTo: newest, needing: needs.values))
    }

    private func joined(_ change: NotedChange?) -> Joining {
        change?.isNewNeeded = needs.values.contains(.new)
        return .joined(change.map { Unretained($0) })
    }

    /// Gives the property the place of its first change.
    private func takePlace(_ position: () -> Int) {
        if hasChanged { return }
        hasChanged = true
        self.position = position()
    }

    // MARK: At the end

    /// Whether paths belong to it.
    var hasPaths: Bool { !paths.isEmpty }

    /// Finds out which paths have changed; from here on, those that are blocked belong to the end.
    func beginEnd() {
        guard let closing else { return }
        closing.event = event
        closing.takeUp()
        closing.noteDeferred(paths.filter { $0.beginEnd() }.map(\.path))
        for change in closing.paths { change.hasBlocked = true }
    }

    /// Evaluates the paths; a change that is announced needs the object to find the root of a path in its `deinit`.
    func evaluate() { closing?.evaluatePaths(from: 0, of: reference.object ?? self) }

    /// Whether a getter has changed something that one of the paths has read, since the last time.
    func takeDirty() -> Bool { closing?.takeDirty() ?? false }

    /// Evaluates the paths once more.
    func evaluateAgain() { closing?.evaluatePathsAgain() }

    /// Decides what the observers of the paths are notified of.
    func finish() {
        for path in paths { path.unblock() }
        closing?.conclude()
    }

    /// Adds what is to be delivered, in the order of the registrations.
    func addCalls(to calls: inout [DeliveryBatch.Call]) {
        let first = calls.count
        if let object = reference.object { made.addCalls(of: record.direct, object, to: &calls) }
        if hasPaths {
            for path in paths { path.addCalls(to: &calls) }
            calls[first...].sort { $0.registration.number < $1.registration.number }
        }
        if event.isReported { traceCalls(&calls[first...]) }
    }
}
