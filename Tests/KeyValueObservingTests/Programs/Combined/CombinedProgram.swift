// Random programs in which every operation happens inside every other one.
import Foundation
import KeyValueObserving
import KeyValueObservingStyles

/// Performs random operations on a few objects; handlers, bodies and what is released act in the same way.
///
/// Two more threads act at times, in turns: see `CombinedThread`.
///
/// It does not predict each delivery, as `ProgramModel` does, but checks what must hold whatever happens: see
/// `CombinedWatcher`. When no change is open, everybody was told what they can read.
final class CombinedProgram {
    private final class Owner: KeyValueObservationOwner {
        let keyValueObservations = KeyValueObservationBag()
    }

    /// What a handler keeps: its release acts.
    private final class LastWord {
        private weak var program: CombinedProgram?

        init(_ program: CombinedProgram) { self.program = program }

        deinit {
            guard let program, program.isRunning, program.number(4) == 0 else { return }
            program.act()
        }
    }

    private struct Binding {
        let token: KeyValueObservation
        let isBothWays: Bool
        /// Whether it was made while a change was under way that it need not pass on.
        let isLate: Bool
        weak var source: CombinedPart?
        weak var target: CombinedPart?
    }

    private struct Weak {
        weak var part: CombinedPart?
    }

    /// What is accessed in place, which nobody may read meanwhile.
    private enum Access {
        case tally, number
    }

    private var generator: SplitMix
    private var parts: [CombinedPart] = []
    private var allParts: [Weak] = []
    private var watchers: [CombinedWatcher] = []
    private var anyWatchers: [CombinedAnyWatcher] = []
    private var eachWatchers: [CombinedEachWatcher] = []
    private var bindings: [Binding] = []
    /// Changes that were announced and not ended, or ended where it is not known whether that came too early.
    private var open: [(subject: CombinedSubject, part: CombinedPart, mayHaveEnded: Bool)] = []
    /// How many changes are just being announced.
    private var opening = 0
    private var accesses: [Access] = []
    private var lastNumber = 0
    private var lastAge = 0
    private var isRunning = true
    /// Something that nobody but the program itself observes, and no operation is performed with.
    private let ticker = CombinedPart(age: 0)
    private let tickerToken: KeyValueObservation
    private let loop = CombinedLoop()
    /// The thread that the steps run on, if not that of the test.
    private let stepThread = CombinedThread()
    private var isOnStepThread = false
    /// Acts while another one is in the midst of something.
    private let otherThread = CombinedThread()
    private var isElsewhere = false
    /// Whether most of it is about the shared properties of one part, so that threads meet at them.
    private let isAboutSharing: Bool

    /// How many operations this step may still perform, and how many are under way.
    private var budget = 0
    private var depth = 0
    private var deliveries = 0
    /// How many bodies of transactions are running.
    private var transactions = 0
    /// The number of the last outermost one.
    private var lastTransaction = 0
    /// How many outermost ones there were, on both threads.
    private var outermostTransactions = 0
    /// Who ignores the changes of a body that is running, and whether nothing else was under way when that began.
    private var ignoring: [(watcher: CombinedWatcher, isPlain: Bool)] = []

    private(set) var table = CombinedTable()
    private(set) var journal: [String] = []
    private(set) var failure: String?
    private let isNoting: Bool
    /// Whether the journal is printed as it is written, because a program ends the process.
    static let isTracing = ProcessInfo.processInfo.environment["COMBINED_TRACE"] != nil

    /// - Parameters:
    ///   - seed: The same seed makes the same program.
    ///   - isNoting: Whether to write down in the journal what is done, and who is called.
    init(seed: UInt64, noting isNoting: Bool = false) {
        generator = SplitMix(state: seed)
        self.isNoting = isNoting
        isAboutSharing = Int.random(in: 0..<4, using: &generator) == 0
        tickerToken = ticker.observe(\.tally) { _, _ in }
        for index in 0..<4 { parts.append(makePart(isShifted: index == 3)) }
    }

