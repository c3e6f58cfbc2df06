// Everything that is registered on one object.
public import Synchronization

/// The registrations of one object, and the paths of other objects that lead through it.
///
/// It is made when the object is first observed and belongs to the object. This is the one type that locks its state:
/// a transition is made under the lock, and what it asks for is done after. It is the record of the property that was
/// observed first.
@usableFromInline
final class ObservationTable: PropertyRecord, @unchecked Sendable {
    /// The bits of the properties that somebody observes: the first thing a change looks at.
    @usableFromInline let observedProperties = Atomic<UInt64>(0)
    private let ended = Atomic(false)
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @exclusivity(unchecked) private var belongings: ObjectBelongings?

    /// Whether the object is gone.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    // MARK: Changes

    /// Whether somebody may observe `property`: false is certain, true is to be looked up.
    @inlinable
    func mayObserve(_ property: PropertyIdentity) -> Bool {
        observedProperties.load(ordering: .relaxed) & property.bit != 0
    }

    /// The record of `property`, if it was ever observed, for as long as the table is held; no lock is needed.
    func unretainedRecord(of property: PropertyIdentity) -> Unmanaged<PropertyRecord>? {
        unsafe firstUnretainedRecord { $0.property == property }
    }

    private func record(of property: PropertyIdentity) -> PropertyRecord? {
        firstRecord { $0.property == property }
    }

    private func firstRecord(where matches: (PropertyRecord) -> Bool) -> PropertyRecord? {
        unsafe firstUnretainedRecord(where: matches)?.takeUnretainedValue()
    }

    /// Walks along the records without counting references.
    @inline(__always)
    private func firstUnretainedRecord(where matches: (PropertyRecord) -> Bool) -> Unmanaged<PropertyRecord>? {
        var record: Unmanaged<PropertyRecord>? = unsafe .passUnretained(self)
        while let found = unsafe record, unsafe !found._withUnsafeGuaranteedRef(matches) {
            unsafe record = found._withUnsafeGuaranteedRef { unsafe $0.next }
        }
        return unsafe record
    }

    /// The record of a property, made now if there is none; to be called under the lock.
    private func unretainedRecord(
        of property: PropertyIdentity, _ known: () -> (facts: PropertyFacts, keyPath: AnyKeyPath?)
    ) -> Unmanaged<PropertyRecord> {
        guard let record = unsafe unretainedRecord(of: property) else {
            let (facts, keyPath) = known()
            // The list of records retains it.
            return unsafe .passUnretained(begin(property, facts, keyPath: keyPath))
        }
        unsafe record._withUnsafeGuaranteedRef { record in
            guard !record.isNamed else { return }
            let (facts, keyPath) = known()
            record.note(facts, keyPath: keyPath)
        }
        return unsafe record
    }

    private func forEachRecord(_ body: (PropertyRecord) -> Void) {
        var record: PropertyRecord? = self
        while let found = record {
            body(found)
            record = unsafe found.next?.takeUnretainedValue()
        }
    }

    /// Who is to be told of a change of `property` that is about to be made; nil if nobody is.
    func audience(of property: PropertyIdentity) -> Audience? {
        guard let record = record(of: property) else { return nil }
        return lock.withLock { record.loan.audience } ?? gatherAudience(of: record)
    }

    private func gatherAudience(of record: PropertyRecord) -> Audience? {
        guard let listed = lock.withLock({ record.membership(byHand: false) }) else { return nil }
        // Each path has a lock of its own, so this is done without that of the table.
        var isLasting = true
        let audience = Audience(
            direct: listed.direct, paths: listed.paths, at: PropertyPlace(table: self, property: record.property),
            lentBy: record, isLasting: &isLasting)
        guard !audience.isEmpty else { return nil }
        if isLasting { lock.withLock { record.keep(audience, version: listed.version) } }
        return audience
    }

