// Changes whose deliveries wait until a transaction ends.
import CKeyValueObserving

/// What a thread has changed between the begin and the end of its outermost transaction.
///
/// Changes are made as they are otherwise, and kept in place of their delivery. The watches that depend on what changed
/// (`DueWatch`) are evaluated once, at the end. Only its thread uses a transaction.
@usableFromInline
final class Transaction {
    // No access lasts while code of others runs.
    /// The first mutation of each property, in their order; it has the later steps of the property.
    @safe @exclusivity(unchecked) private var mutations: ContiguousArray<Mutation> = []
    /// Those that come after the first few.
    @safe @exclusivity(unchecked) private var mutationsBySource: [ObjectIdentifier: Mutation] = [:]
    @safe @exclusivity(unchecked) private var watches: [ObjectIdentifier: DueWatch] = [:]
    /// The registrations that were called before a change.
    @safe @exclusivity(unchecked) private var calledBefore: Set<RegistrationNumber> = []
    @safe @exclusivity(unchecked) private var isEnding = false
    /// Delivers what other threads have stored in shared properties that the transaction changed.
    @safe @exclusivity(unchecked) private var postponed: [() -> Void] = []
    // At its end:
    /// How many of the mutations have begun to be delivered.
    @safe @exclusivity(unchecked) private var begun = 0
    /// Where the deliveries of a source or a watch are, once a change in a handler has asked.
    @safe @exclusivity(unchecked) private var places: [ObjectIdentifier: ContiguousArray<Int>] = [:]

    /// How many properties are searched one after the other.
    private static let few = 16

    /// The transaction that is open on this thread, which the frame that runs it holds.
    static var current: Unretained<Transaction>? { Unretained(at: UInt(bitPattern: unsafe kvo_transaction())) }

    /// Runs `body` in a transaction: the one that is open on this thread, or a new one that ends with `body`.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard current == nil else { return try body() }
        if _slowPath(EngineTrace.isReporting) {
            return try EngineTrace.during {
                $0.begin(.transaction, of: nil, nil, cause: EngineTrace.cause)
            } _: {
                () throws(Failure) -> Result in
                try runOutermost(body)
            }
        }
        return try runOutermost(body)
    }

    private static func runOutermost<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let transaction = Transaction()
        var number: UInt64 = 0
        defer {
            if !transaction.mutations.isEmpty {
                Delivery.run(Delivery(of: Unretained(transaction), number: number))
            }
            transaction.finish()
        }
        // While it is open every change takes the careful way, for a delivery seems to be under way.
        return try Delivery.holdingPlace { () throws(Failure) -> Result in
            unsafe kvo_set_transaction(Unmanaged.passUnretained(transaction).toOpaque())
            defer {
                transaction.end()
                number = ActiveDelivery.innermost?.access { $0.number } ?? 0
                kvo_set_transaction(nil)
            }
            return try body()
        }
    }

    // MARK: While it is open

    /// Begins to set a property: the set may belong to a mutation that is kept, and held here.
    ///
    /// - Returns: That mutation: the value only has to be stored, and noted there; nil if the set is one of its own.
    @usableFromInline
    static func join(_ source: Source) -> Unretained<Mutation>? {
        guard let transaction = current, IgnoredRegistrations.innermost == nil, !EngineTrace.isReporting else {
            return nil
        }
        return transaction.with { $0.join(source) }
    }

    private func join(_ source: Source) -> Unretained<Mutation>? {
        if isEnding { return nil }
        let first = first(of: source)
        if let first, let joinable = first.with({ $0.joinable }), source.isFree(since: joinable) {
            return first.with { Unretained($0.last) }
        }
        guard source.isAutomatic, let recipients = source.borrowUnlessOpen() else { return nil }
        defer { source.giveBack(recipients) }
        return recipients.with { recipients in
            guard recipients.areSimple, recipients.watches.isEmpty, !recipients.isEmpty
            else {
                return nil
            }
            let newest = recipients.newest
            if let first = first?.object, first.takesSetting(newest, nil) {
                first.joinable = recipients.version
                return Unretained(first.last)
            }
            let mutation = Mutation.kept(of: source, upTo: newest)
            mutation.begin(recipients)
            add(mutation, after: first?.object)
            (first?.object ?? mutation).joinable = recipients.version
            return Unretained(mutation)
        }
    }

    /// Takes a mutation that was made, in place of its delivery.
    ///
    /// - Returns: Whether it keeps the mutation; otherwise another one has become that.
    func note(
        _ mutation: Mutation, _ edit: Edit?, _ values: ChangeValues, of object: AnyObject
    ) -> Bool {
        let (source, recipients) = (mutation.source, mutation.unretainedRecipients.object)
        let first = first(of: source)?.object
        let (filter, newestDirect) = (mutation.filter, recipients.newestDirect)
        // A registration that a handler made before the store takes part in the next set, which then begins a step.
        let isJoinable =
            edit == nil && filter.newest == Registration.newestNumber && filter.ignored == nil && source.isAutomatic
        (first ?? mutation).joinable = isJoinable ? recipients.version : nil
        var isKept = false
        if let first, newestDirect == 0 || edit == nil && first.takesSetting(newestDirect, filter.ignored) {
            if newestDirect > 0 {
                // What it replaces is released when nothing is being changed any more, for that may run code of users.
                let (step, replaced) = (first.last, first.last.new)
                step.new = source.kept(nil, values).new
                withExtendedLifetime(replaced) {}
            }
        } else {
            mutation.note(newestDirect == 0 ? KeptValues(edit) : source.kept(edit, values))
            add(mutation, after: first)
            isKept = true
        }
        let touching = first ?? mutation
        for slot in recipients.watches {
            let id = ObjectIdentifier(slot.watch)
            let watch = watches[id] ?? DueWatch(slot.watch, filter, mutation.event)
            if watches.updateValue(watch, forKey: id) == nil { touching.touch(watch) }
            watch.touch(filter)
        }
        return isKept
    }

    /// Whether a registration has not been called before a change in the transaction; it is about to be.
    func isFirstPrior(of number: RegistrationNumber) -> Bool { calledBefore.insert(number).inserted }

    /// Calls `deliver` now, or after what the transaction that is open delivers at its end.
    static func afterDelivery(_ deliver: @escaping () -> Void) {
        if let transaction = current { transaction.with { $0.postponed.append(deliver) } } else { deliver() }
    }

    private func add(_ mutation: Mutation, after first: Mutation?) {
        if let first { return first.append(mutation) }
        mutations.append(mutation)
        if mutations.count > Self.few { mutationsBySource[ObjectIdentifier(mutation.source)] = mutation }
    }

    /// Most transactions change few properties, and these are searched.
    private func first(of source: Source) -> Unretained<Mutation>? {
        for index in 0..<min(mutations.count, Self.few) where mutations[index].source === source {
            return Unretained(mutations[index])
        }
        return mutations.count > Self.few ? mutationsBySource[ObjectIdentifier(source)].map { Unretained($0) } : nil
    }

    // MARK: At its end

    /// Evaluates the watches, while the transaction is still open: what getters change belongs to it.
    private func end() {
        isEnding = true
        Tracking.suspended {
            var rounds = 0
            while !watches.isEmpty, rounds < Watch.mostRounds {
                let due = mutations.flatMap(\.touched).filter(\.isDue)
                if due.isEmpty { break }
                rounds += 1
                for watch in due { watch.evaluate() }
            }
            for mutation in mutations { mutation.prepareDelivery() }
        }
    }

    /// Whether something is left.
    var hasDeliveries: Bool { isEnding && begun < mutations.count }

    /// What is delivered next.
    func nextDelivery() -> Unretained<Mutation>? {
        guard begun < mutations.count else { return nil }
        begun += 1
        return Unretained(mutations[begun - 1])
    }

    /// The first mutation whose delivery has not begun and that a change of a source concerns, and the slots that are.
    func delivery(concerning source: ConcernedSource) -> (Mutation, Set<Int>)? {
        guard hasDeliveries else { return nil }
        if places.isEmpty { findPlaces() }
        let indexes =
            source.identities().map { Set($0.flatMap { places[$0] ?? [] }).filter { $0 >= begun }.sorted() }
            ?? Array(begun..<mutations.count)
        for index in indexes {
            let mutation = mutations[index]
            let slots = source.slots(of: mutation.unretainedRecipients, without: mutation.toldSlots, of: nil)
            if !slots.isEmpty { return (mutation, slots) }
        }
        return nil
    }

    private func findPlaces() {
        for (index, mutation) in mutations.enumerated() {
            mutation.unretainedRecipients.with { recipients in
                if let source = recipients.source { places[source, default: []].append(index) }
                for slot in recipients.watches { places[ObjectIdentifier(slot.watch), default: []].append(index) }
            }
        }
    }

    private func finish() {
        while let mutation = mutations.popLast() { mutation.endKeeping() }
        for deliver in postponed { deliver() }
    }
}

