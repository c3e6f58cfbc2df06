// What a controller has registered, by object and key path.

/// The registrations of a controller, and the objects it retains for them.
///
/// Safe from any thread. Registrations, objects and handlers are released without the lock.
@usableFromInline
package final class ControllerRegistrations: Sendable {
    private struct ObservedObject {
        /// In the order in which they were made.
        var entries: [Entry] = []
        /// The object, if it is retained.
        var retained: AnyObject?
    }

    private struct State {
        var objects: [ObjectIdentifier: ObservedObject] = [:]
        var count = 0
        /// How many there may be before those that ended by themselves are looked for.
        var sweepThreshold = 16
        var lastNumber = 0

        func entries(of id: ObjectIdentifier, at key: Entry.Key) -> [Entry] {
            objects[id]?.entries.filter { $0.key.overlaps(key) } ?? []
        }

        mutating func append(_ entry: Entry, to id: ObjectIdentifier, retaining retained: AnyObject?) {
            var entry = entry
            lastNumber += 1
            entry.number = lastNumber
            count += 1
            objects[id, default: ObservedObject()].entries.append(entry)
            objects[id]?.retained = retained
        }

        /// Takes some out.
        ///
        /// - Returns: What nothing retains any more, to be released without the lock.
        mutating func remove(_ removed: [Entry], from id: ObjectIdentifier) -> AnyObject? {
            let numbers = Set(removed.map(\.number))
            let before = objects[id]?.entries.count ?? 0
            objects[id]?.entries.removeAll { numbers.contains($0.number) }
            guard let left = objects[id]?.entries.count else { return nil }
            count -= before - left
            return left == 0 ? objects.removeValue(forKey: id)?.retained : nil
        }
    }

    private let retainsObserved: Bool
    private let duplicates: DuplicatePolicy
    private let state = Guarded(State())

    /// Creates a list without registrations.
    init(retainsObserved: Bool, duplicates: DuplicatePolicy) {
        self.retainsObserved = retainsObserved
        self.duplicates = duplicates
    }

    /// All registrations of objects that live, in their order.
    var all: [Entry] {
        state.withLock { $0.objects.values.flatMap(\.entries) }.filter { !$0.observation.isInvalidated }
            .sorted { $0.number < $1.number }
    }

    /// Runs `body`, whose changes are not delivered to the registrations that there are when they are made.
    func ignoringChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try IgnoredRegistrations.ignoring({ all.flatMap(\.observation.ignorableNumbers) }, of: self, body)
    }

    /// Makes a registration, unless the pair of object and key path is there and the first one counts.
    @inlinable
    func register<Object: KeyValueObservable, Value>(
        _ registration: TypedRegistration<Object, Value>, _ request: borrowing RegistrationRequest,
        at keyPath: KeyPath<Object, Value>, of object: Object, retaining retained: AnyObject?, parts: [AnyKeyPath]?
    ) {
        register(registration, request, at: keyPath, of: object, retaining: retained, parts: parts) {
            BoxedValue.holding(unsafe unsafeDowncast($0, to: Object.self)[keyPath: keyPath], in: $1)
        }
    }

    @usableFromInline
    func register<Object: KeyValueObservable, Value>(
        _ registration: TypedRegistration<Object, Value>, _ request: borrowing RegistrationRequest,
        at keyPath: KeyPath<Object, Value>, of object: Object, retaining retained: AnyObject?, parts: [AnyKeyPath]?,
        reading read: @escaping WatchReader
    ) {
        register(
            registration, request, of: .keyPath(keyPath, parts: parts, reading: read), in: object, retaining: retained)
    }

    /// The same for a key path or an expression, which is found by the place where it is observed.
    func register<Object: KeyValueObservable, Value>(
        _ registration: Registration, _ request: borrowing RegistrationRequest,
        of subject: ObservedSubject<Object, Value>, in object: Object, retaining retained: AnyObject?
    ) {
        var begin: (() -> Void)?
        _ = add(object, at: { subject.target(of: object) }, request, retaining: retained) {
            let recorded = object.record(subject, registration, request)
            begin = recorded.begin
            return recorded.observation
        }
        // One that has ended already is not called, but lets go of the changes that were kept for it.
        if request.options.contains(.initial) { begin?() }
    }

    /// The same for a registration whose types do not matter.
    ///
    /// - Parameters:
    ///   - object: What is observed.
    ///   - target: What a registration at the key path is made on, as far as that is known.
    ///   - element: What is observed of the elements there, if it is a collection that is observed for them.
    ///   - request: What was asked for.
    ///   - retained: What to retain while the registration lasts.
    ///   - record: Makes the registration.
    /// - Returns: Whether it was made.
    func add(
        _ object: some KeyValueObservable, at target: () -> ObjectIdentifier?, ofEach element: AnyKeyPath? = nil,
        _ request: borrowing RegistrationRequest, retaining retained: AnyObject?, record: () -> KeyValueObservation
    ) -> Bool {
        let (id, text, place) = (ObjectIdentifier(object), request.text, Place(request))
        sweep()
        var known: Set<Int> = []
        if duplicates != .allow {
            let key = Entry.Key(target(), text)
            let same = state.withLock { $0.entries(of: id, at: key) }
                .filter { $0.element == element && isDuplicate($0, at: place) }
            // Those of an object that died, whose address this one has, do not count.
            let live = same.filter { !$0.observation.isInvalidated }
            if ignoresDuplicates, let first = live.first {
                noteDuplicate(of: first, at: place)
                return false
            }
            take(same.filter(\.observation.isInvalidated), from: id)
            known = Set(live.map(\.number))
        }

        let observation = record()
        IgnoredRegistrations.add({ observation.ignorableNumbers }, of: self)
        let entry = Entry(
            objectType: type(of: object), key: Entry.Key(observation.target, text), observation: observation,
            element: element, place: place, options: request.options)
        // Another thread may have been first. No key paths are compared under the lock, for that may run code of users.
        let (first, outdated) = state.withLock { state -> (Entry?, [Entry]) in
            let same = state.entries(of: id, at: entry.key).filter {
                known.contains($0.number) || $0.element === element && isDuplicate($0, at: place)
            }
            if ignoresDuplicates, let first = same.first { return (first, []) }
            state.append(entry, to: id, retaining: retainsObserved ? retained : nil)
            return (nil, same)
        }
        end(outdated, from: id)
        guard let first else { return true }
        observation.invalidate()
        noteDuplicate(of: first, at: place)
        return false
    }

    private var ignoresDuplicates: Bool { duplicates == .ignore || duplicates == .ignoreRepeated }

    /// Whether a registration at the same key path is one for which the policy does something else than keep both.
    private func isDuplicate(_ entry: Entry, at place: Place) -> Bool {
        switch duplicates {
        case .ignoreRepeated: entry.place == place
        case .ignore, .replace: true
        case .allow: false
        }
    }

    /// Reports, once for each two lines, that a registration is left out because of another one.
    private func noteDuplicate(of first: Entry, at place: Place) {
        let subject = "\(first.keyPathText) of the same \(TypeName.text(of: first.objectType)) was observed again"
        let reason =
            first.place == place
            ? """
            at \(place) for the same observer, and the second registration was ignored: only the first handler of a line \
            counts. That is right where the line is run again, and wrong in a loop that registers different handlers.
            """
            : "at \(place), and the second registration was ignored: there is one from \(first.place), which stays."
        KeyValueDiagnostics.noteOnce(
            """
            \(subject) \(reason) Keep tokens of observe(_:), or give the controller duplicates: .allow, to have both, \
            or end the first one before, with unobserve or removeObserver.
            """)
    }

    /// Removes the registrations of an object.
    func remove(from object: AnyObject) {
        let id = ObjectIdentifier(object)
        end(state.withLock { $0.objects[id]?.entries } ?? [], from: id)
    }

    /// Removes the registrations at a key path of an object.
    package func remove(from object: AnyObject, at target: ObjectIdentifier?, text: String? = nil) {
        let id = ObjectIdentifier(object)
        end(state.withLock { $0.entries(of: id, at: Entry.Key(target, text)) }, from: id)
    }

    /// Removes all registrations.
    func removeAll() {
        for (id, object) in state.withLock({ $0.objects }) { end(object.entries, from: id) }
    }

    /// Ends registrations before it takes them out: another thread that ends them too ends them itself, or finds that
    /// they have ended.
    private func end(_ entries: [Entry], from id: ObjectIdentifier) {
        for entry in entries { entry.observation.invalidate() }
        take(entries, from: id)
    }

    /// Takes out registrations that have ended.
    private func take(_ ended: [Entry], from id: ObjectIdentifier) {
        if !ended.isEmpty { withExtendedLifetime(state.withLock { $0.remove(ended, from: id) }) {} }
    }

    /// Forgets registrations that ended by themselves, each time there are twice as many as were left the last time.
    private func sweep() {
        let objects = state.withLock { $0.count > $0.sweepThreshold ? $0.objects : [:] }
        if objects.isEmpty { return }
        for (id, object) in objects { take(object.entries.filter(\.observation.isInvalidated), from: id) }
        state.withLock { $0.sweepThreshold = max(16, $0.count * 2) }
    }
}
