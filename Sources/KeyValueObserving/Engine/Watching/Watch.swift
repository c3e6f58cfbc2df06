// An evaluated key path or expression of one object.
import Synchronization

/// A key path or expression of one object that is not simply one of its stored properties, with its registrations.
///
/// It is evaluated after a change of a property that its last evaluation read, and tracks its reads itself; see
/// `Watch+Reading.swift`. One thread at a time evaluates it and calls its observers. That thread has *claimed* it, and
/// leaves its claim after these calls. Another thread that comes meanwhile leaves a mark, and the claimant evaluates
/// again.
///
/// | guarded by | state |
/// | --- | --- |
/// | the lock | the registrations, the end, the facts that its sources use |
/// | the claim | the sources, the freshness |
///
/// No other lock is taken under the lock, and no code of users runs.
package final class Watch: Tracker, RegistrationKeeper, KeyPathNamed, @unchecked Sendable {
    /// The table of its root, the object that it starts at.
    let table: ObservationTable
    let nameHash: UInt32
    /// Whether it is found by its key path, unlike an expression.
    private let isNamed: Bool

    private let lock = Lock()
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var state: State

    /// Twice the number of the claimant, plus one once another thread has left a mark; or 0.
    private let claimant = Atomic<UInt64>(0)
    // The claim makes these accesses exclusive.
    /// How often the claimant has claimed it.
    @safe @exclusivity(unchecked) private var claims = 0
    /// The sources that its last evaluation read, in the order of the first reads; also changed under the lock, so that
    /// other threads may read them.
    @safe @exclusivity(unchecked) private(set) var sources = DistinctObjects<Source>()
    /// Whether its next evaluation may read other or further properties, because classes declare dependencies of those
    /// that it reads, or because a property turned out to be stored.
    @safe @exclusivity(unchecked) var expectsNothing = false
    @safe @exclusivity(unchecked) private var freshness = Freshness.clean
    /// The time of the last evaluation, if it reads properties that several threads change.
    @safe @exclusivity(unchecked) private(set) var evaluatedAt: UInt64 = 0
    /// Counts the evaluations of watches that read such properties, as a clock shared by all threads.
    private static let clock = Atomic<UInt64>(0)
    static var now: UInt64 { clock.load(ordering: .acquiring) }
    /// A box for the next value.
    @safe @exclusivity(unchecked) private var spare: BoxedValue?
    // The state of an evaluation; see `Watch+Reading.swift`:
    /// How many of its former sources it has read again, in the same order.
    @safe @exclusivity(unchecked) var agreed = 0
    /// All sources that it has read, once they differ from the former ones.
    @safe @exclusivity(unchecked) var read = DistinctObjects<Source>()
    @safe @exclusivity(unchecked) var isReadingOther = false
    /// The declared dependencies that were read.
    @safe @exclusivity(unchecked) var followed: [(object: AnyObject, name: KeyPathName)] = []

    /// How often an evaluation that changes its own dependencies is repeated.
    static let mostRounds = 8

    private enum Freshness {
        case clean
        /// Changes found one of its sources being accessed; registrations up to a number take part in them.
        case dirty(upTo: RegistrationNumber)
        /// A number of nested evaluations are under way; a source may have changed meanwhile.
        case evaluating(depth: Int, isStale: Bool)
    }

    /// Changes that found the watch claimed by another thread.
    private struct Left {
        /// The newest registration that takes part.
        var newest: RegistrationNumber = 0
        /// The registrations that all these changes ignore.
        var ignored: Set<RegistrationNumber> = []

        mutating func add(upTo number: RegistrationNumber, ignoring others: Set<RegistrationNumber>) {
            if number == 0 { return }
            ignored = newest == 0 ? others : ignored.intersection(others)
            newest = max(newest, number)
        }
    }

    private struct State {
        /// The subject; nil once the watch has ended.
        var subject: WatchSubject?
        var registrations = RegistrationList()
        /// The property at the end of its path, and the leaf that makes its values, if there is one.
        var end: (source: Source, leaf: PathLeaf)?
        /// Whether it reads properties that several threads change.
        var isShared = false
        /// The changes that other threads left to the claimant; nil for none.
        var left: Left?

        /// Ends the watch, and returns its former state.
        mutating func finish() -> State {
            var last = State(subject: nil, isShared: isShared)
            swap(&self, &last)
            return last
        }
    }

    init(_ subject: WatchSubject, in table: ObservationTable, isNamed: Bool = true) {
        self.table = table
        self.isNamed = isNamed
        // Watches that are never looked up are spread over the table.
        nameHash =
            isNamed ? subject.name.hash : UInt32(truncatingIfNeeded: ObjectIdentifier(subject).hashValue)
        state = State(subject: subject)
    }

    private func withState<Result>(_ transition: (inout State) -> Result) -> Result {
        lock.withLock { transition(&state) }
    }

    /// The subject; nil once it has ended.
    var subject: WatchSubject? { withState { $0.subject } }
    package var keyPath: AnyKeyPath? { subject?.name.keyPath }
    package var hasEnded: Bool { table.hasEnded }
    package var objects: [AnyObject] { table.object.map { [$0] } ?? [] }
    func isNamed(_ name: KeyPathName) -> Bool { isNamed && subject?.name.isSame(as: name) ?? false }
    /// Whether it reads properties that several threads change.
    var isShared: Bool { withState { $0.isShared } }
    /// The property at the end of its path.
    var leafSource: Source? { withState { $0.end?.source } }

    // MARK: Registrations

    var registrations: RegistrationList { withState { $0.registrations } }

    /// Records a registration; false if it has ended.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath,
        comparing equality: AnyObject?
    ) -> Bool {
        let isAdded = withState { state in
            guard let subject = state.subject else { return false }
            registration.record(
                at: request.callSite(
                    after: state.registrations.last?.site, at: keyPath,
                    keeping: request.keeping(subject), comparing: equality))
            state.registrations.append(registration)
            return true
        }
        if isAdded { forgetRecipients() }
        return isAdded
    }

    package func remove(_ number: RegistrationNumber) {
        // The removed objects are released after leaving the lock.
        let (removed, last) = withState { state -> (Registration?, State?) in
            guard let removed = state.registrations.remove(number) else { return (nil, nil) }
            // It ends at once with its last registration, so that none is added meanwhile.
            return (removed, state.registrations.isEmpty ? state.finish() : nil)
        }
        guard let removed else { return }
        if EngineTrace.isOn { removed.traceEnd() }
        if let last { forget(last) } else { forgetRecipients() }
    }

    func registrations(_ number: RegistrationNumber) -> [Registration] { registrations.registrations(number) }

    /// Ends the watch and all registrations, because its root is dying or it has no observers.
    func end() {
        let last = withState { $0.finish() }
        for registration in last.registrations.all {
            registration.end()
            if EngineTrace.isOn { registration.traceEnd() }
        }
        forget(last)
    }

    /// Removes the watch from the table and its sources, and releases its former state without the lock.
    private func forget(_ last: consuming State) {
        table.remove(self)
        // Otherwise, its claimant detaches it.
        if claim(leaving: 0) {
            detachFromSources()
            leaveClaim()
        }
    }

    /// Removes the recipients that the sources keep.
    private func forgetRecipients() {
        for source in attached { source.forgetRecipients() }
    }

    /// The sources that it is attached to, for threads without a claim.
    var attached: ContiguousArray<Source> { withState { _ in sources.elements } }

    /// The entry of the observers that a change of a source notifies through this watch; nil if there are none.
    func entry(at source: Source) -> WatchEntry? {
        withState { state in
            guard let subject = state.subject, !state.registrations.isEmpty else { return nil }
            let leaf = state.end.flatMap { $0.source === source ? $0.leaf : nil }
            return WatchEntry(
                self, subject,
                // Each change of a shared property claims the watch, so one thread at a time calls its observers.
                leaf: state.isShared ? leaf?.ofElementsOnly : leaf, state.registrations, isShared: state.isShared)
        }
    }

    /// Whether any thread is accessing one of its sources in place, so that the watch must not be evaluated.
    var isAccessed: Bool { attached.contains { $0.isAccessed } }

    /// Whether this thread is accessing one of its sources in place.
    var isAccessedHere: Bool { attached.contains { $0.isAccessedHere } }

    // MARK: Claiming

    /// Claims the watch for this thread, or leaves a mark.
    ///
    /// The mark tells the claimant the newest registration that a change concerns, and the registrations that it
    /// ignores; without a number, there is no mark.
    ///
    /// - Returns: Whether this thread has claimed it; `leaveClaim` must then follow.
    func claim(leaving number: RegistrationNumber? = nil) -> Bool {
        let own = ThisThread.number << 1
        while true {
            let word = claimant.load(ordering: .relaxed)
            if word & ~1 == own {
                claims += 1
                return true
            }
            if word == 0 {
                guard claimant.compareExchange(expected: 0, desired: own, ordering: .acquiring).exchanged else {
                    continue
                }
                claims = 1
                return true
            }
            guard let number else { return false }
            let ignored = IgnoredRegistrations.current
            let isLeft = withState { state in
                guard claimant.compareExchange(expected: word, desired: word | 1, ordering: .releasing).exchanged else {
                    return false
                }
                state.left = state.left ?? Left()
                state.left?.add(upTo: number, ignoring: ignored)
                return true
            }
            if isLeft { return false }
        }
    }

    /// Leaves the claim, unless another thread has left a mark, so that the watch must be evaluated again.
    ///
    /// - Returns: The changes that were left; nil if the claim is left.
    private func tryToLeaveClaim() -> Left? {
        claims -= 1
        if claims > 0 { return nil }
        let own = ThisThread.number << 1
        if claimant.compareExchange(expected: own, desired: 0, ordering: .releasing).exchanged { return nil }
        claims = 1
        return withState { state in
            _ = claimant.exchange(own, ordering: .acquiring)
            return state.left.take() ?? Left()
        }
    }

    /// Claims the watch for a change, which evaluates it and leaves the claim.
    ///
    /// Nil if a source is being accessed, or the watch is being evaluated or claimed; the evaluation then comes later.
    ///
    /// - Returns: The newest registration concerned.
    func turn(upTo number: RegistrationNumber) -> RegistrationNumber? {
        guard claim(leaving: number) else { return nil }
        // Only the claimant changes the sources.
        let isAccessed = sources.contains { $0.with { $0.isAccessed } }
        switch freshness {
        case .clean where !isAccessed: return number
        case .dirty(let known) where !isAccessed: return max(known, number)
        case .clean, .dirty: becomeDirty(upTo: number)
        case .evaluating(let depth, _): freshness = .evaluating(depth: depth, isStale: true)
        }
        leaveClaim()
        return nil
    }

    /// Lets a new registration take part in the evaluation that is due when the access ends.
    func admit(_ number: RegistrationNumber) {
        guard claim() else { return }
        if isDirty { becomeDirty(upTo: number) }
        leaveClaim()
    }

    /// Lets registrations up to a number take part in the next evaluation, in addition to those that do; 0 adds none.
    ///
    /// - Returns: The number up to which registrations take part.
    @discardableResult
    private func becomeDirty(upTo number: RegistrationNumber) -> RegistrationNumber {
        var newest = number
        if case .dirty(let known) = freshness { newest = max(known, newest) }
        if newest > 0 { freshness = .dirty(upTo: newest) }
        return newest
    }

    /// Whether a source has changed since the current evaluation began.
    private var isStale: Bool { if case .evaluating(_, let isStale) = freshness { isStale } else { false } }

    /// Whether changes found a source being accessed since the last evaluation.
    var isDirty: Bool { if case .dirty = freshness { true } else { false } }

    /// Whether its observers may have missed a change, made during an access to a source, or left to the claimant.
    var hasMissedChanges: Bool { isDirty || claimant.load(ordering: .acquiring) & 1 != 0 }

    /// Whether a change of the property at its end can be delivered without an evaluation.
    var canBeLeftUnread: Bool { if case .clean = freshness { !isAccessed } else { false } }

    /// Delivers the changes that found a source being accessed, after an access without a change has ended.
    func deliverPostponed() {
        // The claimant may just have found the source being accessed, so it gets a mark.
        guard claim(leaving: 0) else { return }
        if isDirty { claimant.bitwiseOr(1, ordering: .relaxed) }
        leaveClaim()
    }

    /// Leaves the claim, after evaluating and delivering again for other threads that left a mark.
    func leaveClaim() {
        while let left = tryToLeaveClaim() {
            guard let subject, let root = subject.root else {
                detachFromSources()
                continue
            }
            let newest = becomeDirty(upTo: left.newest)
            if isAccessed { continue }
            let value = evaluate(subject, from: root)
            deliver(value, of: root, upTo: newest, ignoring: left.ignored)
            takeBack(value)
        }
    }

    /// Detaches the watch from its sources, because it has ended.
    private func detachFromSources() {
        let left = withState { _ in
            defer { (sources, agreed) = (DistinctObjects(), 0) }
            return sources.elements
        }
        for source in left { source.detach(self) }
    }

    // MARK: Evaluating

    /// Evaluates the watch, again if it changes its own sources, and makes it depend on the properties that were read.
    func evaluate(_ subject: WatchSubject, from root: AnyObject) -> BoxedValue {
        let depth = if case .evaluating(let depth, _) = freshness { depth + 1 } else { 1 }
        let span = EngineTrace.isOn ? traceBegin(subject, of: root) : .none
        var box = spare.take()
        for round in 1... {
            freshness = .evaluating(depth: depth, isStale: false)
            (agreed, isReadingOther) = (0, false)
            let value = tracking {
                follow(subject.declared, of: root)
                return subject.read(root, box)
            }
            endReading(subject)
            if !isStale || round == Self.mostRounds {
                noteTime()
                if span.event != .unreported { traceEnd(span, of: root, subject, value) }
                freshness = depth > 1 ? .evaluating(depth: depth - 1, isStale: isStale) : .clean
                return value
            }
            value.clear()
            box = value
        }
        preconditionFailure("the rounds end")
    }

    /// Records the time of the evaluation; changes of elements stored before are delivered as settings.
    func noteTime() {
        evaluatedAt = isShared ? Self.clock.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue : 0
    }

    /// Replaces the sources by those that were read; false if the watch has ended.
    ///
    /// Afterwards, `read` has the former sources.
    func exchangeSources(_ leaf: PathLeaf?, shared isShared: Bool) -> Bool {
        withState { state in
            if state.subject == nil { return false }
            swap(&sources, &read)
            state.end = leaf.flatMap { leaf in sources.elements.last.map { ($0, leaf) } }
            state.isShared = isShared
            return true
        }
    }

    /// Evaluates the watch to find its sources, without calling its observers.
    func relink() {
        if let subject, let root = subject.root { _ = relink(subject, from: root) }
    }

    /// Evaluates the watch from an object to find its sources.
    ///
    /// - Returns: The value, if it is wanted and no other thread is about to read it.
    func relink(_ subject: WatchSubject, from root: AnyObject, wantsValue: Bool = false) -> BoxedValue? {
        guard let number = turn(upTo: 0) else { return nil }
        let value = evaluate(subject, from: root)
        if !wantsValue { takeBack(value) }
        becomeDirty(upTo: number)
        leaveClaim()
        return wantsValue ? value : nil
    }

    // MARK: The last values of its observers

    /// A copy of the last value of one of its observers, for the time while the watch cannot be read.
    func copyOfLastValue(_ subject: WatchSubject) -> BoxedValue? {
        registrations.all.lazy.compactMap { registration in
            registration.withLastValue { lastValue in
                lastValue.whileStrong { subject.copy(of: lastValue) }
            }
        }.first
    }

    /// Takes back a box that is no longer used.
    func takeBack(_ box: BoxedValue) {
        box.clear()
        spare = box
    }

    // MARK: Tracking reads; see `Watch+Reading.swift`.

    /// Whether a property is the next one to be read if nothing has changed.
    override func isExpected(_ table: UInt, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?) -> Bool {
        // Recording a property also finds its declared dependencies.
        guard !isReadingOther, agreed < sources.elements.count, !expectsNothing else { return false }
        return Unretained(sources.elements[agreed]).with { next in
            guard UInt(bitPattern: ObjectIdentifier(next.table)) == table, next.property.rawValue == property.rawValue,
                manualKeyPath == nil || next.keyPath === manualKeyPath
            else { return false }
            agreed += 1
            return true
        }
    }

    override func note(
        _ object: any KeyValueObservable, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) { noteRead(object, object.observationTable, property, manualKeyPath, describe) }
}
