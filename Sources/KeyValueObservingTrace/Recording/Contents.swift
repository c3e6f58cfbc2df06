// The state of the tracer.
import KeyValueObserving

/// Everything that the tracer keeps while tracing is on, and until tracing begins again.
struct Contents {
    var settings = Settings()
    var ring = EventRing(capacity: 1, from: 1)
    /// The calls and evaluations that have not ended; the ring may have dropped their events.
    private var underWay: [UInt64: KeyValueTrace.Event] = [:]
    /// Whether `start` was called, and `stop` was not called after it.
    var isStarted = false
    /// How many parts of the program are being traced.
    var users = 0
    /// How often tracing began.
    private(set) var beginnings = 0
    /// How many events were last allowed, and the number of the first of them.
    private var allowance = (count: 0, first: 0 as UInt64)
    /// The registrations that were made or called since the start and have not ended, by their numbers.
    var registrations: [UInt64: KnownRegistration] = [:]
    /// The names of classes and properties found so far.
    var names: [ObjectIdentifier: String] = [:]
    /// The objects that were observed, changed, evaluated or listed.
    private(set) var objects: [ObjectIdentifier: KnownObject] = [:]
    /// How many objects of each class were met.
    private var objectCounts: [String: Int] = [:]
    /// The last known values of each object's properties, by name.
    private(set) var values: [ObjectIdentifier: [String: KnownValue]] = [:]
    /// How many objects may be kept before the tracer looks for those that have died.
    private var objectsToKeep = Contents.objectsToKeep(beside: 0)
    private(set) var handlers: [KeyValueTrace.Handler] = []
    private var handlerPlaces: [HandlerPlace: Int] = [:]
    private(set) var evaluations: [EvaluationPlace: EvaluationFigures] = [:]

    /// How many lines, and how many key paths, have figures.
    private static let mostPlaces = 10_000
    /// How many unused limits of events are saved, for a burst of changes.
    private static let mostLimits = 25
    /// How many values of an object are kept.
    private static let mostValues = 100

    struct HandlerPlace: Hashable {
        let fileID: String
        let line: UInt
        let typeName: String
        let keyPath: String
    }

    struct EvaluationPlace: Hashable {
        let typeName: String
        let keyPath: String
    }

    struct EvaluationFigures {
        /// How many objects' last results are remembered.
        fileprivate static let mostResults = 1_000

        /// The recorded evaluations.
        var calls = Calls()
        /// How many evaluations were left out.
        var leftOutCount = 0
        var unchanged = 0
        fileprivate var results: [ObjectIdentifier: Int] = [:]
    }

    var isOn: Bool { isStarted || users > 0 }

    /// Discards everything, and begins with new settings.
    mutating func begin(_ settings: Settings) {
        var new = Contents()
        new.settings = settings
        new.ring = EventRing(capacity: settings.capacity, from: ring.next)
        new.isStarted = isStarted
        new.users = users
        new.beginnings = beginnings + 1
        new.allowance = (settings.eventLimit, ring.next)
        self = new
    }

    /// Returns how many events may begin from now on: the limit, and what is left from before.
    mutating func renewAllowance() -> Int {
        let limit = settings.eventLimit
        let unused = max(0, allowance.count - Int(ring.next - allowance.first))
        // Without a limit, this overflows.
        let most = limit.multipliedReportingOverflow(by: Self.mostLimits)
        allowance = (most.overflow ? limit : min(unused + limit, most.partialValue), ring.next)
        return allowance.count
    }

    // MARK: Registrations

    /// Adds a registration, and counts it with its line if it was made just now.
    mutating func add(_ known: KnownRegistration, isNew: Bool) {
        if registrations[known.number] != nil { return }
        var known = known
        known.isNew = isNew
        known.handler = handler(of: known)
        if let index = known.handler { handlers[index].add(known) }
        registrations[known.number] = known
    }

    /// Records the current names of a registration: a label names a property that has no name.
    mutating func noteNames(of new: KnownRegistration) {
        guard var known = registrations[new.number], (known.keyPath, known.observer) != (new.keyPath, new.observer)
        else { return }
        registrations[new.number] = nil
        if let index = known.handler { handlers[index].remove(known) }
        known.keyPath = new.keyPath
        known.observer = new.observer
        add(known, isNew: known.isNew)
    }

