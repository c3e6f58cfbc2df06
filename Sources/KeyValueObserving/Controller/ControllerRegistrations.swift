// A controller's registrations by object and key path.

/// The registrations of a controller, and the objects that it retains for them.
///
/// Safe from any thread. Registrations, objects and handlers are released without the lock.
@usableFromInline
package final class ControllerRegistrations: Sendable {
    private struct State {
        /// The registrations that a name finds, by their numbers.
        private var entries: [Name: [Int: Entry]] = [:]
        private var lastNumber = 0
        private(set) var count = 0
        /// How many entries there may be before the controller looks for those that ended by themselves.
        var sweepThreshold = 16

        /// All of them.
        var all: [Entry] {
            var found: [Int: Entry] = [:]
            for (name, entries) in entries { if case .object = name { found.merge(entries) { $1 } } }
            return Array(found.values)
        }

        /// The entries that one of some names finds, in their order.
        func all(at names: [Name]) -> [Entry] {
            var found: [Int: Entry] = [:]
            for name in names { found.merge(entries[name] ?? [:]) { $1 } }
            return found.values.sorted { $0.number < $1.number }
        }

        mutating func insert(_ entry: Entry) {
            lastNumber += 1
            count += 1
            entry.number = lastNumber
            for name in entry.names.objects + entry.names.keyPath { entries[name, default: [:]][lastNumber] = entry }
        }

        mutating func remove(_ entry: Entry) {
            func remove(from entries: inout [Int: Entry]?) -> Bool {
                defer { if entries?.isEmpty ?? false { entries = nil } }
                return entries?.removeValue(forKey: entry.number) != nil
            }
            var wasThere = false
            for name in entry.names.objects where remove(from: &entries[name]) { wasThere = true }
            for name in entry.names.keyPath { _ = remove(from: &entries[name]) }
            if wasThere { count -= 1 }
        }
    }

    private let retainsObserved: Bool
    private let duplicates: KVOController<AnyObject>.DuplicatePolicy
    private let state = Guarded(State())

    init(retainsObserved: Bool, duplicates: KVOController<AnyObject>.DuplicatePolicy) {
        self.retainsObserved = retainsObserved
        self.duplicates = duplicates
    }

    deinit { removeAll() }

    /// All registrations, in their order.
    private var entries: [Entry] { state.withLock { $0.all }.sorted { $0.number < $1.number } }

    /// All registrations of living objects, in their order.
    var all: [Entry] { entries.filter { !$0.observation.isInvalidated } }

    /// Runs `body`, whose changes are not delivered to the registrations that exist at the time of each change.
    func ignoringChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try IgnoredRegistrations.adding(entries.flatMap(\.observation.ignorableNumbers), of: self, body)
    }

    /// Makes a registration, unless one for the same object and key path exists and the policy keeps it.
    @usableFromInline
    func register<Object: KeyValueObservable, Value>(
        _ registration: TypedRegistration<Object, Value>, _ request: borrowing RegistrationRequest,
        at keyPath: KeyPath<Object, Value>, of object: Object, for observer: AnyObject,
        reading read: @escaping WatchReader
    ) {
        register(registration, request, of: .keyPath(keyPath, reading: read), in: object, for: observer)
    }

    /// Registers a key path, or an expression, which is identified by the place that observes it.
    func register<Object: KeyValueObservable, Value>(
        _ registration: Registration, _ request: borrowing RegistrationRequest,
        of subject: ObservedSubject<Object, Value>, in object: Object, for observer: AnyObject
    ) {
        var begin: (() -> Void)?
        // An observer that observes itself would retain itself through its controller.
        let retained = object === observer ? nil : object
        _ = add(object, at: { subject.target(of: object) }, request, retaining: retained) {
            let recorded = object.record(subject, registration, request)
            begin = recorded.begin
            return recorded.observation
        }
        // An ended registration is not called, but releases the changes kept for it.
        if request.options.contains(.initial) { begin?() }
    }

    /// Adds a registration that `record` makes; `element` is the key path observed at the elements of a collection.
    ///
    /// - Returns: Whether the registration was made.
    func add(
        _ object: some KeyValueObservable, at target: () -> ObjectIdentifier?, ofEach element: AnyKeyPath? = nil,
        _ request: borrowing RegistrationRequest, retaining retained: AnyObject?, record: () -> KeyValueObservation
    ) -> Bool {
        let place = Place(fileID: request.fileID, line: request.line)
        sweep()
        var known: Set<Int> = []
        if duplicates != .allow {
            let names = Name.ofKeyPath(target(), request.text, of: object)
            let same = state.withLock { $0.all(at: names) }
                .filter { $0.element == element && isDuplicate($0, at: place) }
            // Registrations of a dead object, whose address this one has, do not count.
            let live = same.filter { !$0.observation.isInvalidated }
            if let first = live.first {
                noteDuplicate(of: first, at: place)
                if duplicates == .ignore { return false }
            }
            take(same.filter(\.observation.isInvalidated))
            known = Set(live.map(\.number))
        }

        let observation = record()
        IgnoredRegistrations.add({ observation.ignorableNumbers }, of: self)
        let entry = Entry(
            of: object, observation, ofEach: element, request, retaining: retainsObserved ? retained : nil)
        // Another thread may have been first. No key paths are compared under the lock, because that may run code of
        // users.
        let (first, outdated) = state.withLock { state -> (Entry?, [Entry]) in
            let names = duplicates == .allow ? [] : entry.names.keyPath
            let same = state.all(at: names).filter {
                known.contains($0.number) || $0.element === element && isDuplicate($0, at: place)
            }
            if duplicates == .ignore, let first = same.first { return (first, []) }
            state.insert(entry)
            return (nil, same)
        }
        end(outdated)
        guard let first else { return true }
        observation.invalidate()
        noteDuplicate(of: first, at: place)
        return false
    }

    /// Adds a stored token's registration, which ends with an observer.
    func add(_ observation: KeyValueObservation, endingWith observer: AnyObject) {
        if observation.isInvalidated { return }
        sweep()
        observation.end(with: ObserverLink(to: observer) { [weak self] in self?.removeAll() })
        IgnoredRegistrations.add({ observation.ignorableNumbers }, of: self)
        let entry = Entry(observation)
        state.withLock { $0.insert(entry) }
    }

    /// Whether the policy does not keep both this registration and an existing one at the same key path.
    private func isDuplicate(_ entry: Entry, at place: Place) -> Bool {
        guard let earlier = entry.place else { return false }
        return duplicates == .replaceRepeated ? earlier == place : duplicates != .allow
    }

    /// Notes, once for each pair of lines, that one of two registrations is left out.
    private func noteDuplicate(of first: Entry, at place: Place) {
        let (what, earlier) = (
            "\(first.keyPathText) of the same \(first.objectText) was observed again at \(place)",
            first.place?.description ?? ""
        )
        let sentence: String
        switch duplicates {
        case .replaceRepeated:
            // If the handler was called, it was of use, and its line has run again.
            guard first.observation.registrations.allSatisfy({ $0.callCount == 0 }) else { return }
            sentence = """
                \(what) for the same observer, and the newest handler replaced the one before. That is right where the line is \
                run again, and wrong in a loop that registers different handlers: there, keep tokens of observe(_:), pass the \
                caller's fileID and line on, or give the controller duplicates: .allow.
                """
        case .ignore:
            sentence = """
                \(what), and the second registration was ignored: there is one from \(earlier), which stays. Keep tokens of \
                observe(_:), or give the controller duplicates: .allow, to have both, or end the first one before, with \
                unobserve or removeObserver.
                """
        case .replace, .allow: return
        }
        KeyValueDiagnostics.noteOnce(sentence, about: "two registrations at \(earlier) and \(place)")
    }

    func remove(from object: AnyObject) { end(state.withLock { $0.all(at: [.object(ObjectIdentifier(object))]) }) }

    package func remove(from object: AnyObject, at target: ObjectIdentifier?, text: String? = nil) {
        end(state.withLock { $0.all(at: Name.ofKeyPath(target, text, of: object)) })
    }

    func removeAll() { end(entries) }

    /// Ends registrations, the newest first, which is quick, and then removes them.
    ///
    /// Another thread that ends the same ones thus finds them, or finds that they have ended.
    private func end(_ entries: [Entry]) {
        for entry in entries.reversed() { entry.observation.invalidate() }
        take(entries)
    }

    /// Removes registrations that have ended.
    private func take(_ ended: [Entry]) {
        if !ended.isEmpty { state.withLock { state in for entry in ended { state.remove(entry) } } }
    }

    /// Removes registrations that ended by themselves, each time the number of entries has doubled since the last
    /// removal.
    private func sweep() {
        let all = state.withLock { $0.count > $0.sweepThreshold ? $0.all : [] }
        if all.isEmpty { return }
        take(all.filter(\.observation.isInvalidated))
        state.withLock { $0.sweepThreshold = max(16, $0.count * 2) }
    }
}