    /// Who is to be told of a change of `property` that is announced by hand, as one of `keyPath`.
    ///
    /// They include those who observe just that key path, computed or not.
    func audience(of property: PropertyIdentity, byHand keyPath: AnyKeyPath) -> Audience {
        let record = record(of: property)
        let listed = record.flatMap { record in lock.withLock { record.membership(byHand: true) } }
        var paths = listed?.paths ?? []
        if let path = path(at: keyPath), !paths.contains(where: { $0 === path }) { paths.append(path) }
        var isLasting = false
        return Audience(
            direct: listed?.direct ?? RegistrationList(), paths: paths,
            at: PropertyPlace(table: self, property: property), isLasting: &isLasting)
    }

    /// Gathers the audience of `property` anew at its next change: a path through it has other registrations.
    func forgetAudience(of property: PropertyIdentity) {
        unsafe unretainedRecord(of: property)?._withUnsafeGuaranteedRef { record in
            unsafe release(lock.withLock { unsafe record.forgetAudience() })
        }
    }

    // MARK: Registrations

    /// Records a registration on `object`, whose table this is.
    ///
    /// From here on it is told of changes.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - terms: What was asked for.
    ///   - keyPath: Where.
    ///   - object: The object.
    ///   - evaluate: Reads the key path of an object.
    ///   - read: Reads any key path of an object.
    /// - Returns: What keeps it.
    func add<Object: KeyValueObservable, Value>(
        _ registration: Registration, _ terms: borrowing RegistrationTerms, at keyPath: KeyPath<Object, Value>,
        on object: Object, evaluating evaluate: (Object) -> AnyValue,
        reading read: @escaping (Object, KeyPath<Object, Value>) -> AnyValue
    ) -> RegistrationKeeper {
        if let record = add(registration, terms, atPlain: keyPath) { return record }
        let (record, facts) = place(of: keyPath, of: object, (terms.fileID, terms.line), evaluating: evaluate)
        if let record {
            unsafe change(.passUnretained(record)) { $0.add(registration, terms, at: keyPath) }
            return record
        }
        while true {
            let (paths, version) = knownPaths
            var path = paths.first { KeyPathComponents.areSame($0.keyPath, keyPath) }
            if path == nil {
                let new = TypedPath(
                    root: object, keyPath: keyPath, facts: facts ?? ClassFacts.of(object).facts(of: keyPath),
                    evaluating: evaluate, reading: read)
                // Another thread may have made the same path in the meantime.
                guard withBelongings({ $0.add(new, expecting: version) }) else { continue }
                path = new
            }
            guard let path, path.add(registration, terms, at: keyPath) else {
                // Its last registration was removed on another thread, which is about to take it away.
                withBelongings { $0.remove(path) }
                continue
            }
            if !path.isWired { path.rewire() }
            return path
        }
    }

    /// Records a registration on one of the object's own properties, if `keyPath` is known to name one and nothing else.
    private func add(
        _ registration: Registration, _ terms: borrowing RegistrationTerms, atPlain keyPath: AnyKeyPath
    ) -> PropertyRecord? {
        let (record, audience) = unsafe lock.withLock { () -> (PropertyRecord?, Unmanaged<Audience>?) in
            guard let record = firstRecord(where: { $0.isPlain(at: keyPath) }) else { return (nil, nil) }
            let change = unsafe changeLocked(.passUnretained(record)) { $0.add(registration, terms, at: keyPath) }
            return unsafe (record, change.audience)
        }
        unsafe release(audience)
        return record
    }