    private mutating func handler(of known: KnownRegistration) -> Int? {
        let new = KeyValueTrace.Handler(known)
        if let index = handlerPlaces[new.place] { return index }
        guard handlers.count < Self.mostPlaces else { return nil }
        handlers.append(new)
        handlerPlaces[new.place] = handlers.count - 1
        return handlers.count - 1
    }

    /// Removes a registration that has ended, and counts the calls that were not recorded.
    mutating func remove(_ number: UInt64, callCount: Int) -> KnownRegistration? {
        guard let known = registrations.removeValue(forKey: number) else { return nil }
        if let index = known.handler { handlers[index].end(with: callCount - known.calls.count) }
        return known
    }

    /// Records an object, which the caller holds.
    ///
    /// - Returns: All objects, if it is time to look for those that have died.
    mutating func note(_ object: AnyObject, _ name: KeyValueTrace.Object) -> [ObjectIdentifier: KnownObject]? {
        if objects[name.identity]?.object === object { return nil }
        objectCounts[name.typeName, default: 0] += 1
        objects[name.identity] = KnownObject(object, name, number: objectCounts[name.typeName] ?? 0)
        values[name.identity] = nil
        guard objects.count > objectsToKeep else { return nil }
        objectsToKeep = .max
        return objects
    }

    /// Removes objects that have died.
    mutating func forget(_ dead: [ObjectIdentifier: KnownObject]) {
        // Another object may have the same identity now.
        for (identity, reference) in dead where objects[identity] === reference {
            objects.removeValue(forKey: identity)
            values.removeValue(forKey: identity)
        }
        objectsToKeep = Self.objectsToKeep(beside: objects.count)
    }

    /// The class of an object, and its number if it is known.
    func name(of object: KeyValueTrace.Object) -> String {
        objects[object.identity].map { "\(object.typeName) \($0.number)" } ?? object.typeName
    }

    private static func objectsToKeep(beside count: Int) -> Int { max(64, count * 2) }

    // MARK: Events

    /// Adds an event of a registration.
    @discardableResult
    mutating func append(
        _ kind: KeyValueTrace.Kind, of known: KnownRegistration, isPrior: Bool = false, cause: EngineTrace.EventNumber
    ) -> EngineTrace.EventNumber {
        append(
            kind, of: known.object, known.keyPath, registration: known.number, observer: known.observer,
            at: (known.fileID, known.line), isPrior: isPrior, cause: cause)
    }

    /// Adds an event; an event of an inbox without a subject gets that of the change that it delivers.
    @discardableResult
    mutating func append(
        _ kind: KeyValueTrace.Kind, of object: KeyValueTrace.Object?, _ keyPath: String?, registration: UInt64? = nil,
        observer: String? = nil, at place: (fileID: String, line: UInt)?, isPrior: Bool = false,
        cause: EngineTrace.EventNumber
    ) -> EngineTrace.EventNumber {
        guard isOn else { return .unreported }
        let number = ring.next
        let source = kind == .inbox || kind == .taken ? ring[cause.word] : nil
        let subject = object ?? source?.object
        let known = subject.flatMap { objects[$0.identity] }
        known?.lastChange = Order.next()
        let event = KeyValueTrace.Event(
            number: number, time: .now, thread: EngineTrace.thread, kind: kind, object: subject,
            objectNumber: known?.number, keyPath: keyPath ?? source?.keyPath,
            registration: registration ?? source?.registration,
            observer: observer ?? source?.observer, fileID: place?.fileID ?? source?.fileID,
            line: place?.line ?? source?.line, cause: cause.isReported ? cause.word : nil, isPrior: isPrior,
            duration: kind == .registration || kind == .end ? .zero : nil)
        ring.append(event)
        if kind == .delivery || kind == .evaluation { underWay[number] = event }
        return EngineTrace.EventNumber(number)
    }

