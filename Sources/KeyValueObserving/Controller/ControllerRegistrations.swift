// What a controller has registered, by object and key path.

/// The registrations of a controller, and the objects it retains for them.
///
/// Safe from any thread. Registrations, objects and handlers are released without the lock.
@usableFromInline
final class ControllerRegistrations: Sendable {
    enum DuplicatePolicy {
        case ignoreRepeated, ignore, replace, allow
    }

    /// Where in a program a registration is made.
    @usableFromInline
    struct Place: Equatable, CustomStringConvertible {
        private let fileID: StaticString
        private let line: UInt

        @usableFromInline
        init(_ request: borrowing RegistrationRequest) {
            fileID = request.fileID
            line = request.line
        }

        @usableFromInline
        static func == (left: Place, right: Place) -> Bool {
            left.line == right.line && left.fileID.description == right.fileID.description
        }

        @usableFromInline var description: String { "\(fileID):\(line)" }
    }

    struct Entry {
        let objectType: any KeyValueObservable.Type
        /// The key path as it was given, if that was a string.
        let text: String?
        let observation: KeyValueObservation
        /// What it is made on, for as long as the registration lasts.
        let target: ObjectIdentifier?
        let place: Place
        let options: KeyValueObservingOptions

        /// The key path, for people.
        var keyPathText: String {
            text ?? observation.keyPath.map { PropertyNames.text(of: $0) } ?? "an ended key path"
        }

        /// Whether it is a registration at a key path, however that was given.
        ///
        /// What evaluates a string has a key path of its own for each class it may be registered as.
        func isAt(_ target: ObjectIdentifier?, text: String?) -> Bool {
            text != nil && self.text == text || target != nil && self.target == target
        }
    }

    private struct ObservedObject {
        var entries: [Entry] = []
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
        /// The pairs of places of which a registration that was left out has been reported.
        var reported: Set<String> = []
    }

    private let retainsObserved: Bool
    private let duplicates: DuplicatePolicy
    private let state = Guarded(State())

    init(retainsObserved: Bool, duplicates: DuplicatePolicy) {
        self.retainsObserved = retainsObserved
        self.duplicates = duplicates
    }

    /// All registrations of objects that live.
    var all: [Entry] {
        state.withLock { $0.objects.values.flatMap(\.entries) }.filter { !$0.observation.isInvalidated }
    }

    /// Makes a registration, unless the pair of object and key path is there and the first one counts.
    ///
    /// - Parameters:
    ///   - object: What is observed.
    ///   - target: What a registration at the key path is made on, as far as that is known.
    ///   - text: The key path as it was given, if that was a string.
    ///   - place: Where it is made.
    ///   - options: What is asked for.
    ///   - retained: What to retain while the registration lasts.
    ///   - record: Makes the registration.
    /// - Returns: Whether it was made.
    @usableFromInline
    func add(
        _ object: some KeyValueObservable, at target: () -> ObjectIdentifier?, text: String?, from place: Place,
        options: KeyValueObservingOptions, retaining retained: AnyObject?, record: () -> KeyValueObservation
    ) -> Bool {
        sweep()
        let id = ObjectIdentifier(object)
        if ignoresDuplicates, isIgnored(place, entries(of: id, at: target(), text: text).same) { return false }

        let observation = record()
        let target = observation.target
        let entry = Entry(
            objectType: type(of: object), text: text, observation: observation, target: target, place: place,
            options: options)
        while true {
            let (same, version) = entries(of: id, at: target, text: text)
            if isIgnored(place, same) {
                // Another thread was first.
                entry.observation.invalidate()
                return false
            }
            let outdated = duplicates == .replace ? Set(same.map(\.observation)) : []
            var dropped: [Entry] = []
            let isAdded = state.withLock { state in
                var object = state.objects[id] ?? ObservedObject()
                guard object.version == version else { return false }
                // Released without the lock.
                dropped = object.entries
                object.entries.removeAll { outdated.contains($0.observation) || $0.observation.isInvalidated }
                object.entries.append(entry)
                object.retained = retainsObserved ? retained : nil
                state.lastVersion += 1
                object.version = state.lastVersion
                state.objects[id] = object
                return true
            }
            guard isAdded else { continue }
            for observation in outdated { observation.invalidate() }
            withExtendedLifetime(dropped) {}
            return true
        }
    }

    private var ignoresDuplicates: Bool { duplicates == .ignore || duplicates == .ignoreRepeated }

    /// Whether a registration is left out because of others at the same key path.
    ///
    /// One that is left out although another line makes it is reported, once for each two lines.
    private func isIgnored(_ place: Place, _ same: [Entry]) -> Bool {
        switch duplicates {
        case .ignoreRepeated: return same.contains { $0.place == place }
        case .replace, .allow: return false
        case .ignore:
            guard let first = same.first else { return false }
            if first.place != place, state.withLock({ $0.reported.insert("\(first.place) \(place)").inserted }) {
                KeyValueDiagnostics.note(
                    """
                    the observation of \(first.keyPathText) of \(first.objectType) at \(place) was ignored: this \
                    controller ignores duplicates, and has a registration from \(first.place). Create the controller \
                    with duplicates: .allow or .ignoreRepeated to keep both.
                    """)
            }
            return true
        }
    }

    /// Removes the registrations on an object that `matches`.
    ///
    /// They end before they are taken out. So another thread that removes them too ends them itself, or finds them
    /// ended.
    func remove(from object: AnyObject, where matches: (Entry) -> Bool) {
        let id = ObjectIdentifier(object)
        let current = state.withLock { $0.objects[id]?.entries } ?? []
        let removed = Set(current.filter(matches).map(\.observation))
        guard !removed.isEmpty else { return }
        for observation in removed { observation.invalidate() }
        take(removed, from: id)
    }

    func removeAll() {
        for (id, object) in state.withLock({ $0.objects }) {
            for entry in object.entries { entry.observation.invalidate() }
            take(Set(object.entries.map(\.observation)), from: id)
        }
    }

    /// Takes out registrations that have ended.
    private func take(_ removed: Set<KeyValueObservation>, from id: ObjectIdentifier) {
        // What was retained is released without the lock.
        let (before, retained) = state.withLock { state -> ([Entry], AnyObject?) in
            guard var object = state.objects[id] else { return ([], nil) }
            let before = object.entries
            object.entries.removeAll { removed.contains($0.observation) }
            state.lastVersion += 1
            object.version = state.lastVersion
            state.objects[id] = object.entries.isEmpty ? nil : object
            return (before, object.retained)
        }
        withExtendedLifetime((before, retained)) {}
    }

    /// The live registrations of an object at a key path, and the version they belong to.
    private func entries(
        of id: ObjectIdentifier, at target: ObjectIdentifier?, text: String?
    ) -> (same: [Entry], version: Int) {
        let object = state.withLock { $0.objects[id] } ?? ObservedObject()
        let same = object.entries.filter {
            // Those of an object that died, whose address this one has, do not count.
            !$0.observation.isInvalidated && $0.isAt(target, text: text)
        }
        return (same, object.version)
    }

    /// Forgets objects that died, each time there are twice as many as were left the last time.
    private func sweep() {
        let dead: [ObservedObject] = state.withLock { state in
            guard state.objects.count > state.sweepThreshold else { return [] }
            let dead = state.objects.filter { $0.value.entries.allSatisfy(\.observation.isInvalidated) }
            for id in dead.keys { state.objects[id] = nil }
            state.sweepThreshold = max(16, state.objects.count * 2)
            return Array(dead.values)
        }
        withExtendedLifetime(dead) {}
    }
}
