// Who observes an object's properties, as a value with transitions.

/// The state of a table.
///
/// Its owner takes the lock; what a transition returns is done after the lock is
/// left.
struct ObservationTableState {
    /// The properties that were ever observed; few, so they are searched from the start.
    private var records: [PropertyRecord] = []
    /// The object's own paths, and a number that changes with them.
    private var paths: [ObservedPath] = []
    private var pathsVersion = 0
    private var controllers: ObjectControllers?
    /// The bits of the properties that somebody observes.
    private(set) var observedProperties: UInt64 = 0

    /// One observed property.
    private struct PropertyRecord {
        let property: PropertyIdentity
        var facts: PropertyFacts
        /// Names the property, rooted at the class that declares it; nil as long as it was only read through views.
        var keyPath: AnyKeyPath?
        /// Whether the key path alone is known to say what the property's value depends on: it has no declared
        /// dependencies, and no override that reads more.
        var isPlain = false
        /// In the order in which they were made.
        var direct: ContiguousArray<Registration> = []
        /// How many of them need the new value, the old one, a prior call.
        var needs = NeedCounts()
        /// Where paths lead through the property.
        var hooks: [PathHook] = []
        /// Everybody, once a change has asked, until somebody comes or goes.
        var audience: Audience?
        var version = 0

        var isObserved: Bool { !direct.isEmpty || !hooks.isEmpty }

        func isNamed(by keyPath: AnyKeyPath) -> Bool {
            self.keyPath.map { KeyPathComponents.areSame($0, keyPath) } ?? false
        }

        mutating func forgetAudience() {
            audience = nil
            version += 1
        }
    }

    // MARK: Changes

    /// Who is to be told of a change of a property, if that was gathered since somebody came or went.
    func knownAudience(of property: PropertyIdentity) -> Audience? {
        index(of: property).flatMap { records[$0].audience }
    }

    /// What the audience of a property is gathered from; nil if nobody is told of its changes.
    ///
    /// The observers of a property that does not notify automatically are told of changes by hand.
    func audienceToGather(
        of property: PropertyIdentity, byHand: Bool
    ) -> (
        direct: ContiguousArray<Registration>, needs: KeyValueObservingOptions, paths: [ObservedPath], version: Int
    )? {
        guard let index = index(of: property), records[index].isObserved,
            byHand || records[index].facts.isAutomatic
        else { return nil }
        let record = records[index]
        return (record.direct, record.needs.options, record.hooks.uniquePaths, record.version)
    }

    mutating func remember(_ audience: Audience, of property: PropertyIdentity, version: Int) {
        guard let index = index(of: property), records[index].version == version else { return }
        records[index].audience = audience
    }

    mutating func forgetAudience(of property: PropertyIdentity) {
        guard let index = index(of: property) else { return }
        records[index].forgetAudience()
    }

    // MARK: Registrations on properties

    /// The property that `keyPath` names, if it was ever observed and depends on nothing else.
    func plainProperty(at keyPath: AnyKeyPath) -> PropertyIdentity? {
        records.first { $0.isPlain && $0.isNamed(by: keyPath) }?.property
    }

    /// The property that `keyPath` names, if it was ever observed or led through.
    func recordedProperty(at keyPath: AnyKeyPath) -> PropertyIdentity? {
        records.first { $0.isNamed(by: keyPath) }?.property
    }

    func facts(of property: PropertyIdentity) -> PropertyFacts? {
        index(of: property).flatMap { records[$0].keyPath == nil ? nil : records[$0].facts }
    }

    func isObservedDirectly(_ property: PropertyIdentity) -> Bool {
        index(of: property).map { !records[$0].direct.isEmpty } ?? false
    }

    var directRegistrations: ContiguousArray<Registration> {
        ContiguousArray(records.map(\.direct).joined())
    }

    /// Notes that a property depends on nothing but itself.
    mutating func notePlain(_ property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath) {
        records[record(of: property, facts, keyPath: keyPath)].isPlain = true
    }

    /// Makes sure that there is a record of a property.
    private mutating func record(of property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath?) -> Int {
        if let index = index(of: property) {
            if records[index].keyPath == nil {
                records[index].keyPath = keyPath
                records[index].facts = facts
            }
            return index
        }
        records.append(PropertyRecord(property: property, facts: facts, keyPath: keyPath))
        return records.count - 1
    }

