// Changes whose deliveries wait until a transaction ends.
import CKeyValueObserving

/// What a thread has changed between the begin and the end of its outermost transaction.
///
/// Changes are made as they are otherwise, and kept in place of their delivery. The watches that depend on what changed
/// (``TouchedWatch``) are evaluated once, at the end. Only its thread uses a transaction.
@usableFromInline
final class Transaction: DeliveredChanges {
    // No access lasts while code of others runs.
    /// The first change of each property, in their order; a change has those of the same property that follow.
    @safe @exclusivity(unchecked) private var changes: ContiguousArray<Change> = []
    /// Those that come after the first few.
    @safe @exclusivity(unchecked) private var changesBySource: [ObjectIdentifier: Change] = [:]
    @safe @exclusivity(unchecked) private var watches: [ObjectIdentifier: TouchedWatch] = [:]
    /// Who was called before a change.
    @safe @exclusivity(unchecked) private var calledBefore: Set<RegistrationNumber> = []
    @safe @exclusivity(unchecked) private var isEnding = false
    /// Delivers what other threads have stored in shared properties that the transaction changed.
    @safe @exclusivity(unchecked) private var held: [() -> Void] = []
    /// The delivery that stands for it while it is open.
    @safe @exclusivity(unchecked) private var place: UInt = 0

    /// How many properties are searched one after the other.
    private static let few = 16

    /// The transaction that is open on this thread, which the frame that runs it holds.
    static var current: Unretained<Transaction>? { Unretained(at: UInt(bitPattern: unsafe kvo_transaction())) }

    /// Whether one is open on this thread, and nothing is being delivered inside it.
    static var isInnermost: Bool { current?.with { $0.place == UInt(bitPattern: unsafe kvo_delivery()) } ?? false }

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
        // What handlers change that are called for earlier changes does not belong to it.
        Delivery.completeAll()
        let transaction = Transaction()
        var isNumbered = false
        defer {
            if !transaction.deliveries.isEmpty {
                Delivery.run(Delivery(of: Unretained(transaction as DeliveredChanges), isNumbered: isNumbered))
            }
            transaction.finish()
        }
        // While it is open every change takes the careful way, for a delivery seems to be under way.
        return try Delivery.holdingPlace { () throws(Failure) -> Result in
            unsafe kvo_set_transaction(Unmanaged.passUnretained(transaction).toOpaque())
            transaction.place = UInt(bitPattern: unsafe kvo_delivery())
            defer {
                transaction.end()
                isNumbered = DeliveryPlace.innermost?.isNumbered ?? false
                kvo_set_transaction(nil)
            }
            return try body()
        }
    }

    // MARK: While it is open

    /// Begins to set a property: the set may belong to a change that is kept, and held here.
    ///
    /// - Returns: That change: the value only has to be stored, and noted there; nil if the set is a change of its own.
    @usableFromInline
    static func join(_ source: Source) -> Unretained<Change>? {
        guard let transaction = current, IgnoredRegistrations.innermost == nil, !EngineTrace.isReporting else {
            return nil
        }
        return transaction.with { $0.join(source) }
    }

    private func join(_ source: Source) -> Unretained<Change>? {
        if isEnding { return nil }
        let first = first(of: source)
        if let first, let joinable = first.with({ $0.joinable }), source.isFree(since: joinable) {
            return first.with { Unretained($0.last) }
        }
        guard source.isAutomatic, let recipients = source.borrowUnlessOpen() else { return nil }
        defer { source.giveBack(recipients) }
        return recipients.with { recipients in
            guard recipients.areSimple, recipients.watches.isEmpty, recipients.keyPath == nil,
                let newest = recipients.newestNumber
            else { return nil }
            if let first = first?.object, first.takesSetting(newest, nil) {
                first.joinable = recipients.version
                return Unretained(first.last)
            }
            let change = Change.kept(of: source, upTo: newest)
            change.begin(recipients)
            add(change, after: first?.object)
            (first?.object ?? change).joinable = recipients.version
            return Unretained(change)
        }
    }

    /// Takes a change that was made, in place of its delivery.
    ///
    /// - Returns: Whether it keeps the change; otherwise another one has become that.
    func note(
        _ change: Change, _ elements: ElementsChange?, _ values: ChangeValues, of object: AnyObject
    ) -> Bool {
        let (source, recipients) = (change.source, change.recipients)
        let first = first(of: source)?.object
        let (concerned, newestDirect) = (change.concerned, recipients.direct.last?.number ?? 0)
        let isJoinable =
            elements == nil && concerned.newest == Registration.newestNumber && concerned.ignored == nil
            && source.isAutomatic
        (first ?? change).joinable = isJoinable ? recipients.version : nil
        var isKept = false
        if let first, newestDirect == 0 || elements == nil && first.takesSetting(newestDirect, concerned.ignored) {
            if newestDirect > 0 {
                // What it replaces is released when nothing is being changed any more, for that may run code of users.
                let (step, replaced) = (first.last, first.last.new)
                step.new = source.boxed(values).new
                withExtendedLifetime(replaced) {}
            }
        } else {
            change.note(elements, newestDirect == 0 ? BoxedValues() : source.boxed(values))
            add(change, after: first)
            isKept = true
        }
        let touching = first ?? change
        for member in recipients.watches {
            let id = ObjectIdentifier(member.watch)
            let watch = watches[id] ?? TouchedWatch(member.watch, concerned, change.event)
            if watches.updateValue(watch, forKey: id) == nil { touching.touched.append(watch) }
            watch.touch(concerned)
        }
        return isKept
    }

    /// Whether a registration has not been called before a change in the transaction; it is about to be.
    func isFirstPrior(of number: RegistrationNumber) -> Bool { calledBefore.insert(number).inserted }

    /// Calls `deliver` now, or after what the transaction that is open delivers at its end.
    static func afterDelivery(_ deliver: @escaping () -> Void) {
        if let transaction = current { transaction.with { $0.held.append(deliver) } } else { deliver() }
    }

    private func add(_ change: Change, after first: Change?) {
        if let first { return first.later.append(change) }
        changes.append(change)
        if changes.count > Self.few { changesBySource[ObjectIdentifier(change.source)] = change }
    }

    /// Most transactions change few properties, and these are searched.
    private func first(of source: Source) -> Unretained<Change>? {
        for index in 0..<min(changes.count, Self.few) where changes[index].source === source {
            return Unretained(changes[index])
        }
        return changes.count > Self.few ? changesBySource[ObjectIdentifier(source)].map { Unretained($0) } : nil
    }

    // MARK: At its end

    /// Evaluates the watches, while the transaction is still open: what getters change belongs to it.
    private func end() {
        isEnding = true
        Tracking.suspended {
            var rounds = 0
            while !watches.isEmpty, rounds < Watch.mostRounds {
                let due = changes.flatMap(\.touched).filter(\.isDue)
                if due.isEmpty { break }
                rounds += 1
                for watch in due { watch.evaluate() }
            }
            deliveries.reserveCapacity(changes.count)
            for change in changes { change.addDeliveries(to: &deliveries) }
        }
    }

    private func finish() {
        if !watches.isEmpty { for touched in changes.flatMap(\.touched) { touched.finding.finish(touched.watch) } }
        while let change = changes.popLast() { change.endKeeping() }
        for deliver in held { deliver() }
    }
}
