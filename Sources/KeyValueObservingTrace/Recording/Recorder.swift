// Records the events that the engine reports.
import KeyValueObserving
import Synchronization

/// The one tracer of the process.
///
/// Its lock is held briefly; no code of users runs under it.
final class Recorder: EngineTracer {
    static let shared = Recorder()

    private let contents = Guarded(Contents())
    private let leftOut = Guarded(LeftOut(valueLength: 0))
    /// How many characters of an unrecorded value are kept.
    private let heldLength = Atomic(0)
    let limit = EventLimit()
    /// This recorder as installed in the engine.
    private var installed: EngineTrace.Installed { Self.installed }
    private static let installed = EngineTrace.Installed(shared)

    // MARK: On and off

    func start(_ settings: Settings) {
        let old = contents.withLock { contents in
            contents.isStarted = true
            return begin(&contents, settings)
        }
        withExtendedLifetime(old) {}
    }

    /// Begins anew, under the lock.
    ///
    /// - Returns: The earlier contents, to release after leaving the lock.
    private func begin(_ contents: inout Contents, _ settings: Settings) -> Contents {
        let old = contents
        contents.begin(settings)
        leftOut.withLock { $0 = LeftOut(valueLength: settings.valueLength) }
        heldLength.store(settings.valueLength, ordering: .relaxed)
        limit.allow(settings.eventLimit)
        EngineTrace.install(installed)
        return old
    }

    func stop() {
        contents.withLock { contents in
            contents.isStarted = false
            if !contents.isOn { EngineTrace.install(nil) }
        }
    }

    /// Begins a traced part.
    ///
    /// - Returns: The number of the last event before the part, and that of the beginning if tracing began with the
    ///   part.
    func enter(_ settings: Settings) -> (lastEvent: UInt64, beginning: Int?) {
        let (old, last, beginning) = contents.withLock { contents in
            let old = contents.isOn ? nil : begin(&contents, settings)
            contents.users += 1
            return (old, contents.ring.next - 1, old == nil ? nil : contents.beginnings)
        }
        withExtendedLifetime(old) {}
        return (last, beginning)
    }

    /// Ends a traced part.
    func leave() {
        contents.withLock { contents in
            contents.users -= 1
            if !contents.isOn { EngineTrace.install(nil) }
        }
    }

    var isOn: Bool { contents.withLock { $0.isOn } }

    /// Allows a further limit of events, unless tracing has begun anew since a beginning.
    func renewLimit(ifSince beginning: Int) {
        contents.withLock { contents in
            if beginning == contents.beginnings { limit.allow(contents.renewAllowance()) }
        }
        leftOut.withLock { $0.time = .now }
    }

    // MARK: Reading

    func recent(after number: UInt64, newest count: Int = .max) -> (events: [KeyValueTrace.Event], droppedCount: Int) {
        contents.withLock { $0.ring.recent(after: number, newest: count) }
    }

    func event(_ number: UInt64) -> KeyValueTrace.Event? { contents.withLock { $0.ring[number] } }

    /// Records the last values of unrecorded changes and evaluations.
    func settle() {
        let (entries, length) = leftOut.withLock { ($0.take(), $0.valueLength) }
        if entries.isEmpty { return }
        let texts = entries.map { $0.value.text(length: length) }
        contents.withLock { contents in
            for (entry, text) in zip(entries, texts) { contents.note(entry, text) }
        }
    }

    /// Records the properties that this thread may read, and marks the values of the others as possibly outdated.
    ///
    /// - Returns: Whether some properties can be read on the main actor alone.
    func read(_ object: some KeyValueObservable, onMainActor isOnMainActor: Bool = false) -> Bool {
        let length = contents.withLock { $0.settings.valueLength }
        let properties = object.tracedProperties
        let watched = object.tracedWatches.map(\.name)
        if length > 0 {
            for property in properties where property.reading == (isOnMainActor ? .onMainActor : .anywhere) {
                // A change made during the reading is later.
                let (order, time) = (Order.next(), ContinuousClock.now)
                let text = Tracking.suspended { object.value(of: property).map { ValueText($0, length: length) } }
                contents.withLock {
                    $0.note(
                        KnownValue(text, order: order, time: time), of: property.name, ObjectIdentifier(object))
                }
            }
        }
        let observed = Set(properties.map(\.name) + watched)
        contents.withLock { contents in
            for keyPath in contents.values[ObjectIdentifier(object)]?.keys.map({ $0 }) ?? []
            where !observed.contains(keyPath) {
                contents.noteOutdated(keyPath, ObjectIdentifier(object))
            }
        }
        return properties.contains { $0.reading == .onMainActor }
    }