    /// Records a registration on a property that has a record.
    mutating func add(_ registration: Registration, to property: PropertyIdentity) {
        guard let index = index(of: property) else { return }
        // The audience goes first: it shares the array.
        records[index].forgetAudience()
        records[index].direct.insertInOrder(registration)
        records[index].needs.add(registration.needs)
        observedProperties |= property.bit
    }

    /// Ends a registration; the result is to be released without the lock.
    mutating func remove(_ id: RegistrationID, from property: PropertyIdentity) -> Registration? {
        guard let index = index(of: property), let position = records[index].direct.firstIndex(of: id) else {
            return nil
        }
        records[index].forgetAudience()
        let registration = records[index].direct.remove(at: position)
        registration.deactivate()
        records[index].needs.remove(registration.needs)
        updateObservedProperties(after: index)
        return registration
    }

    // MARK: Paths of the object

    var knownPaths: (paths: [ObservedPath], version: Int) { (paths, pathsVersion) }

    /// Adds a path; false if the paths are not those of `version` any more.
    mutating func add(_ path: ObservedPath, expecting version: Int) -> Bool {
        guard version == pathsVersion else { return false }
        paths.append(path)
        pathsVersion += 1
        return true
    }

    mutating func remove(_ path: ObservedPath?) {
        paths.removeAll { $0 === path }
        pathsVersion += 1
    }

    // MARK: Paths that lead through the object

    mutating func add(_ hook: PathHook, to property: PropertyIdentity, _ facts: PropertyFacts, keyPath: AnyKeyPath?) {
        let index = record(of: property, facts, keyPath: keyPath)
        records[index].hooks.append(hook)
        records[index].forgetAudience()
        observedProperties |= property.bit
    }

    mutating func remove(_ hook: PathHook, from property: PropertyIdentity) {
        guard let index = index(of: property) else { return }
        records[index].hooks.removeAll { $0 === hook }
        records[index].forgetAudience()
        updateObservedProperties(after: index)
    }

    // MARK: The object

    mutating func controllers(orElse new: ObjectControllers) -> ObjectControllers {
        if let controllers { return controllers }
        controllers = new
        return new
    }

    /// Empties the table.
    ///
    /// - Returns: What is to be ended and released without the lock.
    mutating func end() -> (
        registrations: ContiguousArray<Registration>, paths: [ObservedPath], hooks: [PathHook],
        controllers: ObjectControllers?
    ) {
        let result = (directRegistrations, paths, records.flatMap(\.hooks), controllers)
        self = ObservationTableState()
        return result
    }

    // MARK: Upkeep

    private func index(of property: PropertyIdentity) -> Int? {
        records.firstIndex { $0.property == property }
    }

    /// Clears the bit of a property that nobody observes any more, unless it stands for another one too.
    private mutating func updateObservedProperties(after index: Int) {
        guard !records[index].isObserved else { return }
        observedProperties = records.reduce(into: 0) { bits, record in
            if record.isObserved { bits |= record.property.bit }
        }
    }
}

/// How many registrations need what.
private struct NeedCounts {
    private var new = 0
    private var old = 0
    private var prior = 0

    mutating func add(_ needs: KeyValueObservingOptions) { count(needs, by: 1) }

    mutating func remove(_ needs: KeyValueObservingOptions) { count(needs, by: -1) }

    private mutating func count(_ needs: KeyValueObservingOptions, by step: Int) {
        if needs.contains(.new) { new += step }
        if needs.contains(.old) { old += step }
        if needs.contains(.prior) { prior += step }
    }

    /// What all of them need together.
    var options: KeyValueObservingOptions {
        var options: KeyValueObservingOptions = []
        if new > 0 { options.insert(.new) }
        if old > 0 { options.insert(.old) }
        if prior > 0 { options.insert(.prior) }
        return options
    }
}

extension [PathHook] {
    /// The hooks' paths, each once: two evaluations on two threads may both have hooked theirs.
    fileprivate var uniquePaths: [ObservedPath] {
        reduce(into: []) { paths, hook in
            if !paths.contains(where: { $0 === hook.path }) { paths.append(hook.path) }
        }
    }
}