    /// Ends everything.
    ///
    /// - Returns: What is left over; nil if nothing is.
    private func finish() -> String? {
        isRunning = false
        while loop.runNext() {}
        for watcher in watchers { watcher.end() }
        watchers = []
        for watcher in anyWatchers { watcher.end() }
        anyWatchers = []
        for watcher in eachWatchers { watcher.end() }
        eachWatchers = []
        bindings = []
        onThreadOfStep { [self] in
            for change in open { announce(change.subject, of: change.part, isWill: false) }
        }
        open = []
        stepThread.end()
        otherThread.end()
        for weak in allParts {
            weak.part?.next = nil
            weak.part?.link = nil
            weak.part?.parts = []
        }
        parts = []
        let left = allParts.count { $0.part != nil }
        return left == 0 ? nil : "9.4 \(left) parts are left"
    }

    private func makePart(isShifted: Bool) -> CombinedPart {
        lastAge += 1
        let part = isShifted ? CombinedShiftedPart(age: lastAge) : CombinedPart(age: lastAge)
        allParts.removeAll { $0.part == nil }
        allParts.append(Weak(part: part))
        return part
    }

    /// Performs a program as a whole.
    func run(steps: Int) {
        for _ in 0..<steps where failure == nil { step() }
        let left = finish()
        failure = failure ?? left
    }

    // MARK: Steps

    /// Performs an operation with all that it leads to, and checks what must hold then.
    private func step() {
        budget = 8
        // A change ends on the thread on which it began.
        if open.isEmpty { isOnStepThread = number(3) == 0 }
        onThreadOfStep { [self] in act() }
        // What is read for the checks may change something: a getter does.
        budget = 0
        if number(40) == 0 { while loop.runNext() {} }
        let areOpen = !open.isEmpty
        for watcher in watchers {
            let isQuiet = !areOpen && (loop.isEmpty || !watcher.form.isOnExecutor)
            failure = failure ?? (isQuiet ? watcher.failureWhenQuiet : watcher.failure)
            if isQuiet { watcher.becomeQuiet() }
        }
        let isQuiet = !areOpen
        for watcher in anyWatchers {
            failure = failure ?? (isQuiet ? watcher.failureWhenQuiet : watcher.failure)
            if isQuiet { watcher.becomeQuiet() }
        }
        for watcher in eachWatchers { failure = failure ?? (isQuiet ? watcher.failureWhenQuiet : watcher.failure) }
        if isQuiet, failure == nil { failure = bindingFailure }
    }

    private func onThreadOfStep(_ body: @escaping () -> Void) {
        if isOnStepThread { stepThread.run(body) } else { body() }
    }

    private var bindingFailure: String? {
        for binding in bindings where binding.isBothWays && !binding.isLate {
            guard let source = binding.source, let target = binding.target, source.number != target.number else {
                continue
            }
            return "13.2 bound both ways: \(source.number) and \(target.number)"
        }
        return nil
    }

    private var isQuiet: Bool {
        open.isEmpty && deliveries == 0 && transactions == 0 && accesses.isEmpty && depth <= 1
    }

    private func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private func one<Element>(of elements: [Element]) -> Element { elements[number(elements.count)] }

    /// Performs a random operation, if there is something to perform it with.
    private func act() {
        guard budget > 0, depth < 6, failure == nil else { return }
        let operation = nextOperation()
        guard isPossible(operation) else { return }
        budget -= 1
        depth += 1
        table.begin(operation)
        perform(operation)
        table.end()
        depth -= 1
    }

    /// Any one; those are more frequent inside which little happens otherwise.
    private func nextOperation() -> CombinedOperation {
        if isElsewhere { return one(of: CombinedOperation.elsewhere) }
        if isAboutSharing, number(2) == 0 { return one(of: CombinedOperation.sharing) }
        if !loop.isEmpty, number(12) == 0 { return .runJobs }
        return number(20) == 0 ? .will : one(of: CombinedOperation.allCases)
    }

