// Transactions, which postpone deliveries to their end.
import CKeyValueObserving

/// The changes of a thread between the begin and the end of its outermost transaction.
///
/// Changes are made as usual, but kept in place of being delivered. The watches that depend on changed properties
/// (`DueWatch`) are evaluated once, at the end. Only its thread uses a transaction.
@usableFromInline
final class Transaction {
    // No access lasts while code of users runs.
    /// One mutation for each property, in the order of their first changes.
    @safe @exclusivity(unchecked) private var mutations: ContiguousArray<Mutation> = []
    /// The mutations after the first few, by source.
    @safe @exclusivity(unchecked) private var mutationsBySource: [ObjectIdentifier: Mutation] = [:]
    @safe @exclusivity(unchecked) private var watches: [ObjectIdentifier: DueWatch] = [:]
    /// How many changes were recorded.
    @safe @exclusivity(unchecked) private var changes = 0
    /// The registrations that were called before a change.
    @safe @exclusivity(unchecked) private var calledBefore: Set<RegistrationNumber> = []
    @safe @exclusivity(unchecked) private var isEnding = false
    /// The registrations ignored where the transaction began, and where it ends.
    private let ignoredAround = IgnoredRegistrations.innermost
    var ignored: Set<RegistrationNumber> { ignoredAround?.with { $0.numbers } ?? [] }
    /// Registrations with a later number were made inside the transaction.
    let newestBefore = Registration.newestNumber
    /// Functions that deliver changes by other threads of shared properties that the transaction changed.
    @safe @exclusivity(unchecked) private var postponed: [() -> Void] = []
    /// How many mutations have begun to be delivered, at its end.
    @safe @exclusivity(unchecked) private var begun = 0

    /// How many properties are searched linearly.
    private static let few = 16

    /// The transaction that is open on this thread, which the frame that runs it holds.
    static var current: Unretained<Transaction>? { Unretained(at: UInt(bitPattern: unsafe kvo_transaction())) }

