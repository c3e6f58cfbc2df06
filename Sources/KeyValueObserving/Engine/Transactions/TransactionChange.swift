// What a transaction knows of one property that was changed in it.

/// The changes of one property in a transaction, and the paths that it was the first to touch.
///
/// It does not keep the object alive.
final class TransactionChange: PendingChange, @unchecked Sendable {
    private let reference: RootReference<AnyObject>
    // Only its thread uses what follows, and no access lasts while code of others runs.
    @safe @exclusivity(unchecked) private var made = TransactionSteps()
    @safe @exclusivity(unchecked) private var priors = TransactionPriors()
    @safe @exclusivity(unchecked) private var needs = Recipients.Needs()
    /// The number of the last registration that is among those.
    @safe @exclusivity(unchecked) private var newestNeeding: RegistrationNumber = 0
    @safe @exclusivity(unchecked) private var followed: [TransactionPath] = []
    /// Where those stand in `followed` that come after the first few.
    @safe @exclusivity(unchecked) private var positions: [ObjectIdentifier: Int] = [:]
    /// Where it stands among the changes of the transaction.
    @safe @exclusivity(unchecked) private(set) var position: Int
    @safe @exclusivity(unchecked) private var hasChanged = false
    /// Where the next set belongs to the change that was noted last: in which part of the transaction, and as long as
    /// nobody comes or goes.
    @safe @exclusivity(unchecked) private var joinable: (part: Int, version: UInt32)?
    /// How many of the paths have been evaluated at the end.
    @safe @exclusivity(unchecked) private var evaluated = 0
    /// The whole value at the end, if its last change was one of elements.
    @safe @exclusivity(unchecked) private var wholeAtEnd: BoxedValue?

    /// How many paths are searched one after the other.
    private static let few = 8

    init(_ record: PropertyRecord, of object: AnyObject, at position: Int) {
        reference = RootReference(object)
        self.position = position
        super.init(record, Registration.newestNumber)
    }

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

    /// Notes that what follows at a path is a change of its own there: a registration has been made.
    func separate(_ path: ObservedPath) { known(path)?.separate() }

    /// The same at all paths.
    func separate() {
        for path in followed { path.separate() }
    }

    private func append(_ path: TransactionPath) {
        followed.append(path)
        if followed.count > Self.few { positions[ObjectIdentifier(path.path)] = followed.count - 1 }
    }

    private func known(_ path: ObservedPath) -> TransactionPath? {
        if let first = followed.prefix(Self.few).first(where: { $0.path === path }) { return first }
        return positions[ObjectIdentifier(path)].map { followed[$0] }
    }

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

    /// The registrations at a path that are to be called before a change of its own, which is announced; nil if the
    /// path is not known, or blocked.
    func priorRecipients(at path: ObservedPath, upTo number: RegistrationNumber) -> RegistrationList? {
        known(path).flatMap { $0.isBlocked ? nil : $0.priorRecipients(upTo: number) }
    }

