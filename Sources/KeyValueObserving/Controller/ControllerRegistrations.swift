// What a controller has registered, by object and key path.

/// The registrations of a controller, and the objects it retains for them.
///
/// Safe from any thread. Registrations, objects and handlers are released without the lock.
@usableFromInline
package final class ControllerRegistrations: Sendable {
    private struct ObservedObject {
        var entries = EntryList()
        /// The object, if it is retained.
        var retained: AnyObject?
        /// The number of the last change of the entries.
        var version = 0
    }

    private struct State {
        var objects: [ObjectIdentifier: ObservedObject] = [:]
        /// Numbers the changes, so that no two states of an object have the same version.
        var lastVersion = 0
        /// How many objects there may be before those that died are looked for.
        var sweepThreshold = 16

        /// Changes what there is of an object, in place.
        mutating func change(_ id: ObjectIdentifier, _ body: (inout ObservedObject) -> Void) {
            lastVersion += 1
            objects[id, default: ObservedObject()].version = lastVersion
            body(&objects[id, default: ObservedObject()])
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
        state.withLock { $0.objects.values.flatMap(\.entries.all) }.filter { !$0.observation.isInvalidated }
            .sorted { $0.number < $1.number }
    }

    /// Runs `body`, whose changes are not delivered to the registrations that there are when they are made.
    func ignoringChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try IgnoredRegistrations.ignoring({ all.flatMap(\.observation.ignorableNumbers) }, of: self, body)
    }

    /// Makes a registration, unless the pair of object and key path is there and the first one counts.
    ///
    /// - Parameters:
    ///   - registration: The registration.
    ///   - request: What was asked for.
    ///   - keyPath: Where.
    ///   - object: The object.
    ///   - retained: What to retain while the registration lasts.
    ///   - parts: The key paths that the key path was put together from, if it was.
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
        let id = ObjectIdentifier(object)
        sweep()
        sweep(id)
        let (text, place) = (request.text, Place(request))
        if ignoresDuplicates, isIgnored(place, entries(of: id, at: target(), element, text: text).same) {
            return false
        }

        let observation = record()
        IgnoredRegistrations.add({ observation.ignorableNumbers }, of: self)
        let target = observation.target
        let entry = Entry(
            objectType: type(of: object), text: text, observation: observation, target: target, element: element,
            place: place, options: request.options)
        while true {
            let (same, version) = entries(of: id, at: target, element, text: text)
            if isIgnored(place, same) {
                // Another thread was first.
                entry.observation.invalidate()
                return false
            }
            let outdated = duplicates == .replace ? same : []
            let isAdded = state.withLock { state in
                guard state.objects[id]?.version ?? 0 == version else { return false }
                state.change(id) { object in
                    object.entries.remove(outdated)
                    object.entries.append(entry, number: object.version)
                    object.retained = retainsObserved ? retained : nil
                }
                return true
            }
            guard isAdded else { continue }
            for entry in outdated { entry.observation.invalidate() }
            return true
        }
    }

    private var ignoresDuplicates: Bool { duplicates == .ignore || duplicates == .ignoreRepeated }

    /// Whether a registration is left out because of others at the same key path, which is reported once for each two
    /// lines.
    private func isIgnored(_ place: Place, _ same: [Entry]) -> Bool {
        let isRelevant = { [duplicates] in duplicates == .ignore || $0 == place }
        guard ignoresDuplicates, let first = same.first(where: { isRelevant($0.place) }) else { return false }
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
        return true
    }

    /// Removes the registrations of an object.
    ///
    /// They end before they are taken out. So another thread that removes them too ends them itself, or finds them
    /// ended.
    func remove(from object: AnyObject) {
        let id = ObjectIdentifier(object)
        end(state.withLock { $0.objects[id]?.entries.all } ?? [], from: id)
    }

    /// Removes the registrations at a key path of an object.
    package func remove(from object: AnyObject, at target: ObjectIdentifier?, text: String? = nil) {
        let id = ObjectIdentifier(object)
        end(state.withLock { $0.objects[id]?.entries.entries(at: target, text: text) } ?? [], from: id)
    }

    /// Removes all registrations.
    func removeAll() {
        for (id, object) in state.withLock({ $0.objects }) { end(object.entries.all, from: id) }
    }

    private func end(_ entries: [Entry], from id: ObjectIdentifier) {
        for entry in entries { entry.observation.invalidate() }
        take(entries, from: id)
    }

    /// Takes out registrations that have ended.
    private func take(_ removed: [Entry], from id: ObjectIdentifier) {
        // What was retained is released without the lock.
        let retained = state.withLock { state -> AnyObject? in
            guard state.objects[id] != nil else { return nil }
            state.change(id) { $0.entries.remove(removed) }
            return state.objects[id]?.entries.isEmpty ?? false ? state.objects.removeValue(forKey: id)?.retained : nil
        }
        withExtendedLifetime(retained) {}
    }

    /// The live registrations at a key path of an object, none where duplicates are allowed, and the version they belong
    /// to.
    private func entries(
        of id: ObjectIdentifier, at target: ObjectIdentifier?, _ element: AnyKeyPath?, text: String?
    ) -> (same: [Entry], version: Int) {
        let (found, version) = state.withLock { state in
            let object = state.objects[id] ?? ObservedObject()
            return (duplicates == .allow ? [] : object.entries.entries(at: target, text: text), object.version)
        }
        // Those of an object that died, whose address this one has, do not count.
        return (found.filter { $0.element == element && !$0.observation.isInvalidated }, version)
    }

    /// Forgets objects that died, each time there are twice as many as were left the last time.
    private func sweep() {
        let dead: [ObservedObject] = state.withLock { state in
            guard state.objects.count > state.sweepThreshold else { return [] }
            let dead = state.objects.filter { $0.value.entries.all.allSatisfy(\.observation.isInvalidated) }
            for id in dead.keys { state.objects[id] = nil }
            state.sweepThreshold = max(16, state.objects.count * 2)
            return Array(dead.values)
        }
        withExtendedLifetime(dead) {}
    }

    /// The same for what is found by one object.
    private func sweep(_ id: ObjectIdentifier) {
        let ended = state.withLock { state in
            var ended: [Entry] = []
            if state.objects[id]?.entries.isDueForSweep ?? false { state.change(id) { ended = $0.entries.sweep() } }
            return ended
        }
        withExtendedLifetime(ended) {}
    }
}