    /// Reads the contents without copying them; `body` runs under the lock.
    func look<Result>(_ body: (Contents) -> Result) -> Result { contents.withLock { body($0) } }

    /// Returns the registrations on an object, traced or not, and records them.
    func registrations(on object: some KeyValueObservable) -> [KeyValueTrace.Registration] {
        let listed = object.numberedInfo
        let known = contents.withLock { contents in
            listed.map { number, info in
                let new = KnownRegistration(info, number: number, on: object)
                if contents.isOn { contents.add(new, isNew: false) }
                contents.noteNames(of: new)
                return contents.registrations[number] ?? new
            }
        }
        // A registration that ended before it was added would stay.
        let left = Set(object.numberedInfo.map(\.number))
        contents.withLock { contents in
            for (number, info) in listed where !left.contains(number) {
                _ = contents.remove(number, callCount: info.deliveredCount)
            }
        }
        return zip(listed, known).map { KeyValueTrace.Registration($1, listedAs: $0.info) }
    }

    /// Records listed objects, if tracing is on.
    func meet(_ objects: [AnyObject]) {
        let names = objects.map { KeyValueTrace.Object($0) }
        let all = contents.withLock { contents in
            contents.isOn ? zip(objects, names).reduce(nil) { contents.note($1.0, $1.1) ?? $0 } : nil
        }
        if let all { forgetDead(among: all) }
        withExtendedLifetime(objects) {}
    }

    /// Returns a part of the contents.
    ///
    /// Nothing else is copied; otherwise a thread that appends an event meanwhile would have to copy all events.
    func listing<Result>(_ part: KeyPath<Contents, Result>) -> Result { contents.withLock { $0[keyPath: part] } }

    // MARK: Reports of the engine

    private typealias Event = KeyValueTrace.Event

    func noteRegistration(_ registration: EngineTrace.Registered, on object: AnyObject, cause: EngineTrace.EventNumber)
    {
        let known = KnownRegistration(registration, on: object)
        let objects = contents.withLock { contents -> [ObjectIdentifier: KnownObject]? in
            guard contents.isOn else { return nil }
            contents.add(known, isNew: true)
            let objects = known.object.flatMap { contents.note(object, $0) }
            contents.append(.registration, of: known, cause: cause)
            return objects
        }
        if let objects { forgetDead(among: objects) }
    }

    func noteLabel(_ registration: EngineTrace.Registered) {
        contents.withLock { $0.noteNames(of: KnownRegistration(registration, on: nil)) }
    }

    func noteEnd(
        of number: UInt64, callCount: Int, cause: EngineTrace.EventNumber, _ describe: () -> EngineTrace.Registered
    ) {
        let isKnown = contents.withLock { contents -> Bool in
            guard contents.isOn else { return true }
            guard let known = contents.remove(number, callCount: callCount) else { return false }
            contents.append(.end, of: known, cause: cause)
            return true
        }
        if isKnown { return }
        let known = KnownRegistration(describe(), on: nil)
        contents.withLock { contents in
            _ = contents.append(.end, of: known, cause: cause)
        }
    }

    func beginDelivery(
        to number: UInt64, of object: AnyObject, isPrior: Bool, cause: EngineTrace.EventNumber,
        _ describe: () -> EngineTrace.Registered
    ) -> EngineTrace.EventNumber {
        let event = contents.withLock { contents -> EngineTrace.EventNumber? in
            guard contents.isOn else { return .unreported }
            guard let known = contents.registrations[number] else { return nil }
            limit.noteEvent()
            return contents.append(.delivery, of: known, isPrior: isPrior, cause: cause)
        }
        if let event { return event }
        // The registration is older than the trace.
        limit.noteEvent()
        let known = KnownRegistration(describe(), on: object)
        let (number, objects) = contents.withLock { contents in
            contents.add(known, isNew: false)
            let objects = known.object.flatMap { contents.note(object, $0) }
            return (contents.append(.delivery, of: known, isPrior: isPrior, cause: cause), objects)
        }
        if let objects { forgetDead(among: objects) }
        return number
    }

    /// Removes objects that have died.
    ///
    /// It looks for them without the lock, because it may release the last reference to one.
    private func forgetDead(among objects: [ObjectIdentifier: KnownObject]) {
        let dead = objects.filter { $0.value.object == nil }
        contents.withLock { $0.forget(dead) }
    }