    private func isPossible(_ operation: CombinedOperation) -> Bool {
        switch operation {
        // What these read or set may be accessed in place.
        case .set, .setEqual, .setByOverride, .setWritten, .rewire, .relink, .takeBranch, .bind, .bindBothWays, .did,
            .will,
            .observe, .observeByController, .observeByOwner, .observeExpression, .observeSeveral, .observeOnExecutor,
            .accessInPlace:
            if accesses.contains(.number) { return false }
        default: break
        }
        switch operation {
        case .observe, .observeByController, .observeByOwner, .observeExpression, .observeSeveral, .observeOnExecutor:
            return watchers.count < 24
        case .runJobs: return !loop.isEmpty
        case .observeAnyProperty: return anyWatchers.count < 4
        case .endAnyProperty: return !anyWatchers.isEmpty
        case .observeEach: return eachWatchers.count < 4
        case .endEach: return !eachWatchers.isEmpty
        case .end: return !watchers.isEmpty
        case .ignore: return !watchers.isEmpty
        case .unbind: return !bindings.isEmpty
        case .did: return !open.isEmpty
        case .will: return open.count < 3
        case .actElsewhere: return !isElsewhere
        default: return true
        }
    }

    // MARK: Operations

    private func note(_ text: @autoclosure () -> String) {
        guard isNoting else { return }
        journal.append(String(repeating: "  ", count: depth) + text())
        if Self.isTracing { print(journal[journal.count - 1]) }
    }

    private func perform(_ operation: CombinedOperation) {
        let part = isAboutSharing && number(4) > 0 ? parts[0] : one(of: parts)
        note("\(operation) \(part.age)\(isElsewhere ? " elsewhere" : "")")
        switch operation {
        case .set: set(part, number(10))
        case .setEqual: part.number = part.number
        case .setByOverride: (parts[3] as? CombinedShiftedPart)?.shift = number(3)
        case .setCollection:
            switch number(3) {
            case 0: part.items = numbers()
            case 1: part.items.append(number(10))
            default: part.members = Set(numbers())
            }
        case .accessInPlace: access(part)
        case .mutateArray: mutateArray(part.mutable(\.items))
        case .mutateSet: mutateSet(part.mutable(\.members))
        case .setManually: part.manual = number(10)
        case .setShared: setShared(part)
        case .setHidden: setHidden(part)
        case .setWritten: setWritten(part)
        case .mutateShared: mutateArray(part.mutable(\.sharedItems))
        case .relink:
            // It dies when it has been replaced: see `lead`.
            let former = part.link
            part.link = number(4) == 0 ? nil : one(of: parts)
            withExtendedLifetime(former) {}
        case .changeElements: mutateArray(part.mutable(\.list))
        case .changeMembers: mutateSet(part.mutable(\.group))
        case .will:
            let subject: CombinedSubject = one(of: [
                .number, .level, .items, .members, .next, .manual, .list, .group, .total, .nextNumber, .nextItems,
                .mixed, .linkNumber, .hidden, .byHand, .doubled, .declared, .written, .writtenItems, .writtenSum,
            ])
            open.append((subject, part, false))
            note("= \(subject)")
            opening += 1
            announce(subject, of: part, isWill: true)
            opening -= 1
        case .did:
            let index = number(open.count)
            let change = open[index]
            // It might end a change that has called the handler which is running, and is still to be made.
            if change.mayHaveEnded, deliveries > 0 { break }
            // Handlers are called before a change is open, and its end comes too early there: it is made again.
            if opening == 0 { open.remove(at: index) } else { open[index].mayHaveEnded = true }
            note("= \(change.subject) of \(change.part.age)")
            announce(change.subject, of: change.part, isWill: false)
        case .transaction: withKeyValueTransaction { actInTransaction() }
        case .throwingTransaction:
            try? withKeyValueTransaction {
                actInTransaction()
                throw CancellationError()
            }
        case .observe: observe(part, one(of: [.token, .token, .token, .distinctToken, .executor, .distinctExecutor]))
        case .observeByController: observe(part, .controller)
        case .observeByOwner: observe(part, .owner)
        case .observeExpression: observe(part, .expression)
        case .observeSeveral: observe(part, .several)
        case .observeOnExecutor: observe(part, one(of: [.executor, .boundedExecutor, .distinctExecutor]))
        case .runJobs: for _ in 0...number(4) { if !loop.runNext() { break } }
        case .observeAnyProperty: observeAnyProperty(of: part)
        case .endAnyProperty: anyWatchers.remove(at: number(anyWatchers.count)).end()
        case .end: watchers.remove(at: number(watchers.count)).end()
        case .ignore: ignore(one(of: watchers))
        case .observeEach: observeEach(of: part)
        case .endEach: eachWatchers.remove(at: number(eachWatchers.count)).end()
        case .mutateParts: mutateParts(of: part)
        case .rewire: lead(part, to: number(4) == 0 ? nil : one(of: parts))
        case .takeBranch: part.countsItems.toggle()
        case .readChangingGetter: _ = number(2) == 0 ? part.clamped + part.limited : part.counted
        case .bind: bind(part)
        case .bindBothWays: bindBothWays()
        case .unbind: bindings.remove(at: number(bindings.count))
        case .replaceObject: replace(number(4))
        case .actElsewhere: actElsewhere()
        }
    }

