// The registrations of one object.
public import Synchronization

/// Data that other modules keep for an object until it dies.
package protocol TableAttachment: AnyObject, Sendable {
    /// Ends the attachment, because the object is dying.
    func endWithObject()
}

/// The registrations of one object, and the watches of other objects that lead through it.
///
/// It is created when the object is first observed or a watch first reads it, and belongs to the object. Its lock
/// guards the sources of the object's properties and its own lists.
@usableFromInline
package final class ObservationTable: @unchecked Sendable {
    /// The bits of the observed properties, which a change checks first.
    @usableFromInline let observedProperties = Atomic<UInt64>(0)
    let lock = Lock()
    // Declared at this place to fill the padding after the lock.
    private let ended = Atomic(false)
    /// The address of the newest source of a stored property, retained, or 0.
    ///
    /// Sources are complete before they are stored with releasing order, and stay until the object dies. A caller that
    /// holds the object can therefore walk along them without the lock.
    private let newestSource = Atomic<UInt>(0)
    // The lock makes accesses exclusive.
    /// The object, once it has a registration.
    @safe @exclusivity(unchecked) private var owner: RootReference<AnyObject>?
    @safe @exclusivity(unchecked) private var contents: Contents?

    /// Data that few objects have.
    private final class Contents {
        // The lock makes accesses exclusive.
        @safe @exclusivity(unchecked) var manual = KeyPathTable<Source>()
        @safe @exclusivity(unchecked) var watches = KeyPathTable<Watch>()
        @safe @exclusivity(unchecked) var attachments: [ObjectIdentifier: any TableAttachment] = [:]
    }

    /// Whether the object has died.
    package var hasEnded: Bool { ended.load(ordering: .acquiring) }

    // MARK: Stored properties

    /// Whether `property` may be observed; false is certain, true needs a lookup.
    @inlinable
    func mayObserve(_ property: PropertyIdentity) -> Bool {
        observedProperties.load(ordering: .relaxed) & property.bit != 0
    }

    /// The source of a stored property, if there is one, valid as long as the object is held.
    @inline(__always)
    func unretainedSource(of property: PropertyIdentity) -> Unretained<Source>? {
        var source = Unretained<Source>(at: newestSource.load(ordering: .acquiring))
        while let found = source, !found.with({ $0.property.rawValue == property.rawValue }) {
            source = found.with { $0.next }
        }
        return source
    }

    /// The newest source of a stored property for which `isWanted` holds.
    @inline(__always)
    private func first(where isWanted: (Source) -> Bool) -> Unretained<Source>? {
        var source = Unretained<Source>(at: newestSource.load(ordering: .acquiring))
        while let found = source, !found.with(isWanted) { source = found.with { $0.next } }
        return source
    }

    /// The source of a stored property, created if there is none.
    func source(of property: PropertyIdentity, _ description: () -> PropertyDescription) -> Source {
        if let source = unretainedSource(of: property)?.object { return source }
        let description = description()
        let source = lock.withLock {
            if let source = unretainedSource(of: property)?.object { return source }
            // Nothing is kept for a dead object, whose registrar may be another one each time.
            if hasEnded { return Source(of: property, in: self, description, next: nil) }
            let source = Source(
                of: property, in: self, description, next: Unretained(at: newestSource.load(ordering: .acquiring)))
            newestSource.store(Unretained.retain(source), ordering: .releasing)
            return source
        }
        // So far, its key path named only a property that notifies manually.
        manualSource(at: description.name)?.relinkWatches()
        return source
    }

    private var storedSources: ContiguousArray<Source> {
        var sources: ContiguousArray<Source> = []
        _ = first { source in
            sources.append(source)
            return false
        }
        return sources
    }

    /// The source of the stored property that a key path names.
    func storedSource(at name: KeyPathName) -> Source? { first { $0.isNamed(name) }?.object }

    /// Adds a registration to the source that an identical key path object named last.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, ifKnownAt keyPath: AnyKeyPath,
        of object: AnyObject
    ) -> Source? {
        first { $0.add(registration, request, ifKnownAt: keyPath, of: object) }?.object
    }

    /// Records whether a property is observed; call it under the lock.
    func setObservedLocked(_ isObserved: Bool, _ source: Source) {
        let bits = observedProperties.load(ordering: .relaxed)
        let bit = source.property.bit
        guard isObserved != (bits & bit != 0) else { return }
        if isObserved {
            observedProperties.store(bits | bit, ordering: .releasing)
        } else {
            // Another property may have the same bit.
            let other = first { $0 !== source && $0.property.bit == bit && $0.isObservedLocked }
            if other == nil { observedProperties.store(bits & ~bit, ordering: .releasing) }
        }
    }

    // MARK: Entries found by key paths

    /// The source of a property that notifies manually, if there is one.
    func manualSource(at name: KeyPathName) -> Source? { find(name) { $0.manual }.found }

    /// The source and the watch at the key path, in one lookup.
    func manualSourceAndWatch(at name: KeyPathName) -> (Source?, Watch?) {
        let (sources, watches) = lock.withLock {
            contents.map { ($0.manual.candidates(for: name.hash), $0.watches.candidates(for: name.hash)) } ?? ([], [])
        }
        return (sources.first { $0.isNamed(name) }, watches.first { $0.isNamed(name) })
    }

    /// The source of a property that notifies manually, created if there is none.
    func manualSource(at name: KeyPathName, _ description: () -> PropertyDescription) -> Source {
        var made: Source?
        while true {
            let (found, candidates) = find(name) { $0.manual }
            if let found { return found }
            let source = made ?? Source(at: name, in: self, description())
            made = source
            if withContents({ $0.manual.insert(source, ifCandidatesAre: candidates) }) { return source }
        }
    }

    /// The source of the property that a key path names.
    func source(at name: KeyPathName) -> Source? { storedSource(at: name) ?? manualSource(at: name) }

    /// The sources of stored properties and of those that notify manually.
    var allSources: ContiguousArray<Source> { storedSources + lock.withLock { contents?.manual.all ?? [] } }

    /// Removes an unused source; call it under the lock.
    func dropLocked(_ source: Source) { contents?.manual.remove(source) }

    /// The watch at a key path, if it has observers.
    func watch(at name: KeyPathName) -> Watch? { find(name) { $0.watches }.found }

    /// The watch at a key path; `new` if there is none yet.
    func watch(at name: KeyPathName, orElse new: Watch) -> Watch {
        while true {
            let (found, candidates) = find(name) { $0.watches }
            if let found { return found }
            if withContents({ $0.watches.insert(new, ifCandidatesAre: candidates) }) { return new }
        }
    }

    /// Adds a watch that no key path finds.
    func add(_ watch: Watch) { withContents { $0.watches.insert(watch) } }

    /// Removes a watch that has ended.
    func remove(_ watch: Watch) { lock.withLock { contents?.watches.remove(watch) } }

    /// The watches that start at the object.
    var watches: ContiguousArray<Watch> { lock.withLock { contents?.watches.all ?? [] } }

    /// Looks up an entry; names are compared without the lock, because that may run code of users.
    private func find<Entry: KeyPathNamed>(
        _ name: KeyPathName, in table: (Contents) -> KeyPathTable<Entry>
    ) -> (found: Entry?, candidates: ContiguousArray<Entry>) {
        let candidates = lock.withLock { contents.map { table($0).candidates(for: name.hash) } ?? [] }
        return (candidates.first { $0.isNamed(name) }, candidates)
    }

    private func withContents<Result>(_ body: (Contents) -> Result) -> Result {
        lock.withLock {
            let known = contents ?? Contents()
            // Nothing is kept for a dead object.
            if !hasEnded { contents = known }
            return body(known)
        }
    }

    // MARK: The object

    /// The attachment of a type, created at the first use; one for each type.
    package func attachment<Attachment: TableAttachment>(orElse make: () -> Attachment) -> Attachment {
        if let known = existingAttachment(Attachment.self) { return known }
        let new = make()
        return withContents { contents in
            let known = contents.attachments[ObjectIdentifier(Attachment.self)] as? Attachment
            contents.attachments[ObjectIdentifier(Attachment.self)] = known ?? new
            return known ?? new
        }
    }

    /// The attachment of a type, if there is one.
    package func existingAttachment<Attachment: TableAttachment>(_ type: Attachment.Type) -> Attachment? {
        lock.withLock { contents?.attachments[ObjectIdentifier(type)] as? Attachment }
    }

    /// Records the object that the table belongs to; traps if it belongs to another one.
    func noteOwner(_ object: AnyObject) {
        let isOwner = lock.withLock {
            if owner == nil { owner = RootReference(object) }
            return owner?.refers(to: object) ?? false
        }
        if !isOwner { Self.trapShared(object) }
    }

    /// Whether the table is known to belong to an object; call it under the lock.
    func isOwnedLocked(by object: AnyObject) -> Bool { owner?.refers(to: object) ?? false }

    /// The object, once it has a registration; nil if it has died.
    var object: AnyObject? { lock.withLock { owner?.object } }

    /// All registrations on the object, in the order in which they were recorded.
    var registrations: [Registration] {
        let lists = allSources.map(\.direct) + watches.map(\.registrations)
        return lists.flatMap(\.all).sorted { $0.number < $1.number }
    }

    /// Ends all registrations on the object, which is dying.
    ///
    /// Traps if the object lives, because its registrar was then replaced by another one.
    func endWithOwner() {
        if let object = lock.withLock({ owner?.object }) { Self.trapReplaced(object) }
        ended.store(true, ordering: .releasing)
        let known = storedSources
        // Watches of other objects may detach from sources until these have ended, and would walk along the list.
        let (contents, newest) = lock.withLock { () -> (Contents?, UInt) in
            defer {
                self.contents = nil
                owner = nil
            }
            observedProperties.store(0, ordering: .relaxed)
            return (self.contents, newestSource.exchange(0, ordering: .acquiringAndReleasing))
        }
        let leftovers = (known + (contents?.manual.all ?? [])).map { $0.endWithOwner() }
        for watch in contents?.watches.all ?? [] { watch.end() }
        for attachment in contents?.attachments.values.map({ $0 }) ?? [] { attachment.endWithObject() }
        withExtendedLifetime((leftovers, contents)) {}
        // Each retains the one before it.
        Unretained<Source>.release(at: newest)
    }

    private static func trapReplaced(_ object: AnyObject) -> Never {
        fatalError(
            """
            The keyValueRegistrar of a living \(TypeName.of(object)) was replaced, and all that is registered on the \
            object would be lost. Declare it as a constant: let keyValueRegistrar = KeyValueRegistrar().
            """)
    }

    private static func trapShared(_ object: AnyObject) -> Never {
        fatalError(
            """
            \(TypeName.of(object)) cannot be observed: its keyValueRegistrar is that of another object, whose observers \
            would be called instead. Declare one of its own: let keyValueRegistrar = KeyValueRegistrar().
            """)
    }
}
