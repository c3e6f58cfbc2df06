// What a controller has registered, by object and key path.

/// The registrations of a controller, and the objects it retains for them.
///
/// Safe from any thread. Registrations, objects and handlers are released without the lock.
@usableFromInline
final class ControllerRegistrations: Sendable {
    enum DuplicatePolicy {
        case ignore, replace, allow
    }

    struct Entry {
        let objectType: any KeyValueObservable.Type
        let keyPath: AnyKeyPath
        /// The key path as it was given, if that was a string.
        let text: String?
        let observation: KeyValueObservation

        /// Whether it is a registration at a key path, however that was given.
        func isAt(_ keyPath: AnyKeyPath, text: String?) -> Bool {
            // What evaluates a string has a key path of its own for each class it may be registered as.
            if let text, self.text == text { return true }
            return KeyPathComponents.areSame(self.keyPath, keyPath)
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
    ///   - keyPath: Where it is observed.
    ///   - text: The key path as it was given, if that was a string.
    ///   - retained: What to retain while the registration lasts.
    ///   - record: Makes the registration.
    /// - Returns: Whether it was made.
    @usableFromInline
    func add(
        _ object: some KeyValueObservable, _ keyPath: AnyKeyPath, text: String?, retaining retained: AnyObject?,
        record: () -> KeyValueObservation
    ) -> Bool {
        sweep()
        let id = ObjectIdentifier(object)
        if duplicates == .ignore, !entries(of: id, at: keyPath, text: text).same.isEmpty { return false }

        let entry = Entry(
            objectType: type(of: object), keyPath: keyPath, text: text, observation: record())
        while true {
            // Key paths are compared without the lock: that may call a user's `==`.
            let (same, version) = entries(of: id, at: keyPath, text: text)
            if duplicates == .ignore, !same.isEmpty {
                // Another thread was first.
                entry.observation.invalidate()
                return false
            }
            let outdated = duplicates == .replace ? Set(same.map(\.observation)) : []
            let isAdded = state.withLock { state in
                var object = state.objects[id] ?? ObservedObject()
                guard object.version == version else { return false }
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
            return true
        }
    }

    /// Removes the registrations on an object that `matches`.
    func remove(from object: AnyObject, where matches: (Entry) -> Bool) {
        let id = ObjectIdentifier(object)
        let current = state.withLock { $0.objects[id]?.entries } ?? []
        let removed = Set(current.filter(matches).map(\.observation))
        guard !removed.isEmpty else { return }
        // Holds what was retained until the lock is left.
        let retained: AnyObject? = state.withLock { state in
            guard var object = state.objects[id] else { return nil }
            object.entries.removeAll { removed.contains($0.observation) }
            state.lastVersion += 1
            object.version = state.lastVersion
            state.objects[id] = object.entries.isEmpty ? nil : object
            return object.retained
        }
        for observation in removed { observation.invalidate() }
        withExtendedLifetime(retained) {}
    }

    func removeAll() {
        let objects = state.withLock { state in
            defer { state.objects = [:] }
            return state.objects
        }
        for object in objects.values {
            for entry in object.entries { entry.observation.invalidate() }
        }
    }

    /// The live registrations of an object at a key path, and the version they belong to.
    private func entries(
        of id: ObjectIdentifier, at keyPath: AnyKeyPath, text: String?
    ) -> (same: [Entry], version: Int) {
        let object = state.withLock { $0.objects[id] } ?? ObservedObject()
        let same = object.entries.filter {
            // Those of an object that died, whose address this one has, do not count.
            !$0.observation.isInvalidated && $0.isAt(keyPath, text: text)
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