    /// Traps if `keyPath` cannot be observed.
    @usableFromInline
    func checkObservable<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        guard plainRecord(at: keyPath) == nil else { return }
        _ = place(of: keyPath, of: object, (fileID, line)) { AnyValue.holding($0[keyPath: keyPath]) }
    }

    /// The record of the object's own observed property that `keyPath` names, if it names one and nothing else, and what
    /// the class says about it; traps if it names nothing that can be observed.
    private func place<Object: KeyValueObservable, Value>(
        of keyPath: KeyPath<Object, Value>, of object: Object, _ site: @autoclosure () -> (StaticString, UInt),
        evaluating evaluate: (Object) -> AnyValue
    ) -> (plain: PropertyRecord?, facts: PropertyFacts?) {
        let recorder = PlaceRecorder(root: object, keyPath: keyPath)
        _ = recorder.recording { evaluate(object) }
        if let plain = recorder.plain {
            let record = lock.withLock {
                let record = unsafe unretainedRecord(of: plain.property) { (plain.facts, plain.keyPath) }
                    .takeUnretainedValue()
                record.becomePlain()
                return record
            }
            return (record, plain.facts)
        }
        if !recorder.readsAnything { trapUnlessDeclared(keyPath, of: object, site()) }
        return (nil, recorder.facts)
    }

    /// The record of the property that `keyPath` is known to name, and nothing else.
    private func plainRecord(at keyPath: AnyKeyPath) -> PropertyRecord? {
        lock.withLock { firstRecord { $0.isPlain(at: keyPath) } }
    }

    private func trapUnlessDeclared(
        _ keyPath: AnyKeyPath, of object: some KeyValueObservable, _ site: (fileID: StaticString, line: UInt)
    ) {
        let facts = ClassFacts.of(object).facts(of: keyPath)
        guard facts.isAutomatic, facts.declaredDependencies.isEmpty else { return }
        fatalError(
            """
            \(type(of: object)) cannot be observed at \(keyPath): reading it touches no @Observed property, so no \
            change of it can be seen. Make a stored property behind it @Observed, or declare what affects it in \
            keyPathsAffectingValue(for:).
            """, file: site.fileID, line: site.line)
    }

    /// The path that is evaluated for the registrations at `keyPath`, if there is one.
    func path(at keyPath: AnyKeyPath) -> ObservedPath? {
        knownPaths.paths.first { KeyPathComponents.areSame($0.keyPath, keyPath) }
    }

    /// The property that `keyPath` names as a change by hand does, whoever observes it and how.
    func property(byHand keyPath: AnyKeyPath) -> PropertyIdentity {
        lock.withLock { firstRecord { $0.isNamed(by: keyPath) } }?.property ?? PropertyIdentity(byHand: keyPath)
    }

    /// Ends a registration on one of the object's own properties and releases its handler; nothing happens if it has
    /// ended.
    func endRegistration(_ id: RegistrationID, in record: PropertyRecord) {
        // The result is the registration, which is released here, without the lock.
        _ = unsafe change(.passUnretained(record)) { $0.remove(id) }
    }

    /// Takes a path away whose last registration was removed.
    func remove(_ path: ObservedPath) {
        withBelongings { $0.remove(path) }
    }

    /// All registrations on the object, in the order in which they were made.
    var registrations: [Registration] {
        let (direct, paths) = lock.withLock {
            var direct: [Registration] = []
            forEachRecord { unsafe direct += $0.direct.registrations }
            return unsafe (direct, belongings?.paths ?? [])
        }
        return (direct + paths.flatMap(\.registrations.registrations)).sorted { $0.id < $1.id }
    }

    /// Whether somebody observes the object at `keyPath`.
    func observes(_ keyPath: AnyKeyPath) -> Bool {
        if let record = plainRecord(at: keyPath) {
            return lock.withLock { unsafe !record.direct.isEmpty }
        }
        return path(at: keyPath).map { !$0.registrations.isEmpty } ?? false
    }

    // MARK: Paths that lead through the object

    /// What the object's class says about one of its properties.
    func facts<Object: KeyValueObservable>(
        of property: PropertyIdentity, on object: Object,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) -> PropertyFacts {
        knownFacts(of: property) ?? ClassFacts.of(object).facts(of: property, keyPaths)
    }

    private func knownFacts(of property: PropertyIdentity) -> PropertyFacts? {
        guard let record = record(of: property) else { return nil }
        return lock.withLock { record.facts }
    }

    /// Hooks a path to a property.
    ///
    /// - Parameters:
    ///   - path: The path, which is to be unhooked before it goes.
    ///   - property: The property.
    ///   - shape: Tells what there may be to know of it.
    func hook(_ path: ObservedPath, to property: PropertyIdentity, _ shape: () -> ReadShape) {
        let audience = unsafe lock.withLock {
            let record = unsafe unretainedRecord(of: property) {
                let shape = shape()
                return (shape.facts, shape.keyPath)
            }
            return unsafe changeLocked(record) { $0.hook(path) }.audience
        }
        unsafe release(audience)
    }

    /// Unhooks a path that was hooked to a property, once.
    func unhook(_ path: ObservedPath, from property: PropertyIdentity) {
        guard let record = unsafe unretainedRecord(of: property) else { return }
        unsafe change(record) { $0.unhook(path) }
    }

    // MARK: The object

    /// Ends everything that is registered on the object: it is gone.
    func endWithOwner() {
        ended.store(true, ordering: .releasing)
        observedProperties.store(0, ordering: .relaxed)
        var leftovers: [RegistrationList] = []
        var audiences: [Unmanaged<Audience>?] = unsafe []
        let belongings = lock.withLock {
            forEachRecord { record in
                unsafe audiences.append(record.forgetAudience())
                leftovers.append(record.endRecord())
            }
            defer { unsafe self.belongings = nil }
            return unsafe self.belongings
        }
        for leftover in leftovers {
            for registration in leftover.registrations { registration.deactivate() }
        }
        for path in belongings?.paths ?? [] { path.end() }
        belongings?.controllers?.end()
        for index in unsafe audiences.indices { unsafe release(audiences[index]) }
        withExtendedLifetime((leftovers, belongings)) {}
    }

    /// The object's own controllers, made on first use.
    var controllers: ObjectControllers {
        let new = ObjectControllers()
        return withBelongings { $0.controllers(orElse: new) }
    }

    /// The object's paths, and the number of their last change.
    private var knownPaths: (paths: [ObservedPath], version: Int) {
        lock.withLock { unsafe belongings.map { ($0.paths, $0.version) } ?? ([], 0) }
    }

    private func withBelongings<Result>(_ body: (ObjectBelongings) -> Result) -> Result {
        lock.withLock {
            if let known = unsafe belongings { return body(known) }
            let new = ObjectBelongings()
            unsafe belongings = new
            return body(new)
        }
    }

    /// Changes who observes a property, and brings the mask up to date.
    private func change<Result>(
        _ record: Unmanaged<PropertyRecord>, _ body: (PropertyRecord) -> Result
    ) -> Result {
        let (result, audience) = unsafe lock.withLock { unsafe changeLocked(record, body) }
        unsafe release(audience)
        return result
    }

    /// The same under the lock; the audience, if any, is to be released without it.
    private func changeLocked<Result>(
        _ record: Unmanaged<PropertyRecord>, _ body: (PropertyRecord) -> Result
    ) -> (result: Result, audience: Unmanaged<Audience>?) {
        unsafe record._withUnsafeGuaranteedRef { record in
            let wasObserved = record.isObserved
            // It goes first, for it shares the list.
            let audience = unsafe record.forgetAudience()
            let result = body(record)
            let isObserved = record.isObserved
            if isObserved, !wasObserved {
                observedProperties.store(
                    observedProperties.load(ordering: .relaxed) | record.property.bit, ordering: .releasing)
            } else if wasObserved, !isObserved {
                // Another property may have the same bit.
                observedProperties.store(bitsOfObserved, ordering: .releasing)
            }
            return unsafe (result, audience)
        }
    }

    /// Releases an audience that was forgotten, and with it perhaps what handlers hold; to be called without the lock.
    private func release(_ audience: Unmanaged<Audience>?) {
        guard let audience = unsafe audience else { return }
        ReadingRecorder.suspended { unsafe audience.release() }
    }
}