/// A watch that a transaction has touched: it is evaluated once, at the end, and its observers are called.
///
/// Only the thread of the transaction uses it, and no access lasts while code of others runs.
final class DueWatch {
    private let watch: Watch
    /// The registrations that take part.
    @safe @exclusivity(unchecked) private(set) var filter: Filter
    /// The event of the first change.
    private let event: EngineTrace.EventNumber
    /// Whether something changed since it was evaluated.
    @safe @exclusivity(unchecked) private(set) var isDue = false
    @safe @exclusivity(unchecked) private(set) var payload = WatchPayload()

    init(_ watch: Watch, _ filter: Filter, _ event: EngineTrace.EventNumber) {
        self.watch = watch
        self.filter = filter
        self.event = event
    }

    /// Notes that something changed that it depends on.
    ///
    /// What a registration ignores may lead a path elsewhere, and what follows may not be ignored.
    func touch(_ other: Filter) {
        isDue = true
        filter.add(other)
        if other.ignored != nil { watch.relink() }
    }

    func evaluate() {
        isDue = false
        guard let subject = watch.subject else { return }
        let new = watch.payload(subject, for: filter, event)
        if new.isNothing { return }
        payload.finish(watch)
        payload = new
    }

    /// Its slot among recipients.
    func slot(in recipients: Unretained<Recipients>) -> Int? { recipients.with { $0.slot(of: watch) } }

    /// Its observers, whatever it depends on now.
    var ownSlot: WatchSlot? { watch.subject.map { watch.slot($0) } }

    /// Ends it: its observers have been called.
    func finish() { payload.finish(watch) }
}

extension Watch {
    /// Evaluates it again, which its thread has claimed, and calls those of its observers that take part in changes which other
    /// threads left to this one.
    func deliverAgain(
        _ subject: WatchSubject, of root: AnyObject, _ filter: Filter
    ) {
        let value = evaluate(subject, from: root)
        let mutation = Mutation(of: root, WatchPayload(of: root, value, upTo: nil), to: slot(subject), filter)
        Delivery.run(Delivery(keptIn: mutation))
        withExtendedLifetime(mutation) {}
        takeBack(value)
    }
}