    private func numbers() -> [Int] { (0..<number(4)).map { _ in number(10) } }

    private func set(_ part: CombinedPart, _ value: Int) {
        let subject: CombinedSubject = one(of: accesses.isEmpty ? [.number, .level, .tally] : [.number, .level])
        note("= \(subject) to \(value)")
        switch subject {
        case .number: part.number = value
        case .level: part.level = value
        default: part.tally = value
        }
    }

    private func setHidden(_ part: CombinedPart) {
        if number(2) == 0 {
            part.hidden = number(10)
        } else {
            part.setByHand(number(10), inPlace: number(2) == 0)
        }
    }

    private func setWritten(_ part: CombinedPart) {
        switch number(6) {
        case 0: part.written = number(10)
        case 1: part.written += 1
        case 2: part.writtenItems = numbers()
        case 3: part.writtenItems.append(number(10))
        // Nobody may read it meanwhile, as in an access to the number.
        case 4 where accesses.isEmpty && open.isEmpty: change(&part.written, .number)
        default: if accesses.isEmpty, open.isEmpty { changeItems(&part.writtenItems) }
        }
    }

    private func change(_ value: inout Int, _ access: Access) {
        value += 1
        accesses.append(access)
        act()
        accesses.removeLast()
        value += 1
    }

    private func changeItems(_ items: inout [Int]) {
        accesses.append(.number)
        act()
        accesses.removeLast()
        items.append(number(10))
    }

    private func setShared(_ part: CombinedPart) {
        switch number(4) {
        case 0: part.shared = number(10)
        case 1: part.shared += 1
        case 2: part.sharedItems = numbers()
        default: part.sharedItems.append(number(10))
        }
    }

    /// The former part dies when it has been replaced: Swift does not let a `deinit` set what is just being set.
    private func lead(_ part: CombinedPart, to next: CombinedPart?) {
        note("= to \(next.map { "\($0.age)" } ?? "nobody")")
        let former = part.next
        part.next = next
        withExtendedLifetime(former) {}
    }

    private func access(_ part: CombinedPart) {
        // A path that a change under way leads to the number would read it.
        if number(2) == 0, accesses.isEmpty, open.isEmpty {
            change(&part.number, .number)
        } else if accesses.isEmpty {
            change(&part.tally, .tally)
        } else {
            part.level += 1
        }
    }

    private func mutateArray(_ items: ObservedMutableArray<Int>) {
        let way = number(9)
        // Otherwise handlers could take out what stands at a position between its choice and the change (7.3).
        if [2, 3, 4, 6, 7].contains(way) { completeDeliveries() }
        let count = items.count
        switch way {
        case 0: items.append(number(10))
        case 1: items.append(contentsOf: numbers())
        case 2: items.insert(number(10), at: number(count + 1))
        case 3 where count > 0: items.remove(at: number(count))
        case 4 where count > 0: items[number(count)] = number(10)
        case 5: items.sort()
        case 6 where count > 1: items.swapAt(0, count - 1)
        case 7: items.replaceSubrange(0..<number(count + 1), with: numbers())
        default: items.removeAll()
        }
    }

