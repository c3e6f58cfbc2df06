// A change on its way to its recipients, if it is not simple.

/// What a delivery knows of a change that is not simple: its recipients, and what they are told.
///
/// Only one thread uses it, and no access lasts while code of others runs.
@usableFromInline
class DeliveredChange: OpenChange {
    /// The registrations that it concerns.
    @safe @exclusivity(unchecked) final var concerned: ConcernedRegistrations
    @safe @exclusivity(unchecked) final var unretainedRecipients = Unretained(Recipients.none)
    /// Holds the recipients, unless they are borrowed.
    @safe @exclusivity(unchecked) final var ownRecipients: Recipients?
    @safe @exclusivity(unchecked) final var areLent = false
    /// What the observers of each watch among the recipients are told, from the evaluation until they have been called.
    @safe @exclusivity(unchecked) final var findings: ContiguousArray<Finding> = []
    /// Whether the old value of the property is what observers of paths that end there were told last: it was read when the
    /// change was opened, and no code of others runs before it is closed.
    @safe @exclusivity(unchecked) final var isOldLast = false
    /// Whether it is made in a transaction.
    @safe @exclusivity(unchecked) final var isOfTransaction = false
    /// The object, while its observers are called.
    @safe @exclusivity(unchecked) final var object: AnyObject?

    init(_ concerned: ConcernedRegistrations) {
        self.concerned = concerned
        super.init()
    }

    final var recipients: Recipients {
        get { unretainedRecipients.object }
        set {
            unretainedRecipients = Unretained(newValue)
            ownRecipients = newValue
        }
    }

    /// Whether a registration that asks for it is called before the change.
    func isFirstPrior(of number: RegistrationNumber) -> Bool { true }

    // MARK: Who is called, and what they are told

    /// The newest registration that takes part, and whether they do not all take part alike.
    final var reach: (newest: RegistrationNumber, isUneven: Bool) {
        var (newest, isUneven) = (concerned.newest, isSilent || concerned.ignored != nil)
        for index in findings.indices {
            guard let others = findings[index].concerned else { continue }
            newest = max(newest, others.newest)
            isUneven = true
        }
        return (newest, isUneven)
    }

    /// Whether a registration on the property, or at one of the watches, takes part; the index of the former is -1.
    final func concerns(_ number: RegistrationNumber, at index: Int) -> Bool {
        if index < 0 || findings.isEmpty { return !isSilent && concerned.contains(number) }
        return (findings[index].concerned ?? concerned).contains(number)
    }

    /// Notes whom it passes over; `old` is the property's value before it.
    final func noteMissing(_ old: () -> BoxedValue?) {
        unretainedRecipients.with { recipients in
            let all = recipients.registrations
            guard all.count > 0 else { return }
            if concerned.ignored == nil, all[all.count - 1].with({ $0.number }) <= concerned.newest { return }
            for index in 0..<all.count {
                let watch = all.watch(at: index)
                all[index].with { if !concerns($0.number, at: watch) { $0.miss { watch < 0 ? old() : nil } } }
            }
        }
    }

    /// Calls `body` with what the observers of one of the watches are told.
    ///
    /// - Returns: False if that is nothing.
    final func tell(
        _ index: Int, _ phase: ChangePhase, _ elements: Unretained<ElementsChange>?, _ values: ChangeValues,
        _ body: (Unretained<AnyObject>, Unretained<ElementsChange>?, Keeping, ChangeValues) -> Void
    ) -> Bool {
        unretainedRecipients.with { recipients in
            Unretained(recipients.watches[index]).with { member in
                if phase == .prior {
                    guard let root = member.subject.root, !member.watch.isHeld else { return false }
                    defer { withExtendedLifetime(root) {} }
                    if let leaf = member.leaf, elements != nil, !isOfTransaction {
                        leaf.withValues(values) { body(Unretained(root), elements, .none, $0) }
                    } else {
                        body(Unretained(root), nil, .none, .none)
                    }
                    return true
                }
                // What is found is held until all have been called.
                guard let root = findings[index].unretainedRoot, !findings[index].isOutdated(in: member.watch) else {
                    return false
                }
                if let value = findings[index].values {
                    body(root, nil, member.subject.keeping, value)
                } else {
                    let keeping = member.keeping(isKept: !isOldLast)
                    member.leaf?.withValues(values) { body(root, elements, keeping, $0) }
                }
                return true
            }
        }
    }

    // MARK: What was kept for later

    /// Prepares its delivery, with what was found of watches.
    final func prepare(_ recipients: Recipients, of object: AnyObject?, _ findings: ContiguousArray<Finding>) {
        self.recipients = recipients
        self.findings = findings
        prepare(of: object ?? recipients)
    }

    /// The same with its recipients, none of which is a watch.
    final func prepare(of object: AnyObject) {
        self.object = object
        noteMissing { elements == nil ? old : nil }
    }

    /// The object, while its observers are called.
    final var unretainedObject: Unretained<AnyObject> { object.map { Unretained($0) } ?? Unretained(self) }
    final var keptValues: ChangeValues { ChangeValues(old: old, new: new, whole: whole) }

    /// A change that was kept, for one registration.
    convenience init(
        _ kept: OpenChange, for registration: Registration, of object: AnyObject, at keyPath: AnyKeyPath? = nil
    ) {
        self.init(ConcernedRegistrations(upTo: .max, ignoring: nil))
        keep(kept.elements, BoxedValues(old: kept.old, new: kept.new, whole: kept.whole))
        event = kept.event
        prepare(Recipients(direct: RegistrationList([registration]), watches: [], at: keyPath), of: object, [])
    }
}

/// Changes that are delivered one after the other, and how many of them have begun.
@usableFromInline
class DeliveredChanges {
    // Only one thread uses it, and no access lasts while code of others runs.
    @safe @exclusivity(unchecked) final var deliveries: ContiguousArray<DeliveredChange> = []
    @safe @exclusivity(unchecked) private final var count = 0

    /// The next one.
    final func next() -> Unretained<DeliveredChange>? {
        guard count < deliveries.count else { return nil }
        count += 1
        return Unretained(deliveries[count - 1])
    }
}
