// How a path finds what it depends on, by evaluating it.

/// A path that depends on what its last evaluation read.
///
/// It is owned by the table of its root, and ends with its last registration or with its root. The lock that it inherits
/// guards what it depends on, too.
final class EvaluatedPath: ObservedPath, @unchecked Sendable {
    /// The table of the object that the path starts at.
    private let table: ObservationTable
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var dependencies = Dependencies<PropertyRecord>()
    /// The property that the path ends at, if its values are made of that property's.
    @safe @exclusivity(unchecked) private var last: (record: PropertyRecord, leaf: PathLeaf)?
    /// What identifies what the registrations are made on: found by the first evaluation, and kept until the path ends.
    ///
    /// If that is a property, it is held, so that nothing else gets its identity.
    @safe @exclusivity(unchecked) private var firstTarget: (identity: ObjectIdentifier, property: AnyObject?)?

    /// How often an evaluation is repeated if others replace what it relies on; the next one relies on nothing.
    private static let mostEvaluations = 4

    /// - Parameters:
    ///   - core: What the path is.
    ///   - table: The table of the object that it starts at.
    ///   - isNamed: Whether it is found by its key path.
    init(_ core: PathCore, in table: ObservationTable, isNamed: Bool = true) {
        self.table = table
        super.init(core, isNamed: isNamed)
    }

    override var hasEnded: Bool { table.hasEnded }

    // MARK: What it depends on

    override var isEvaluated: Bool { withLock { dependencies.isKnown } }

    /// Whether it depends on anything.
    var hasDependencies: Bool { withLock { !dependencies.properties.isEmpty } }

    override func dependsLocked(on property: AnyObject) -> Bool { dependencies.properties.contains { $0 === property } }

    override func leafLocked(at property: AnyObject) -> PathLeaf? {
        last.flatMap { $0.record === property ? $0.leaf : nil }
    }

    override func forgetRecipients() {
        for property in withLock({ dependencies.properties }) { property.forgetRecipients() }
    }

    override func leave() {
        let (stale, last) = withLock { () -> (ContiguousArray<PropertyRecord>, Any?) in
            defer { (self.last, firstTarget) = (nil, nil) }
            return (dependencies.end(), (self.last, firstTarget))
        }
        table.remove(self)
        detach(from: stale)
        // They are released without the lock.
        withExtendedLifetime(last) {}
    }

    private func detach(from properties: ContiguousArray<PropertyRecord>) {
        for property in properties { property.detach(self) }
    }

    // MARK: Whether it is just a property

    override var justProperty: (any RegistrationKeeper)? {
        guard let core, let (property, description) = singleDependency else { return nil }
        return core.isKnownAsJust(property.property, description) ? property : nil
    }

    /// It stays the same where later evaluations read more, or less, than the first one.
    override var target: ObjectIdentifier { withLock { firstTarget?.identity } ?? super.target }

    override func possibleLeaf(_ core: PathCore, at property: PropertyDescription?) -> PathLeaf? {
        property.flatMap { core.possibleLeaf(at: $0, isOnly: withLock { dependencies.properties.count == 1 }) }
    }

    /// The property that it depends on, if that is the only one.
    private var singleDependency: (PropertyRecord, PropertyDescription)? {
        let properties = withLock { dependencies.properties }
        guard properties.count == 1, let description = properties[0].description else { return nil }
        return (properties[0], description)
    }

    /// The property that it ends at, if its values are made of that property's.
    var leafProperty: PropertyRecord? { withLock { last?.record } }

    /// Evaluates the path for the first time.
    ///
    /// If only a reading shows whether it is just another way to write a property of its root, its class keeps the answer.
    func evaluateFirst(from root: some KeyValueObservable) {
        guard let core, !isEvaluated else { return }
        _ = evaluate(core, from: root)
        if let (property, description) = singleDependency, core.mayBeJust(description) {
            let isJust = property.keyPath.map { core.hasValue(at: $0) } ?? false
            ClassPolicy.of(root).noteWritten(isJust ? property.property : nil, at: core.name.keyPath)
        }
        let property = justProperty
        let identity = ObjectIdentifier(property ?? self)
        withLock { if !dependencies.isEnded { firstTarget = (identity, property) } }
    }

    // MARK: Evaluating

    override func evaluate(_ core: PathCore, from root: AnyObject) -> BoxedValue {
        evaluate(core, from: root, relying: true)
    }

    override func evaluateAgain() {
        guard !isBlocked, let core, let root = core.root else { return }
        _ = evaluate(core, from: root, relying: false)
    }

    /// Evaluates the path.
    ///
    /// - Parameters:
    ///   - core: What the path is.
    ///   - root: The object that it starts at.
    ///   - isRelying: Whether to rely on what it is attached to already.
    /// - Returns: The value.
    private func evaluate(_ core: PathCore, from root: AnyObject, relying isRelying: Bool) -> BoxedValue {
        var isRelying = isRelying
        var attempt = 1
        while true {
            let tracker = DependencyTracker(self, withLock { dependencies.begin(isRelying: isRelying) })
            let span = EngineTrace.isReporting ? traceBegin(core, of: root) : .none
            let value = tracker.tracking {
                tracker.follow(core.declared, of: root)
                return core.value(from: root)
            }
            if _slowPath(span.event.isReported) { traceEnd(span, core, value) }
            guard end(tracker, core) == .outdated else { return value }
            attempt += 1
            isRelying = attempt < Self.mostEvaluations
        }
    }

    /// What it read last.
    var dependencyList: ContiguousArray<PropertyRecord> { withLock { dependencies.properties } }

    private func end(_ tracker: DependencyTracker, _ core: PathCore) -> Dependencies<PropertyRecord>.Outcome {
        guard let read = tracker.differing else {
            return withLock { dependencies.end(asExpected: tracker.start) }
        }
        let end = core.leaf(after: read.elements.lazy.map(\.description)).flatMap { leaf in
            read.elements.last.map { (record: $0, leaf: leaf) }
        }
        let (outcome, stale, before) = withLock {
            let (outcome, stale) = dependencies.end(
                tracker.start, read: read, attached: tracker.attached, areDeclared: tracker.hasFollowed)
            let before = last
            if outcome == .changed { last = end }
            return (outcome, stale, before)
        }
        detach(from: stale)
        // Values are made of another property's from here on.
        if outcome == .changed, before?.record !== end?.record {
            before?.record.forgetRecipients()
            end?.record.forgetRecipients()
        }
        return outcome
    }
}