    /// Completes the deliveries under way, as any change that is delivered does before it is made (3.4).
    private func completeDeliveries() { ticker.tally += 1 }

    private func mutateSet(_ members: ObservedMutableSet<Int>) {
        switch number(6) {
        case 0: members.insert(number(10))
        case 1: members.remove(number(10))
        case 2: members.formUnion(Set(numbers()))
        case 3: members.subtract(Set(numbers()))
        case 4: members.formSymmetricDifference(Set(numbers()))
        default: members.set(Set(numbers()))
        }
    }

    private func announce(_ subject: CombinedSubject, of part: CombinedPart, isWill: Bool) {
        struct Announcing: CombinedVisitor {
            let part: CombinedPart
            let isWill: Bool

            func visit<Value: Equatable & Sendable>(
                _ keyPath: KeyPath<CombinedPart, Value>, _ told: @escaping (Value) -> ProgramEvent.Value
            ) {
                if isWill { part.willChangeValue(for: keyPath) } else { part.didChangeValue(for: keyPath) }
            }
        }
        // The subject of who leads elsewhere is the property itself.
        if subject != .next { return subject.visit(Announcing(part: part, isWill: isWill)) }
        if isWill { part.willChangeValue(for: \.next) } else { part.didChangeValue(for: \.next) }
    }

    private func actInTransaction() {
        if transactions == 0 {
            outermostTransactions += 1
            lastTransaction = outermostTransactions
        }
        transactions += 1
        for _ in 0..<(1 + number(3)) { act() }
        transactions -= 1
    }

    /// Acts on the other thread.
    private func actElsewhere() {
        // What it changes is not ignored, and comes after what was.
        for (watcher, _) in ignoring { watcher.fallBehind() }
        let here = (deliveries, transactions, lastTransaction, ignoring.map { ($0.watcher, false) })
        (deliveries, transactions, ignoring) = (0, 0, [])
        isElsewhere = true
        otherThread.run { [self] in for _ in 0...number(2) { act() } }
        isElsewhere = false
        (deliveries, transactions, lastTransaction, ignoring) = here
    }

    private func ignore(_ watcher: CombinedWatcher) {
        note("= \(watcher.number)")
        guard let token = watcher.token else { return act() }
        let isPlain = deliveries == 0 && transactions == 0 && open.isEmpty
        token.ignoringChanges {
            ignoring.append((watcher, isPlain))
            act()
            ignoring.removeLast()
        }
        watcher.fallBehind()
    }

    private func replace(_ index: Int) {
        // What is released may act, so it is released when the arrays are not accessed.
        endLifetime(of: index)
        for watcher in Self.take(from: &eachWatchers, where: { $0.owner == nil }) { watcher.end() }
        for watcher in Self.take(from: &anyWatchers, where: { $0.part == nil }) { watcher.end() }
        for watcher in Self.take(from: &watchers, where: { $0.part == nil }) { watcher.end() }
    }

    private static func take<Watcher>(
        from watchers: inout [Watcher], where isTaken: (Watcher) -> Bool
    ) -> [Watcher] {
        let taken = watchers.filter(isTaken)
        watchers.removeAll(where: isTaken)
        return taken
    }

    private func endLifetime(of index: Int) {
        let former = parts[index]
        parts[index] = makePart(isShifted: index == 3)
        withExtendedLifetime(former) {}
    }

    private func bind(_ source: CombinedPart) {
        let isLate = !isQuiet
        let target = one(of: parts)
        keep(source.bind(\.number, to: target, \.echo), isBothWays: false, isLate, source, target)
    }

    private func bindBothWays() {
        let isLate = !isQuiet
        // What an override adds would never be equal.
        let first = number(3)
        let (source, target) = (parts[first], parts[(first + 1 + number(2)) % 3])
        keep(source.bindBothWays(\.number, to: target, \.number), isBothWays: true, isLate, source, target)
    }

