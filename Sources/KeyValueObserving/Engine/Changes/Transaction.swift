// Changes whose deliveries wait until a transaction ends.
import CKeyValueObserving

/// What a set of a property in a transaction finds.
@usableFromInline
enum Joining {
    /// It is a change of its own.
    case alone
    /// It belongs to a change that the transaction notes: the value only has to be stored, and noted here. The
    /// transaction holds the change.
    case joined(Unretained<NotedChange>?)
}

/// What a thread has touched between the begin and the end of its outermost transaction.
///
/// Changes are made as they are otherwise. What would be delivered after them is noted: for the property that changed
/// (``TouchedSource``), and that the watches are touched that depend on it (``TouchedWatch``). These are evaluated once, at
/// the end. Only its thread uses a transaction.
@usableFromInline
final class Transaction {
    // No access lasts while code of others runs.
    @safe @exclusivity(unchecked) private var sources: ContiguousArray<TouchedSource> = []
    /// Those that come after the first few.
    @safe @exclusivity(unchecked) private var sourcesByIdentity: [ObjectIdentifier: TouchedSource] = [:]
    @safe @exclusivity(unchecked) private var watches: [ObjectIdentifier: TouchedWatch] = [:]
    /// Who was called before a change.
    @safe @exclusivity(unchecked) private var calledBefore: Set<RegistrationNumber> = []
    @safe @exclusivity(unchecked) private var isEnding = false
    /// Delivers what other threads have stored in shared properties that the transaction changed.
    @safe @exclusivity(unchecked) private var held: [() -> Void] = []

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
        // What handlers change that are called for earlier changes does not belong to it.
        Delivery.completeAll()
        let transaction = Transaction()
        var calls: [DeliveryCall] = []
        var isNumbered = false
        defer {
            if !calls.isEmpty { Delivery.run(calls, isOfTransaction: true, isNumbered: isNumbered) }
            transaction.finish()
        }
        // While it is open every change takes the careful way, for a delivery seems to be under way.
        return try Delivery.holdingPlace { () throws(Failure) -> Result in
            unsafe kvo_set_transaction(Unmanaged.passUnretained(transaction).toOpaque())
            defer {
                calls = transaction.end()
                isNumbered = DeliveryPlace.innermost?.isNumbered ?? false
                kvo_set_transaction(nil)
            }
            return try body()
        }
    }

    // MARK: While it is open

    /// Begins to set a property: the set may belong to a change that is noted.
    @usableFromInline
    static func join(_ source: Source, of object: AnyObject) -> Joining {
        guard let transaction = current, IgnoredRegistrations.innermost == nil, !EngineTrace.isReporting else {
            return .alone
        }
        return transaction.with { $0.join(source, of: object) }
    }

    private func join(_ source: Source, of object: AnyObject) -> Joining {
        if isEnding { return .alone }
        let known = known(source)
        if case .joined(let change)? = known?.join() { return .joined(change) }
        guard source.isAutomatic, let recipients = source.borrowUnlessOpen() else { return .alone }
        defer { source.giveBack(recipients) }
        return recipients.with { recipients in
            guard recipients.areSimple, recipients.watches.isEmpty, recipients.keyPath == nil else { return .alone }
            return (known ?? add(TouchedSource(source, of: object))).begin(recipients)
        }
    }

    /// Notes a change that was made, in place of its delivery.
    func note(
        _ change: Change, _ recipients: Recipients, _ elements: ElementsChange?, _ values: ChangeValues,
        of object: AnyObject
    ) {
        let touched = known(change.source) ?? add(TouchedSource(change.source, of: object))
        touched.note(change, recipients, elements, values)
        let concerned = ConcernedRegistrations(upTo: change.newestNumber)
        for member in recipients.watches {
            let id = ObjectIdentifier(member.watch)
            let watch = watches[id] ?? TouchedWatch(member.watch, concerned, change.event)
            if watches.updateValue(watch, forKey: id) == nil { touched.watches.append(watch) }
            watch.touch(concerned)
        }
    }

    /// Whether a registration has not been called before a change in the transaction; it is about to be.
    func isFirstPrior(of number: RegistrationNumber) -> Bool { calledBefore.insert(number).inserted }

    /// Calls `deliver` now, or after what the transaction that is open delivers at its end.
    static func afterDelivery(_ deliver: @escaping () -> Void) {
        if let transaction = current { transaction.with { $0.held.append(deliver) } } else { deliver() }
    }

    private func add(_ touched: TouchedSource) -> TouchedSource {
        sources.append(touched)
        if sources.count > Self.few { sourcesByIdentity[ObjectIdentifier(touched.source)] = touched }
        return touched
    }

    /// Most transactions change few properties, and these are searched.
    private func known(_ source: Source) -> TouchedSource? {
        for index in 0..<min(sources.count, Self.few) where sources[index].source === source { return sources[index] }
        return sources.count > Self.few ? sourcesByIdentity[ObjectIdentifier(source)] : nil
    }

    // MARK: At its end

    /// Evaluates the watches, while the transaction is still open: what getters change belongs to it.
    ///
    /// - Returns: What is to be delivered, in its order.
    private func end() -> [DeliveryCall] {
        isEnding = true
        return Tracking.suspended {
            var rounds = 0
            while !watches.isEmpty, rounds < Watch.mostRounds {
                let due = sources.flatMap(\.watches).filter(\.isDue)
                if due.isEmpty { break }
                rounds += 1
                for watch in due { watch.evaluate() }
            }
            var calls: [DeliveryCall] = []
            calls.reserveCapacity(sources.count)
            for source in sources { source.addCalls(to: &calls) }
            return calls
        }
    }

    private func finish() {
        if !watches.isEmpty { for watch in sources.flatMap(\.watches) { watch.finish() } }
        for deliver in held { deliver() }
    }
}