    func begin(
        _ kind: EngineTrace.Kind, of object: AnyObject?, _ name: EngineTrace.Name?,
        at place: (fileID: StaticString, line: UInt)?,
        cause: EngineTrace.EventNumber
    ) -> EngineTrace.EventNumber {
        if limit.leavesOut(causedBy: cause) { return .leftOut }
        let type: ObjectIdentifier? = object.map { ObjectIdentifier(Swift.type(of: $0)) }
        let (isOn, typeName, keyPath) = contents.withLock { contents -> (Bool, String?, String?) in
            (contents.isOn, type.flatMap { contents.names[$0] }, name?.identity.flatMap { contents.names[$0] })
        }
        guard isOn else { return .unreported }
        limit.noteEvent()
        let newTypeName = typeName == nil ? object.map { TypeName.of($0) } : nil
        let newKeyPath = keyPath == nil ? name?.text() : nil
        let traced = object.map { object in
            KeyValueTrace.Object(
                typeName: typeName ?? newTypeName ?? "", identity: ObjectIdentifier(object))
        }
        let file = place.map { "\($0.fileID)" }
        let (number, objects) = contents.withLock { contents in
            if let type, let newTypeName { contents.names[type] = newTypeName }
            if let identity = name?.identity, let newKeyPath { contents.names[identity] = newKeyPath }
            let objects = object.flatMap { object in traced.flatMap { contents.note(object, $0) } }
            let number = contents.append(
                kind.public, of: traced, keyPath ?? newKeyPath, at: file.map { ($0, place?.line ?? 0) },
                cause: cause)
            return (number, objects)
        }
        if let objects { forgetDead(among: objects) }
        return number
    }

    func noteName(of event: EngineTrace.EventNumber, _ name: () -> String) {
        let known = contents.withLock { $0.ring[event.word]?.keyPath }
        guard let known, !PropertyNames.isComplete(known) else { return }
        let name = name()
        contents.withLock { $0.noteName(name, of: event.word) }
    }

    func noteValues(
        of event: EngineTrace.EventNumber, _ elements: String?, _ values: () -> EngineTrace.Values
    ) {
        let settings = contents.withLock { $0.settings }
        guard settings.wantsValues || elements != nil || settings.printsChanges else { return }
        let (old, new, current) =
            settings.wantsValues
            ? Tracking.suspended { texts(values(), settings.valueLength, elements) } : (nil, nil, nil)
        let line = contents.withLock { contents -> String? in
            contents.ring.update(event.word) { event in
                event.elements = elements
                event.oldValue = old?.text
                event.newValue = new?.text
            }
            if let new { contents.noteResult(new.hash, of: event.word) }
            contents.note(current, after: event.word)
            guard settings.printsChanges, let changed = contents.ring[event.word], changed.kind == .change else {
                return nil
            }
            return ChangeLine.text(of: changed, in: contents.ring)
        }
        if let line { KeyValueDiagnostics.writeLine(line) }
    }

    func noteLeftOut(
        _ kind: EngineTrace.Kind, of object: AnyObject, at place: EngineTrace.Place, _ name: () -> String,
        _ value: () -> Any?
    ) {
        let value = heldLength.load(ordering: .relaxed) > 0 ? value() : nil
        if leftOut.withLock({ $0.update(place, of: object, kind, value) }) { return }
        let entry = LeftOut.Entry(object, name())
        meet([object])
        leftOut.withLock {
            $0.insert(entry, at: place)
            _ = $0.update(place, of: object, kind, value)
        }
    }

    private func texts(
        _ values: EngineTrace.Values, _ length: Int, _ elements: String?
    ) -> (old: ValueText?, new: ValueText?, current: ValueText?) {
        func text(_ value: Any?) -> ValueText? { value.map { ValueText($0, length: length) } }
        let new = text(values.new)
        return (text(values.old), new, elements == nil ? new : text(values.current))
    }

    func end(_ event: EngineTrace.EventNumber, isSkipped: Bool) {
        let now = ContinuousClock.now
        contents.withLock { $0.end(event.word, at: now, isSkipped: isSkipped) }
    }
}

extension EngineTrace.Kind {
    /// The kind of the event.
    fileprivate var `public`: KeyValueTrace.Kind {
        switch self {
        case .change: .change
        case .evaluation: .evaluation
        case .transaction: .transaction
        case .inbox: .inbox
        case .taken: .taken
        case .binding: .binding
        }
    }
}