    /// Records the end of an event, and counts it.
    mutating func end(_ number: UInt64, at now: ContinuousClock.Instant, isSkipped: Bool) {
        guard let event = underWay.removeValue(forKey: number) ?? ring[number], event.duration == nil else { return }
        let duration = event.time.duration(to: now)
        ring.update(number) { event in
            event.duration = duration
            if isSkipped { event.kind = .skip }
        }
        switch event.kind {
        case .delivery: count(event, duration, isSkipped: isSkipped)
        case .evaluation:
            withFigures(of: event.object, event.keyPath) { $0.calls.add(duration) }
        default: break
        }
    }

    private mutating func count(_ event: KeyValueTrace.Event, _ duration: Duration, isSkipped: Bool) {
        guard let number = event.registration, let known = registrations[number] else { return }
        if !isSkipped { registrations[number]?.calls.add(duration) }
        guard let index = known.handler else { return }
        if isSkipped { handlers[index].skippedCount += 1 } else { handlers[index].add(duration) }
    }

    private mutating func withFigures(
        of object: KeyValueTrace.Object?, _ keyPath: String?, _ body: (inout EvaluationFigures) -> Void
    ) {
        let place = EvaluationPlace(typeName: object?.typeName ?? "", keyPath: keyPath ?? "")
        if evaluations[place] == nil, evaluations.count >= Self.mostPlaces { return }
        body(&evaluations[place, default: EvaluationFigures()])
    }

    /// Records the value of a property after an event; nil if no observer requested it.
    mutating func note(_ value: ValueText?, after number: UInt64) {
        guard let event = ring[number], let keyPath = event.keyPath, let object = event.object?.identity else { return }
        note(KnownValue(value, order: Order.next(), time: .now), of: keyPath, object)
    }

    /// Records a value of a property, unless a later one is known.
    mutating func note(_ value: KnownValue, of keyPath: String, _ object: ObjectIdentifier) {
        guard objects[object] != nil else { return }
        let known = values[object]?[keyPath]?.order
        guard known.map({ $0 < value.order }) ?? ((values[object]?.count ?? 0) < Self.mostValues) else { return }
        values[object, default: [:]][keyPath] = value
    }

    /// Marks the value of a property as possibly outdated.
    mutating func noteOutdated(_ keyPath: String, _ object: ObjectIdentifier) {
        values[object]?[keyPath]?.isOutdated = true
    }

    /// Records a change or evaluation that was left out, with its value as text.
    mutating func note(_ entry: LeftOut.Entry, _ text: ValueText?) {
        objects[entry.object.identity]?.lastChange = entry.order
        if case .unheld = entry.value {
            noteOutdated(entry.keyPath, entry.object.identity)
        } else {
            note(KnownValue(text, order: entry.order, time: entry.time), of: entry.keyPath, entry.object.identity)
        }
        if entry.evaluationCount > 0 {
            withFigures(of: entry.object, entry.keyPath) { $0.leftOutCount += entry.evaluationCount }
        }
    }

    /// Records the name of an event's property, also for registrations of the same key path of its object.
    mutating func noteName(_ name: String, of number: UInt64) {
        guard let event = ring[number], let object = event.object, let old = event.keyPath, name != old else { return }
        ring.update(number) { $0.keyPath = name }
        underWay[number]?.keyPath = name
        values[object.identity]?[old] = nil
        for (number, known) in registrations where known.object == object && known.keyPath == old {
            registrations[number]?.keyPath = name
            guard let index = known.handler else { continue }
            handlerPlaces[handlers[index].place] = nil
            handlers[index].keyPath = name
            handlerPlaces[handlers[index].place] = index
        }
    }

    /// Records the result of an evaluation, and whether it equals the previous one.
    mutating func noteResult(_ hash: Int, of number: UInt64) {
        guard let event = underWay[number], event.kind == .evaluation, let object = event.object?.identity else {
            return
        }
        withFigures(of: event.object, event.keyPath) { figures in
            if figures.results[object] == hash { figures.unchanged += 1 }
            if figures.results[object] != nil || figures.results.count < EvaluationFigures.mostResults {
                figures.results[object] = hash
            }
        }
    }
}
