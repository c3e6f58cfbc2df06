// What a transaction knows of one property that was changed in it.

/// The changes of one property in a transaction, and the paths that it was the first to touch.
///
/// It does not keep the object alive.
final class TransactionChange: PendingChange, @unchecked Sendable {
    private let reference: RootReference<AnyObject>
    private var made = TransactionSteps()
    private var priors = TransactionPriors()
    private var needs = Recipients.Needs()
    /// The number of the last registration that is among those.
    private var newestNeeding: RegistrationNumber = 0
    private var followed: [TransactionPath] = []
    /// Where those stand in `followed` that come after the first few.
    private var positions: [ObjectIdentifier: Int] = [:]
    /// Where it stands among the changes of the transaction.
    private(set) var position: Int
    private var hasChanged = false
    /// Where the next set belongs to the change that was noted last: in which part of the transaction, and as long as
    /// nobody comes or goes.
    private var joinable: (part: Int, version: UInt32)?
    /// Whether the property was set since the last change was noted.
    private var hasJoined = false
    /// How many of the paths have been evaluated at the end.
    private var evaluated = 0
    /// The whole value at the end, if its last change was one of elements.
    private var wholeAtEnd: BoxedValue?

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
    func follow(_ path: ObservedPath, upTo number: RegistrationNumber, of object: AnyObject) {
        let change = includePath(path, isQuiet: true)
        change?.findOldValue(of: object)
        change?.letGo()
        append(TransactionPath(path, change, upTo: number, on: thread))
    }

    /// Notes that another change concerns a path, and registrations up to a number.
    func touch(_ path: ObservedPath, upTo number: RegistrationNumber) {
        guard let known = known(path) else { return }
        // A getter made the change, after the path was evaluated for the last time.
        if known.isEnding { becomeDirty() } else { known.touch(upTo: number) }
    }

    /// Notes that what follows is to be told from what was changed so far at a path: a registration has been made there.
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
        for registration in direct.after(newestNeeding) { needs.add(registration) }
        newestNeeding = direct.last?.number ?? newestNeeding
        return needs
    }

    /// Finds who on the property itself is to be called before a change.
    ///
    /// - Parameter number: The number of the last registration that the change concerns.
    /// - Returns: Those who have not been called yet.
    func priorRecipients(upTo number: RegistrationNumber) -> RegistrationList {
        var direct = RegistrationList()
        for registration in priors.take(from: record.direct, upTo: number) { direct.append(registration) }
        return direct
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
        let (old, new) = record.description?.boxed(values) ?? (nil, nil)
        let whole = elements == nil ? nil : direct.whole(of: object)
        made.add(elements, whole: whole, upTo: newestNumber, newest: newest, old: old, new: new)
    }

    /// Notes in which part of the transaction the next set belongs to the change that was noted just now; nil if it is a
    /// change of its own.
    func lastMayBeJoined(in part: Int?) { joinable = part.map { ($0, record.version) } }

    /// Begins to set the property.
    ///
    /// - Returns: Whether the set belongs to the last change.
    func join(in part: Int) -> Bool {
        if let joinable, joinable.part == part, record.isSetAlone(since: joinable.version) {
            hasJoined = true
            return true
        }
        completeLast()
        return false
    }

    /// Notes the value that sets which belong to the last change have left.
    func completeLast() {
        joinable = nil
        guard hasJoined else { return }
        hasJoined = false
        if needs(of: record.direct).values.contains(.new) { made.setLast(from: nil, to: value) }
    }

    /// Notes what a change means to a path that is not blocked: one whose own change was announced manually.
    func note(_ change: PathChange, _ elements: ElementsChange?, _ values: ChangeValues) {
        guard let core = change.core else { return }
        let registrations = change.path.registrations
        let newest = registrations.last?.number ?? 0
        let number = change.newestNumber
        let path = known(change.path) ?? TransactionPath(unblocked: change.path, upTo: number)
        if known(change.path) == nil { append(path) }
        switch change.values {
        case .none: break
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
    }

    // MARK: At the end

    /// Begins the end: from here on, what getters set the property to belongs to this change.
    func beginEnd() {
        completeLast()
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
        if let object = reference.object { steps += made.steps(for: record.direct, of: object) }
        for path in followed {
            guard let root = path.change?.root ?? path.path.core?.root else { continue }
            if path.isBlocked {
                // Whoever announced a change of the path that is still open notifies its observers.
                guard case .own(let old, let new)? = path.change?.values else { continue }
                path.end(old: old, new: new)
            }
            steps += path.made.steps(for: path.path.registrations, of: root)
        }
        return steps.sorted { $0.registration.number < $1.registration.number }
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
