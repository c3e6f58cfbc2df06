// Changes whose deliveries wait until a transaction ends.
import CKeyValueObserving

/// What a thread changes between the begin and the end of its outermost transaction.
///
/// Changes are made as they are otherwise, and observers that asked for it are called before them. What would be
/// delivered after them is noted instead, under the property that changed: see ``TransactionChange``. The paths that
/// depend on these properties are blocked on this thread, as they are while a change of theirs is announced manually, so
/// that they are evaluated once, at the end.
///
/// Only its thread uses a transaction.
final class Transaction {
    // No access lasts while code of others runs.
    @safe @exclusivity(unchecked) private var changes: [TransactionChange] = []
    /// How many places in the order of deliveries have been given.
    @safe @exclusivity(unchecked) private var positions = 0
    /// Those that come after the first few.
    @safe @exclusivity(unchecked) private var changesByRecord: [ObjectIdentifier: TransactionChange] = [:]
    /// What is known of the paths that depend on what changes.
    @safe @exclusivity(unchecked) private var paths: [ObjectIdentifier: TransactionPath] = [:]
    /// The number of its part; what is changed in different parts may concern different registrations.
    @safe @exclusivity(unchecked) private var part = 0
    @safe @exclusivity(unchecked) private var isEnding = false
    /// Delivers what other threads have stored in shared properties that the transaction changed.
    @safe @exclusivity(unchecked) private var held: [HeldProperty] = []

    /// How many changes are searched one after the other.
    private static let few = 16

    /// The transaction that is open on this thread, which the frame that runs it holds.
    static var current: Unretained<Transaction>? { Unretained(at: UInt(bitPattern: unsafe kvo_transaction())) }