    private func keep(
        _ token: KeyValueObservation, isBothWays: Bool, _ isLate: Bool, _ source: CombinedPart,
        _ target: CombinedPart
    ) {
        bindings.removeAll { $0.token.isInvalidated }
        if bindings.count == 6 { bindings.removeFirst() }
        bindings.append(
            Binding(token: token, isBothWays: isBothWays, isLate: isLate, source: source, target: target))
    }

    // MARK: Watchers

    private func observe(_ part: CombinedPart, _ form: CombinedWatcher.Form) {
        var subject = one(of: isAboutSharing && number(4) > 0 ? CombinedSubject.sharing : CombinedSubject.allCases)
        // It is read to be registered.
        if accesses.contains(.tally), subject == .tally { subject = .level }
        // Its getter would set what only the first thread may.
        if isElsewhere, subject == .clamped { subject = .limited }
        if form == .expression, subject.isDeclared { subject = .nextByHand }
        var options: KeyValueObservingOptions =
            switch number(4) {
            case 0, 1: [.old, .new]
            case 2: [.old, .new, .prior]
            default: KeyValueObservingOptions(rawValue: UInt(number(16)))
            }
        if subject.endsAtShared || form.isOnExecutor { options.remove(.prior) }
        // It may be dropped, or what a getter sets meanwhile waits after it.
        if form == .boundedExecutor || form.isOnExecutor && subject.setsWhatItReads { options.remove(.initial) }
        lastNumber += 1
        let watcher = CombinedWatcher(
            lastNumber, subject, of: part, options, form, acts: number(5),
            actsBefore: options.contains(.prior) && number(3) > 0,
            isLate: !isQuiet)
        note("= \(watcher)")
        watchers.append(watcher)
        subject.visit(Registering(program: self, watcher: watcher, part: part, form: form))
    }

    /// A handler that runs on one of the program's threads, of which one acts at a time.
    private struct OnExecutor<Value>: @unchecked Sendable {
        let body: (KeyValueObservedChange<Value>) -> Void

        init(_ body: @escaping (KeyValueObservedChange<Value>) -> Void) { self.body = body }
    }

    private struct Registering: CombinedVisitor {
        let program: CombinedProgram
        let watcher: CombinedWatcher
        let part: CombinedPart
        let form: CombinedWatcher.Form

        func visit<Value: Equatable & Sendable>(
            _ keyPath: KeyPath<CombinedPart, Value>, _ told: @escaping (Value) -> ProgramEvent.Value
        ) {
            let (lastWord, options) = (LastWord(program), watcher.options)
            let handler = { [unowned program, unowned watcher] (change: KeyValueObservedChange<Value>) in
                withExtendedLifetime(lastWord) { program.receive(change, watcher, told) }
            }
            switch form {
            case .token, .distinctToken:
                watcher.begin(
                    with: part.observe(keyPath, options: form == .distinctToken ? options.union(.distinct) : options) {
                        handler($1)
                    })
            case .executor, .boundedExecutor, .distinctExecutor:
                let receive = OnExecutor(handler)
                watcher.begin(
                    with: part.observe(
                        keyPath, options: form == .distinctExecutor ? options.union(.distinct) : options,
                        on: program.loop,
                        bufferingPolicy: form == .boundedExecutor ? .newest(2) : .unbounded
                    ) { receive.body($0) })
            case .expression:
                watcher.begin(
                    with: part.observe(reading: { $0[keyPath: keyPath] }, options: options) { handler($1) })
            case .several:
                watcher.begin(
                    with: part.observe(keyPaths: [\.echo, keyPath], options: options) { [unowned program] _, change in
                        guard change.keyPath == keyPath else { return }
                        withExtendedLifetime(lastWord) {
                            program.receive(change, watcher) { ($0 as? Value).map(told) ?? ProgramEvent.Value.none }
                        }
                    })
            case .controller:
                let owner = Owner()
                let controller = KVOController(observer: owner, retainsObserved: false)
                controller.observe(part, keyPath, options: options) { handler($2) }
                watcher.begin { [weak part, number = watcher.number] in
                    // A controller ends its registrations when it is released, too.
                    if number.isMultiple(of: 2) { controller.unobserve(part, keyPath) }
                    withExtendedLifetime((owner, controller)) {}
                }
            case .owner:
                let owner = Owner()
                owner.observe(part, keyPath, options: options) { handler($2) }
                watcher.begin { [weak part, number = watcher.number] in
                    if number.isMultiple(of: 2), let part { owner.stopObserving(part, keyPath) }
                    withExtendedLifetime(owner) {}
                }
            }
        }
    }

