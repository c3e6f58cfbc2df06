// A key path or an expression of one object that is evaluated.
import Synchronization

/// A key path or expression of one object that is not simply one of its stored properties, with everybody who observes it.
///
/// It is evaluated after a change of what its last evaluation read, and listens itself to what it reads: see
/// `Watch+Reading.swift`. One thread at a time evaluates it and calls its observers: that thread has *claimed* it, and
/// leaves its claim when they have been called. A thread that comes meanwhile leaves a mark, and the first one evaluates
/// again.
///
/// | guarded by | what |
/// | --- | --- |
/// | the lock | who is registered, whether it has ended, what a source has to know of it |
/// | the claim | what it read, whether it is dirty |
///
/// No other lock is taken under the lock, and no code of users runs.
package final class Watch: Tracker, RegistrationKeeper, KeyPathNamed, @unchecked Sendable {
    /// The table of the object that it starts at.
    let table: ObservationTable
    let nameHash: UInt32
    /// Whether it is found by its key path; an expression is not.
    private let isNamed: Bool

    private let lock = Lock()
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var state: State

    /// Twice the number of the thread that has claimed it, and one more once another thread came; or 0.
    private let claimant = Atomic<UInt64>(0)
    // The claim makes accesses exclusive.
    /// How often its thread has claimed it.
    @safe @exclusivity(unchecked) private var claims = 0
    /// What its last evaluation read, each once, in the order of the first reads; changed under the lock as well, so that
    /// others may look.
    @safe @exclusivity(unchecked) private(set) var sources = DistinctObjects<Source>()
    /// Whether its next evaluation may read something else for the same key paths, or more: classes declare dependencies of
    /// what it reads, or a property was found out to be stored.
    @safe @exclusivity(unchecked) var expectsNothing = false
    @safe @exclusivity(unchecked) private var freshness = Freshness.clean
    /// When it was read last, if it reads properties that several threads change.
    @safe @exclusivity(unchecked) private(set) var evaluatedAt: UInt64 = 0
    /// Counts the evaluations of what reads such properties, as a clock that all threads have in common.
    private static let clock = Atomic<UInt64>(0)
    static var now: UInt64 { clock.load(ordering: .acquiring) }
    /// A box for the next value.
    @safe @exclusivity(unchecked) private var spare: BoxedValue?
    // While it is evaluated, see `Watch+Reading.swift`:
    /// How much of what it read before it has read again, in the same order.
    @safe @exclusivity(unchecked) var agreed = 0
    /// All that it has read, once that is something else.
    @safe @exclusivity(unchecked) var read = DistinctObjects<Source>()
    @safe @exclusivity(unchecked) var isReadingOther = false
    /// The declared dependencies that were read.
    @safe @exclusivity(unchecked) var followed: [(object: AnyObject, name: KeyPathName)] = []

    /// How often an evaluation is repeated that changes what it reads.
    static let mostRounds = 8

    private enum Freshness {
        case clean
        /// Changes found it being accessed, in which registrations up to a number take part.
        case dirty(upTo: RegistrationNumber)
        /// So many evaluations are under way, one inside the other; something that it reads may have changed meanwhile.
        case evaluating(depth: Int, isStale: Bool)
    }

    /// Changes that found the watch claimed by another thread.
    private struct Left {
        /// The newest registration that takes part.
        var newest: RegistrationNumber = 0
        /// The registrations that all the changes ignore.
        var ignored: Set<RegistrationNumber> = []

        mutating func add(upTo number: RegistrationNumber, ignoring others: Set<RegistrationNumber>) {
            if number == 0 { return }
            ignored = newest == 0 ? others : ignored.intersection(others)
            newest = max(newest, number)
        }
    }

    private struct State {
        /// Nil once it has ended.
        var subject: WatchSubject?
        var registrations = RegistrationList()
        /// The property at the end of its path, and how its values are made of that property's, if they are.
        var end: (source: Source, leaf: PathLeaf)?
        /// Whether it reads properties that several threads change.
        var isShared = false
        /// What other threads left to the claimant; nil if they left nothing.
        var left: Left?

        /// Ends it; returns what it had.
        mutating func finish() -> State {
            var last = State(subject: nil, isShared: isShared)
            swap(&self, &last)
            return last
        }
    }

    init(_ subject: WatchSubject, in table: ObservationTable, isNamed: Bool = true) {
        self.table = table
        self.isNamed = isNamed
        // Those that nobody looks for are spread over the table.
        nameHash =
            isNamed ? subject.name.hash : UInt32(truncatingIfNeeded: ObjectIdentifier(subject).hashValue)
        state = State(subject: subject)
    }

    private func withState<Result>(_ transition: (inout State) -> Result) -> Result {
        lock.withLock { transition(&state) }
    }

    /// What it reads; nil once it has ended.
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
        // What is taken out is released without the lock.
        let (removed, last) = withState { state -> (Registration?, State?) in
            guard let removed = state.registrations.remove(number) else { return (nil, nil) }
            // With its last registration it ends at once, so that none is added meanwhile.
            return (removed, state.registrations.isEmpty ? state.finish() : nil)
        }
        guard let removed else { return }
        if EngineTrace.isOn { removed.traceEnd() }
        if let last { forget(last) } else { forgetRecipients() }
    }

    func registrations(_ number: RegistrationNumber) -> [Registration] { registrations.registrations(number) }

    /// Ends it and all registrations: the root is gone, or nobody observes it.
    func end() {
        let last = withState { $0.finish() }
        for registration in last.registrations.all {
            registration.end()
            if EngineTrace.isOn { registration.traceEnd() }
        }
        forget(last)
    }

    /// Leaves the table and what it depends on; what it had is released without the lock.
    private func forget(_ last: consuming State) {
        table.remove(self)
        // Otherwise its claimant leaves what it reads.
        if claim(leaving: 0) {
            detachFromSources()
            leaveClaim()
        }
    }

    /// Invalidates the recipients that the sources keep.
    private func forgetRecipients() {
        for source in attached { source.forgetRecipients() }
    }

    /// The sources that know of it, for whoever has no claim.
    var attached: ContiguousArray<Source> { withState { _ in sources.elements } }

    /// Those who are notified of a change of a source by way of this watch; nil if there are none.
    func entry(at source: Source) -> WatchEntry? {
        withState { state in
            guard let subject = state.subject, !state.registrations.isEmpty else { return nil }
            let leaf = state.end.flatMap { $0.source === source ? $0.leaf : nil }
            return WatchEntry(
                self, subject,
                // What several threads change is claimed for each change: one thread at a time calls its observers.
                leaf: state.isShared ? leaf?.ofElementsOnly : leaf, state.registrations, isShared: state.isShared)
        }
    }

    /// Whether something that it reads is being accessed in place, on whichever thread, so that it must not be evaluated.
    var isAccessed: Bool { attached.contains { $0.isAccessed } }

    /// Whether this thread accesses some of that.
    var isAccessedHere: Bool { attached.contains { $0.isAccessedHere } }

    // MARK: Claiming

    /// Claims it for this thread, or leaves a mark.
    ///
    /// The mark leaves the claimant the newest registration that a change concerns, and those that it ignores; without a
    /// number, none is left.
    ///
    /// - Returns: Whether this thread has it. `leaveClaim` must follow.
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

    /// Leaves the claim, unless another thread has come meanwhile: then it is to be evaluated again.
    ///
    /// - Returns: What has come; nil if the claim is left.
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

    /// Claims it for a change, which evaluates it and leaves the claim.
    ///
    /// Nil if it is accessed, evaluated or claimed: then that is done later.
    ///
    /// - Returns: The newest registration that is concerned.
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

    /// Has a new registration take part in the evaluation that is due when the watch is no longer being accessed.
    func admit(_ number: RegistrationNumber) {
        guard claim() else { return }
        if isDirty { becomeDirty(upTo: number) }
        leaveClaim()
    }

    /// Has registrations up to a number take part in the next evaluation, beside those that do; 0 adds none.
    ///
    /// - Returns: Up to which number they do.
    @discardableResult
    private func becomeDirty(upTo number: RegistrationNumber) -> RegistrationNumber {
        var newest = number
        if case .dirty(let known) = freshness { newest = max(known, newest) }
        if newest > 0 { freshness = .dirty(upTo: newest) }
        return newest
    }

    /// Whether something that it reads has changed since the evaluation under way began.
    private var isStale: Bool { if case .evaluating(_, let isStale) = freshness { isStale } else { false } }

    /// Whether changes found it being accessed, since it was evaluated last.
    var isDirty: Bool { if case .dirty = freshness { true } else { false } }

    /// Whether its observers may have missed a change: one found it being accessed, or another thread left one.
    var hasMissedChanges: Bool { isDirty || claimant.load(ordering: .acquiring) & 1 != 0 }

    /// Whether a change of its end reaches its observers without an evaluation.
    var canBeLeftUnread: Bool { if case .clean = freshness { !isAccessed } else { false } }

    /// Delivers the changes that found it being accessed: an access has ended that changed nothing.
    func deliverPostponed() {
        // Whoever has claimed it may just have found it being accessed, and is left a mark.
        guard claim(leaving: 0) else { return }
        if isDirty { claimant.bitwiseOr(1, ordering: .relaxed) }
        leaveClaim()
    }

    /// Leaves the claim, and evaluates and delivers again where other threads have come.
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

    /// Stops listening to what it reads: it has ended.
    private func detachFromSources() {
        let left = withState { _ in
            defer { (sources, agreed) = (DistinctObjects(), 0) }
            return sources.elements
        }
        for source in left { source.detach(self) }
    }

    // MARK: Evaluating

    /// Evaluates it, again where it changes what it reads, and makes it depend on what was read.
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

    /// Notes that it was read now: changes of elements stored before are delivered as settings.
    func noteTime() {
        evaluatedAt = isShared ? Self.clock.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue : 0
    }

    /// Makes what was read the sources, which are others than before; false if it has ended.
    ///
    /// What were the sources is in `read` then.
    func exchangeSources(_ leaf: PathLeaf?, shared isShared: Bool) -> Bool {
        withState { state in
            if state.subject == nil { return false }
            swap(&sources, &read)
            state.end = leaf.flatMap { leaf in sources.elements.last.map { ($0, leaf) } }
            state.isShared = isShared
            return true
        }
    }

    /// Makes it depend on what it reads now, without telling anybody.
    func relink() {
        if let subject, let root = subject.root { _ = relink(subject, from: root) }
    }

    /// Makes it depend on what it reads now, from an object on.
    ///
    /// - Returns: The value, if it is wanted, and if nobody else is about to read it.
    func relink(_ subject: WatchSubject, from root: AnyObject, wantsValue: Bool = false) -> BoxedValue? {
        guard let number = turn(upTo: 0) else { return nil }
        let value = evaluate(subject, from: root)
        if !wantsValue { takeBack(value) }
        becomeDirty(upTo: number)
        leaveClaim()
        return wantsValue ? value : nil
    }

    // MARK: The last values of its observers

    /// A copy of the last value of one of its observers, for while it cannot be read.
    func copyOfLastValue(_ subject: WatchSubject) -> BoxedValue? {
        registrations.all.lazy.compactMap { registration in
            registration.withLastValue { lastValue in
                lastValue.whileStrong { subject.copy(of: lastValue) }
            }
        }.first
    }

    /// Takes back a box that nobody needs any more.
    func takeBack(_ box: BoxedValue) {
        box.clear()
        spare = box
    }

    // MARK: What is listened to: see `Watch+Reading.swift`.

    /// Whether a property is the one that is read next if nothing has changed.
    override func isExpected(_ table: UInt, _ property: PropertyIdentity, manualKeyPath: AnyKeyPath?) -> Bool {
        // Declared dependencies are found where something is noted.
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