    /// Whether a path is blocked until the end.
    func blocks(_ path: ObservedPath) -> Bool { known(path)?.isBlocked ?? false }

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
        _ newestNumber: RegistrationNumber, at position: Int, of object: AnyObject, _ elements: ElementsChange?,
        _ values: ChangeValues
    ) {
        if !hasChanged { self.position = position }
        hasChanged = true
        let direct = record.direct
        guard let newest = direct.last?.number else { return }
        noteNeeds(of: direct)
        let (old, new) = record.description?.boxed(values) ?? (nil, nil)
        let whole = elements == nil ? nil : direct.whole(of: object)
        // What it replaces is released when nothing is being changed any more, for that may run code of users.
        let replaced = made.lastValues?.new
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
        return joined(made.lastValues)
    }

    /// Begins to set the property, which concerns none but these registrations on the property itself.
    ///
    /// - Parameters:
    ///   - direct: The registrations; there is one at least.
    ///   - version: How often somebody had come or gone when they were found.
    ///   - part: The part of the transaction.
    ///   - position: Where the property stands among the changes of the transaction, if this is its first change.
    /// - Returns: The same as `join`; on its own, if one of them is called before the change.
    func begin(
        _ direct: RegistrationList, _ version: UInt32, in part: Int, at position: () -> Int
    ) -> Joining {
        let needs = needs(of: direct)
        guard !needs.hasPriors, let newest = direct.last?.number else { return .alone }
        if !hasChanged { self.position = position() }
        hasChanged = true
        joinable = (part, version)
        return joined(made.beginSetting(upTo: newest, needing: needs.values))
    }

    private func joined(_ values: NotedValues?) -> Joining {
        values?.isNewNeeded = needs.values.contains(.new)
        return .joined(values)
    }

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
        guard let core = change.core else { return }
        let registrations = change.path.registrations
        let newest = registrations.last?.number ?? 0
        let number = change.newestNumber
        let path = known(change.path) ?? TransactionPath(change.path, upTo: number, priors)
        if known(change.path) == nil { append(path) }
        switch change.values {
        case .none: return
        case .own(let old, let new): path.made.add(nil, upTo: number, newest: newest, old: old, new: new)
        case .made(let leaf):
            let whole = elements == nil ? nil : change.root.flatMap { registrations.whole(of: $0) }
            leaf.withValues(values) {
                let (old, new) = core.boxed($0)
                path.made.add(elements, whole: whole, upTo: number, newest: newest, old: old, new: new)
            }
        case .madeOld(let leaf, let new):
            leaf.withValues(values.withoutNew) {
                path.made.add(nil, upTo: number, newest: newest, old: core.boxed($0).old, new: new)
            }
        }
        path.noteEnded()
    }

    // MARK: At the end

    /// Whether it concerns a path.
    var concernsPaths: Bool { !followed.isEmpty }

    /// Begins the end: from here on, what getters set the property to belongs to this change.
    func beginEnd() {
        takeUp()
        noteDeferred(followed.filter { $0.beginEnd() }.map(\.path))
        for change in paths { change.hasBlocked = true }
        if made.endsWithElements { wholeAtEnd = value }
        becomePending()
    }

    /// Evaluates the paths, the first time those that it has not evaluated.
    func evaluate() {
        let first = evaluated
        evaluatePaths(from: first, of: objectOfChange)
        evaluated = paths.count
    }

    /// Notes the value that getters set the property to.
    func noteChangeByGetter() { made.setLast(from: wholeAtEnd, to: value) }

    /// Ends the change.
    ///
    /// - Returns: What is to be delivered, in the order of the registrations.
    func end() -> [DeliveryBatch.Step] {
        for path in followed { path.unblock() }
        finishEvaluated()
        var steps: [DeliveryBatch.Step] = []
        addStepsOfProperty(to: &steps)
        for path in followed {
            guard let root = path.change?.root ?? path.path.core?.root else { continue }
            path.end(of: root, to: &steps)
        }
        if event != 0 { traceSteps(&steps[...]) }
        return steps.sorted { $0.registration.number < $1.registration.number }
    }

    /// Adds what is to be delivered to registrations on the property itself, in their order.
    func addStepsOfProperty(to steps: inout [DeliveryBatch.Step]) {
        guard let object = reference.object else { return }
        let first = steps.count
        made.addSteps(for: record.direct, of: object, to: &steps)
        if event != 0 { traceSteps(&steps[first...]) }
    }

    /// Takes the change off the record; paths that were led to the property at the last moment are evaluated.
    private func finishEvaluated() {
        while true {
            switch record.end(self) {
            case .morePaths: evaluate()
            case .dirty: continue
            case .over: return conclude()
            }
        }
    }

    // Only a change that is announced needs the object, to find the root of a path in its `deinit`.
    private var objectOfChange: AnyObject { reference.object ?? self }

    /// The property's value now.
    private var value: BoxedValue? { reference.object.flatMap { record.description?.value(of: $0) } }
}
