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
    /// In the order of the properties' first changes.
    private var changes: [TransactionChange] = []
    private var changesByRecord: [ObjectIdentifier: TransactionChange] = [:]
    /// The changes that paths were noted under first.
    private var changesByPath: [ObjectIdentifier: TransactionChange] = [:]

    /// The transaction that is open on this thread.
    static var current: Transaction? {
        Unretained(at: UInt(bitPattern: unsafe kvo_transaction()))?.object
    }

    /// Runs `body` in a transaction: the one that is open on this thread, or a new one that ends with `body`.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard unsafe kvo_transaction() == nil else { return try body() }
        // What handlers change that are called for earlier changes does not belong to it.
        Delivery.completeAll()
        let transaction = Transaction()
        defer { transaction.deliver() }
        // While it is open every change takes the careful way, for a delivery seems to be under way.
        return try Delivery.holdingPlace { () throws(Failure) -> Result in
            unsafe kvo_set_transaction(Unmanaged.passUnretained(transaction).toOpaque())
            defer { kvo_set_transaction(nil) }
            return try body()
        }
    }

    // MARK: While it is open

    /// Notes that a property is about to be set, after observers were called that are called before that.
    ///
    /// - Parameters:
    ///   - made: The change that is about to be made.
    ///   - object: Its object.
    ///   - announced: The path at the very key path whose change is announced manually.
    ///   - old: Its value, if that is known.
    ///   - isOfElements: Whether some elements change; then its changes are noted as they are made.
    func begin(
        _ made: PendingChange, of object: AnyObject, announced: ObservedPath? = nil, old: BoxedValue? = nil,
        isOfElements: Bool = false
    ) {
        let change = change(of: made.record, object)
        func touch(_ path: ObservedPath, knownAs old: BoxedValue? = nil) {
            if let first = changesByPath[ObjectIdentifier(path)] { return first.touch(path, upTo: made.newestNumber) }
            changesByPath[ObjectIdentifier(path)] = change
            change.follow(path, upTo: made.newestNumber, knownAs: old, of: object)
        }
        for path in made.record.dependents where path !== announced { touch(path) }
        guard let announced, !isOfElements || hasTouched(announced) else { return }
        touch(announced, knownAs: old)
    }

    /// Whether a change concerned a path.
    func hasTouched(_ path: ObservedPath) -> Bool { changesByPath[ObjectIdentifier(path)] != nil }

    /// Notes that a registration has been made at a path.
    func noteRegistration(at path: ObservedPath) {
        changesByPath[ObjectIdentifier(path)]?.noteRegistration(at: path)
    }

    /// Who is called before a change is made: those on the property who have not been called so in the transaction, and
    /// those at the paths that the change concerns.
    func priorRecipients(
        of made: PendingChange, _ object: AnyObject, _ paths: ContiguousArray<Recipients.PathMembers>
    ) -> Recipients {
        Recipients(direct: change(of: made.record, object).priorRecipients(upTo: made.newestNumber), paths: paths)
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
        change.note(made.newestNumber, of: object, elements, values)
        // Of these only paths mean anything that are not blocked.
        for pathChange in made.paths where pathChange.core != nil {
            let owner = changesByPath[ObjectIdentifier(pathChange.path)] ?? change
            changesByPath[ObjectIdentifier(pathChange.path)] = owner
            owner.note(pathChange, elements, values)
        }
    }

    private func change(of record: PropertyRecord, _ object: AnyObject) -> TransactionChange {
        if let known = changesByRecord[ObjectIdentifier(record)] { return known }
        let change = TransactionChange(record, of: object)
        changesByRecord[ObjectIdentifier(record)] = change
        changes.append(change)
        return change
    }

    // MARK: At its end

    private func deliver() {
        if ThisThread.stackIsNearlyFull { trapEndless() }
        let steps = Tracking.suspended { changes.flatMap { $0.end() } }
        guard !steps.isEmpty else { return }
        Delivery.run(DeliveryBatch(steps))
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