    /// Runs `body` in a transaction: the one that is open on this thread, or a new one that ends with `body`.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard current == nil else { return try body() }
        if EngineTrace.isOn {
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
        // Because of the empty delivery, every change inside takes the careful way, which checks for the transaction.
        return try Delivery.withEmptyDelivery { () throws(Failure) -> Result in
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

    /// Begins to set a property; the set may belong to a kept mutation.
    ///
    /// - Returns: That mutation, which only has to store and record the value; nil if the set is a change of its own.
    @usableFromInline
    static func join(_ source: Unretained<Source>) -> Unretained<Mutation>? {
        guard let transaction = current, !EngineTrace.isOn else { return nil }
        return transaction.with { transaction in source.with { transaction.join($0) } }
    }

    private func join(_ source: Source) -> Unretained<Mutation>? {
        if isEnding { return nil }
        let first = first(of: source)
        if let first, let joinable = first.with({ $0.joinable }), source.isFree(since: joinable) { return first }
        guard source.isAutomatic, let recipients = source.borrowUnlessOpen() else { return nil }
        defer { source.giveBack(recipients) }
        return recipients.with { recipients in
            guard recipients.areSimple, recipients.watches.isEmpty, !recipients.isEmpty else { return nil }
            if let first = first?.object, !first.takesSetting(recipients.newest) { return nil }
            let mutation = first?.object ?? Mutation.kept(of: source, upTo: recipients.newest)
            if first == nil {
                changes += 1
                mutation.beginKeeping(recipients, at: changes)
                add(mutation)
            }
            mutation.joinable = recipients.version
            return Unretained(mutation)
        }
    }

    /// Keeps a mutation that was made, in place of its delivery.
    ///
    /// - Returns: Whether the transaction keeps this mutation; otherwise, another one has its values.
    func note(_ mutation: Mutation, _ edit: Edit?, _ values: ChangeValues, of object: AnyObject) -> Bool {
        let (source, recipients, newest) = (mutation.source, mutation.unretainedRecipients.object, mutation.newest)
        let (first, newestDirect) = (first(of: source)?.object, recipients.newestDirect)
        // A path that ends at the property delivers its elements.
        let isKept = newestDirect > 0 || edit != nil && recipients.watches.contains(where: \.isOfElements)
        changes += 1
        if let first {
            if edit == nil, first.takesSetting(newestDirect) {
                // The replaced value is released after all changes, because its release may run code of users.
                let replaced = first.new
                if newestDirect > 0 { first.new = source.kept(nil, values).new }
                withExtendedLifetime(replaced) {}
            } else if isKept {
                first.addStep(mutation, source.kept(edit, values), at: changes)
            }
        } else {
            mutation.beginKeeping(isKept ? source.kept(edit, values) : KeptValues(edit), at: changes)
            add(mutation)
        }
        let kept = first ?? mutation
        // A registration that a handler made before the store takes part in the next set, which then begins a step.
        let isJoinable = edit == nil && newest == Registration.newestNumber && source.isAutomatic
        kept.joinable = isJoinable ? recipients.version : nil
        for entry in recipients.watches {
            let id = ObjectIdentifier(entry.watch)
            let watch = watches[id] ?? DueWatch(entry.watch, mutation.event)
            if watches.updateValue(watch, forKey: id) == nil { kept.part?.touch(watch) }
            let isAtLeaf = edit != nil && entry.isOfElements
            watch.touch(upTo: newest, at: changes, atLeafOf: isAtLeaf ? kept.part : nil)
        }
        return first == nil
    }

    /// Whether a registration is about to receive its first `.prior` call in the transaction.
    func isFirstPrior(of number: RegistrationNumber) -> Bool { calledBefore.insert(number).inserted }

    /// Calls `deliver` now, or after the deliveries at the end of the open transaction.
    static func afterDelivery(_ deliver: @escaping () -> Void) {
        if let transaction = current { transaction.with { $0.postponed.append(deliver) } } else { deliver() }
    }

    private func add(_ mutation: Mutation) {
        mutations.append(mutation)
        if mutations.count > Self.few { mutationsBySource[ObjectIdentifier(mutation.source)] = mutation }
    }

    /// Most transactions change few properties, which are searched linearly.
    private func first(of source: Source) -> Unretained<Mutation>? {
        for index in 0..<min(mutations.count, Self.few) where mutations[index].source === source {
            return Unretained(mutations[index])
        }
        return mutations.count > Self.few ? mutationsBySource[ObjectIdentifier(source)].map { Unretained($0) } : nil
    }

    // MARK: At its end

    /// Evaluates the watches while the transaction is still open, so that changes by getters belong to it.
    private func end() {
        isEnding = true
        Tracking.suspended {
            var rounds = 0
            while !watches.isEmpty, rounds < Watch.mostRounds {
                let due = mutations.flatMap { $0.part?.dueWatches ?? [] }
                if due.isEmpty { break }
                rounds += 1
                for watch in due { watch.evaluate() }
            }
            for mutation in mutations { mutation.prepareDelivery() }
        }
    }

    /// Whether a mutation is left to deliver.
    var hasNext: Bool { isEnding && begun < mutations.count }

    /// The next mutation to deliver.
    func next() -> Unretained<Mutation>? {
        guard hasNext else { return nil }
        begun += 1
        return Unretained(mutations[begun - 1])
    }

    private func finish() {
        while let mutation = mutations.popLast() { mutation.endKeeping() }
        for deliver in postponed { deliver() }
    }
}

/// A watch that depends on a property changed in a transaction, which evaluates it once, at the end.
///
/// Only the thread of the transaction uses it, and no access lasts while code of users runs.
final class DueWatch {
    private let watch: Watch
    /// The event of the first change.
    private let event: EngineTrace.EventNumber
    /// The newest registrations that take part from certain changes on, in ascending order.
    @safe @exclusivity(unchecked) private var reaches: ContiguousArray<WatchPayload.Reach> = []
    /// The property at its end, as long as only changes of that property's elements have touched the watch.
    @safe @exclusivity(unchecked) private var end: TransactionPart?
    /// Whether a dependency changed since it was evaluated.
    @safe @exclusivity(unchecked) private(set) var isDue = false
    @safe @exclusivity(unchecked) private var payload = WatchPayload()

    init(_ watch: Watch, _ event: EngineTrace.EventNumber) {
        self.watch = watch
        self.event = event
    }

    /// Records a change of a dependency.
    func touch(upTo newest: RegistrationNumber, at place: Int, atLeafOf part: TransactionPart?) {
        end = reaches.isEmpty || end === part ? part : nil
        isDue = end == nil
        if newest > reaches.last?.newest ?? 0 { reaches.append(WatchPayload.Reach(newest: newest, place: place)) }
    }

    func evaluate() {
        isDue = false
        guard let subject = watch.subject else { return }
        let new = watch.payload(subject, upTo: reaches.last?.newest ?? 0, event)
        payload.finish(watch)
        payload = new
    }

    /// Its slot among recipients.
    func slot(in recipients: Unretained<Recipients>) -> Int? { recipients.with { $0.slot(of: watch) } }

    /// Its observers, even if it no longer depends on the source.
    func entry(at source: Source) -> WatchEntry? { watch.entry(at: source) }

    /// The payload for its observers, with a property whose observers take part up to a number from a change on.
    ///
    /// `isAtLeaf` says whether the watch ends at that property.
    func payload(
        atLeaf isAtLeaf: Bool, besides newest: RegistrationNumber, from place: Int
    ) -> WatchPayload {
        if end != nil {
            if isAtLeaf, watch.canBeLeftUnread, let subject = watch.subject {
                payload = WatchPayload(atLeafOf: subject)
            } else {
                evaluate()
            }
        }
        return payload.reaching(reaches, besides: newest, from: place)
    }

    /// Ends it after its observers have been called.
    func finish() { payload.finish(watch) }
}