    private func receive<Value>(
        _ change: KeyValueObservedChange<Value>, _ watcher: CombinedWatcher, _ told: (Value) -> ProgramEvent.Value
    ) {
        guard isRunning else { return }
        note("> \(watcher.number) \(change)")
        let isLate = watcher.form.isOnExecutor
        let acts = watcher.receive(
            change,
            CombinedWatcher.Circumstances(
                isInsideTransaction: !isLate && deliveries == 0 && transactions > 0,
                transaction: transactions > 0 ? lastTransaction : nil,
                isInsideIgnoring: !isLate
                    && ignoring.contains { $0.watcher === watcher && $0.isPlain && deliveries == 0 }),
            told)
        guard acts else { return }
        deliveries += 1
        for _ in 0..<(1 + number(2)) { act() }
        deliveries -= 1
    }

    private func observeAnyProperty(of part: CombinedPart) {
        lastNumber += 1
        let watcher = CombinedAnyWatcher(lastNumber, part, acts: number(4), isLate: !isQuiet)
        note("= \(watcher)")
        anyWatchers.append(watcher)
        let lastWord = LastWord(self)
        watcher.begin(
            with: part.observeAnyProperty { [unowned self, unowned watcher] _, keyPath in
                withExtendedLifetime(lastWord) {
                    receive("\(keyPath)", watcher.number) { watcher.receive(keyPath, isInsideTransaction: $0) }
                }
            })
    }

    /// Has a watcher receive what it is called with, and acts if it says so.
    private func receive(
        _ event: @autoclosure () -> String, _ number: Int, _ acts: (_ isInsideTransaction: Bool) -> Bool
    ) {
        guard isRunning else { return }
        note("> \(number) \(event())")
        guard acts(deliveries == 0 && transactions > 0) else { return }
        deliveries += 1
        act()
        deliveries -= 1
    }

    // MARK: Each of several parts

    private func mutateParts(of owner: CombinedPart) {
        let way = number(8)
        // See `mutateArray`.
        if [1, 2, 3, 4].contains(way) { completeDeliveries() }
        // Parts that leave are released after the change: Swift does not let a `deinit` read what is being changed in place.
        let former = owner.parts
        defer { withExtendedLifetime(former) {} }
        let (view, count, part) = (owner.mutable(\.parts), former.count, one(of: parts))
        switch way {
        case 0: view.append(part)
        case 1: view.insert(part, at: number(count + 1))
        case 2 where count > 0: view.remove(at: number(count))
        case 3 where count > 0: view[number(count)] = part
        case 4 where count > 1: view.swapAt(0, count - 1)
        case 5: owner.parts = [part, one(of: parts)]
        case 6: owner.parts.append(part)
        default: if count > 6 { view.removeAll() }
        }
    }

    private func observeEach(of owner: CombinedPart) {
        lastNumber += 1
        let watcher = CombinedEachWatcher(lastNumber, owner, acts: number(4))
        note("= \(watcher)")
        eachWatchers.append(watcher)
        let lastWord = LastWord(self)
        let receive = { [unowned self, unowned watcher] (event: CombinedEachWatcher.Event) in
            withExtendedLifetime(lastWord) {
                self.receive("\(event)", watcher.number) { watcher.receive(event, isInsideTransaction: $0) }
            }
        }
        watcher.begin(
            with: owner.observe(eachOf: \.parts, \.level, options: [.old, .new]) { _, part, change in
                receive(.change(part, change))
            } arrival: { _, part in
                receive(.arrival(part))
            } departure: { _, part in
                receive(.departure(part))
            })
    }
}