    /// Runs `body` in a transaction: the one that is open on this thread, or a new one that ends with `body`.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard current == nil else { return try body() }
        // What handlers change that are called for earlier changes does not belong to it.
        Delivery.completeAll()
        if EngineTrace.isReporting { return try runTraced(body) }
        return try runOutermost(body)
    }

    /// Runs `body` in a transaction that ends with it; none is open.
    static func runOutermost<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let transaction = Transaction()
        var calls: [DeliveryBatch.Call] = []
        var isNumbered = false
        defer {
            if !calls.isEmpty { Delivery.run(DeliveryBatch(calls), isNumbered: isNumbered) }
            transaction.deliverHeld()
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

    /// Notes that a property is about to be set, after observers were called that are called before that.
    ///
    /// - Parameters:
    ///   - made: The change that is about to be made.
    ///   - object: Its object.
    ///   - announced: The path at the very key path whose change is announced manually; unless other changes concern
    ///     it too, its changes are noted as they are made.
    func begin(_ made: PendingChange, of object: AnyObject, announced: ObservedPath? = nil) {
        let change = change(of: made.record, object)
        for path in made.record.dependents where path !== announced {
            let path = known(path)
            // What getters set while it ends is noted as it is made.
            if isEnding, !path.hasProperty { continue }
            change.add(path, upTo: made.newestNumber)
            path.touch(upTo: made.newestNumber, of: object)
        }
        if let announced = announced.flatMap({ paths[ObjectIdentifier($0)] }), announced.isBlocked {
            announced.touch(upTo: made.newestNumber, of: object)
        }
    }

    /// Begins to set a property.
    func join(_ record: PropertyRecord, of object: AnyObject) -> Joining {
        // A set that joins another one would not have the paths evaluated again that have read the property.
        if isEnding { return .alone }
        let known = known(record)
        if case .joined(let change)? = known?.with({ $0.join(in: part) }) { return .joined(change) }
        guard let (direct, version) = record.directIfAlone else { return .alone }
        return (known ?? add(record, object)).with { $0.begin(direct, version, in: part, at: nextPosition) }
    }

    /// Begins another part: sets from here on do not belong to those before.
    func beginPart() { part += 1 }

    /// Whether a path is blocked until the transaction ends, since something changed that it depends on.
    func blocks(_ path: ObservedPath) -> Bool { paths[ObjectIdentifier(path)]?.isBlocked ?? false }

    /// Notes that other registrations than before are notified of what is changed at a path from here on.
    func separate(_ path: ObservedPath) { paths[ObjectIdentifier(path)]?.separate() }

    /// The same of whatever is changed.
    func separate() {
        beginPart()
        // An evaluation may change something.
        var index = 0
        while index < changes.count {
            changes[index].separate()
            index += 1
        }
    }

    /// What registrations on a property itself need of its changes.
    func needs(of record: PropertyRecord, _ object: AnyObject, _ direct: RegistrationList) -> Recipients.Needs {
        change(of: record, object).needs(of: direct)
    }

    /// Who is called before a change is made: those on the property, and at a path whose own change is announced, who
    /// have not been called so in the transaction, and those at the other paths that the change concerns.
    func priorRecipients(of made: PendingChange, _ object: AnyObject) -> Recipients {
        let members = made.currentMembers.map { member in
            let due = known(member.path).priorRecipients(upTo: made.newestNumber)
            return due.map { PathRecipients(member.path, member.core, leaf: member.leaf, $0) } ?? member
        }
        return Recipients(
            direct: change(of: made.record, object).priorRecipients(upTo: made.newestNumber),
            paths: ContiguousArray(members))
    }

    /// Notes a change that was made, in place of its delivery.
    ///
    /// - Parameters:
    ///   - made: The change.
    ///   - object: The object that changed.
    ///   - elements: How some elements changed; nil if the whole value was set.
    ///   - values: The old and new values or elements.
    func note(_ made: PendingChange, of object: AnyObject, _ elements: ElementsChange?, _ values: ChangeValues) {
        let change = change(of: made.record, object)
        if EngineTrace.isReporting { change.traceNote(made, of: object, elements, values) }
        change.note(made.newestNumber, at: nextPosition, of: object, elements, values)
        // Of these only paths mean anything that are not blocked.
        for pathChange in made.paths where pathChange.core != nil {
            let path = known(pathChange.path)
            change.add(path, upTo: pathChange.newestNumber)
            path.note(pathChange, elements, values)
        }
        // Who registers later, anywhere, is notified of less than the next set may bring.
        let mayBeJoined =
            elements == nil && made.newestNumber == Registration.newestNumber
            && made.record.dependents.allSatisfy(blocks)
        change.lastMayBeJoined(in: mayBeJoined ? part : nil)
    }

    /// Holds back the changes of other threads until what this one delivers at its end has been delivered.
    ///
    /// - Parameters:
    ///   - object: The object that changes.
    ///   - deliver: Delivers them, given the object.
    func hold(_ object: AnyObject, _ deliver: @escaping (AnyObject) -> Void) {
        held.append(HeldProperty(of: object, deliver: deliver))
    }

    private func deliverHeld() {
        for property in held { property.deliver() }
    }

    /// A shared property that the transaction changed; its object is not kept alive.
    private final class HeldProperty {
        private let reference: RootReference<AnyObject>
        private let deliverChanges: (AnyObject) -> Void

        init(of object: AnyObject, deliver: @escaping (AnyObject) -> Void) {
            reference = RootReference(object)
            deliverChanges = deliver
        }

        func deliver() {
            if let object = reference.object { deliverChanges(object) }
        }
    }

    private func change(of record: PropertyRecord, _ object: AnyObject) -> TransactionChange {
        (known(record) ?? add(record, object)).object
    }

    /// Begins to note changes of a property.
    private func add(_ record: PropertyRecord, _ object: AnyObject) -> Unretained<TransactionChange> {
        let change = TransactionChange(record, of: object, at: nextPosition())
        changes.append(change)
        if changes.count > Self.few { changesByRecord[ObjectIdentifier(record)] = change }
        return Unretained(change)
    }

    /// Most transactions change few properties, and these are searched.
    private func known(_ record: PropertyRecord) -> Unretained<TransactionChange>? {
        for index in 0..<min(changes.count, Self.few) where changes[index].record === record {
            return Unretained(changes[index])
        }
        return changesByRecord[ObjectIdentifier(record)].map { Unretained($0) }
    }

    /// What is known of a path, which begins to be known.
    private func known(_ path: ObservedPath) -> TransactionPath {
        if let known = paths[ObjectIdentifier(path)] { return known }
        let new = TransactionPath(path)
        paths[ObjectIdentifier(path)] = new
        return new
    }

    private func nextPosition() -> Int {
        positions += 1
        return positions
    }

    // MARK: At its end

    /// Evaluates the paths, while the transaction is still open: what getters change belongs to it.
    ///
    /// - Returns: What is to be delivered, in its order.
    private func end() -> [DeliveryBatch.Call] {
        if ThisThread.stackIsNearlyFull {
            Delivery.trapIfEndless()
            trapEndless()
        }
        isEnding = true
        return Tracking.suspended {
            evaluate(changes.filter(\.hasPaths))
            // As a rule they are in the order of their deliveries.
            changes.sort { $0.position < $1.position }
            var calls: [DeliveryBatch.Call] = []
            calls.reserveCapacity(changes.count)
            for change in changes { change.addCalls(to: &calls) }
            return calls
        }
    }

    /// Evaluates the paths that belong to some changes, again where getters change what a path has read.
    private func evaluate(_ changes: [TransactionChange]) {
        // All of them begin to end before the first getter runs, which may change any of the properties.
        for change in changes { change.beginEnd() }
        for change in changes { change.evaluate() }
        var rounds = 0
        while true {
            let changedByGetters = changes.filter { $0.takeDirty() }
            if changedByGetters.isEmpty { break }
            rounds += 1
            if rounds > PendingChange.mostRounds { trapEndless() }
            for change in changedByGetters { change.evaluateAgain() }
        }
        for change in changes { change.finish() }
    }

    /// Ends the program: the stack is nearly full of getters that are run again by the transactions in them.
    private func trapEndless() -> Never {
        let names = changes.map { change in
            change.record.keyPath.map { "\(PropertyNames.text(of: $0)) of \(TypeName.text(of: type(of: $0).rootType))" }
                ?? "a property"
        }
        fatalError(
            """
            An endless change: a transaction changes \(Set(names).sorted().joined(separator: ", ")), and its end runs the \
            same code again, such as the getter that it stands in. Have it set nothing if the value is what it should be.
            """)
    }
}
