// Everything that is registered on one object.
public import Synchronization

/// What others keep for an object until that is gone.
package protocol TableAttachment: AnyObject, Sendable {
    /// Ends it: the object is gone.
    func endWithObject()
}

/// A registration that stands for one at each property of an object.
protocol PropertyWatcher: TableAttachment {
    /// What is listed for it.
    var registration: Registration { get }
    /// Gives it its place in the order of registrations; to be called under the lock.
    func recordLocked(at keyPath: AnyKeyPath)
    /// Registers at a property, unless that has been done.
    func watch(_ record: PropertyRecord, at keyPath: AnyKeyPath)
}

/// The registrations of one object, and the paths of other objects that lead through it.
///
/// It is made when the object is first observed, read by a path, or announces a change, and belongs to the object. Its
/// lock guards the records of the object's properties and the lists here.
@usableFromInline
package final class ObservationTable: @unchecked Sendable {
    /// The bits of the properties that somebody observes: the first thing a change looks at.
    @usableFromInline let observedProperties = Atomic<UInt64>(0)
    let lock = Lock()
    // After the lock, which is half a word.
    private let ended = Atomic(false)
    /// The address of the newest record of a stored property, retained, or 0.
    ///
    /// Records are complete before they are put here with releasing order, and stay until the object dies; so whoever
    /// holds the object walks along them without the lock.
    private let newestRecord = Atomic<UInt>(0)
    // The lock makes accesses exclusive.
    /// The object, once something is registered on it.
    @safe @exclusivity(unchecked) private var owner: RootReference<AnyObject>?
    @safe @exclusivity(unchecked) private var contents: Contents?

    /// What few objects have.
    private final class Contents {
        // The lock makes accesses exclusive.
        @safe @exclusivity(unchecked) var manual = KeyPathTable<PropertyRecord>()
        @safe @exclusivity(unchecked) var paths = KeyPathTable<ObservedPath>()
        /// The changes that were announced when nothing else was known of the object: one of each thread at most.
        @safe @exclusivity(unchecked) var announcements: ContiguousArray<Announcement> = []
        @safe @exclusivity(unchecked) var attachments: [ObjectIdentifier: any TableAttachment] = [:]
        /// Who watches all properties, in the order of registration.
        @safe @exclusivity(unchecked) var watchers: ContiguousArray<any PropertyWatcher> = []
    }

    /// Whether the object is gone.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    // MARK: Records of stored properties

    /// Whether somebody may observe `property`: false is certain, true is to be looked up.
    @inlinable
    func mayObserve(_ property: PropertyIdentity) -> Bool {
        observedProperties.load(ordering: .relaxed) & property.bit != 0
    }

    /// The record of a stored property, if there is one, for as long as the object is held.
    @inline(__always)
    func unretainedRecord(of property: PropertyIdentity) -> Unretained<PropertyRecord>? {
        first { $0.property == property }
    }

    /// The newest record of a stored property for which `isWanted` holds.
    @inline(__always)
    private func first(where isWanted: (PropertyRecord) -> Bool) -> Unretained<PropertyRecord>? {
        var record = newest
        while let found = record, !found.with(isWanted) { record = found.with { $0.next } }
        return record
    }

    private var newest: Unretained<PropertyRecord>? { Unretained(at: newestRecord.load(ordering: .acquiring)) }

    /// The record of a stored property, made now if there is none.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - description: Describes it.
    /// - Returns: The record.
    func record(of property: PropertyIdentity, _ description: () -> PropertyDescription) -> PropertyRecord {
        if let record = unretainedRecord(of: property)?.object {
            if record.description?.keyPath == nil { describe(record, description()) }
            return record
        }
        let description = description()
        let record = record(of: property)
        describe(record, description)
        return record
    }

    private func describe(_ record: PropertyRecord, _ description: PropertyDescription) {
        record.describe(description)
        adoptChanges(record, description)
    }

    /// The record of a stored property, made now if there is none; what the property is called need not be known.
    func record(of property: PropertyIdentity) -> PropertyRecord {
        while true {
            if let record = recordIfSettled(of: property) { return record }
            settleAnnouncements()
        }
    }

    private func recordIfSettled(of property: PropertyIdentity) -> PropertyRecord? {
        lock.withLock {
            if let record = unretainedRecord(of: property)?.object { return record }
            // Nothing is kept for an object that is gone, whose registrar may be another one each time.
            if hasEnded { return PropertyRecord(of: property, in: self, next: nil) }
            guard contents?.announcements.isEmpty ?? true else { return nil }
            let record = PropertyRecord(of: property, in: self, next: newest)
            newestRecord.store(
                unsafe UInt(bitPattern: Unmanaged.passRetained(record).toOpaque()), ordering: .releasing)
            return record
        }
    }

    /// Hands to the record of a property what belonged to one that was found by the key path before this was made: the
    /// changes that are pending, and the paths that depend on the property.
    private func adoptChanges(_ record: PropertyRecord, _ description: PropertyDescription) {
        guard let keyPath = description.keyPath, hasManualRecords,
            let manual = manualRecord(at: KeyPathName(keyPath))
        else { return }
        Tracking.suspended {
            record.adoptChanges(of: manual, in: object)
            for path in manual.dependents { path.evaluateAgain() }
            // Changes that have begun since.
            if manual.giveWay() { record.adoptChanges(of: manual, in: object) }
        }
    }

    /// The records of stored properties that were ever needed.
    private var records: ContiguousArray<PropertyRecord> {
        var records: ContiguousArray<PropertyRecord> = []
        _ = first { record in
            records.append(record)
            return false
        }
        return records
    }

    /// Whether a property is being accessed in place.
    var isAccessed: Bool { allRecords.contains { $0.isAccessed } }

    /// The record of the stored property that a key path names, as far as its own key path is known.
    func storedRecord(at keyPath: AnyKeyPath) -> PropertyRecord? {
        first { record in record.keyPath.map { KeyPathComponents.areSame($0, keyPath) } ?? false }?.object
    }

    /// The record that a key path is known to name, by the very object that was given before.
    func add(
        _ registration: Registration, _ request: borrowing RegistrationRequest, ifKnownAt keyPath: AnyKeyPath,
        of object: AnyObject
    ) -> PropertyRecord? {
        first { $0.add(registration, request, ifKnownAt: keyPath, of: object) }?.object
    }

    /// Notes whether somebody observes a property; to be called under the lock.
    func setObservedLocked(_ isObserved: Bool, _ record: PropertyRecord) {
        if let contents, !contents.watchers.isEmpty { return }
        let bits = observedProperties.load(ordering: .relaxed)
        let bit = record.property.bit
        guard isObserved != (bits & bit != 0) else { return }
        if isObserved {
            observedProperties.store(bits | bit, ordering: .releasing)
        } else {
            // Another property may have the same bit.
            let other = first { $0 !== record && $0.property.bit == bit && $0.isObservedLocked }
            if other == nil { observedProperties.store(bits & ~bit, ordering: .releasing) }
        }
    }

    // MARK: Who watches all properties

    /// Whether somebody may watch all properties of the object: false is certain.
    ///
    /// All bits are set then. They may be set as well where 64 properties are observed.
    @inlinable var mayBeWatched: Bool { observedProperties.load(ordering: .relaxed) == .max }

    /// Who watches all properties of the object.
    var watchers: ContiguousArray<any PropertyWatcher> { lock.withLock { contents?.watchers ?? [] } }

    /// Adds a watcher, from which on all properties count as observed.
    func add(_ watcher: any PropertyWatcher, at keyPath: AnyKeyPath) {
        let isAdded = insert { contents in
            watcher.recordLocked(at: keyPath)
            guard !hasEnded else { return true }
            contents.watchers.append(watcher)
            observedProperties.store(.max, ordering: .releasing)
            return true
        }
        if !isAdded { add(watcher, at: keyPath) }
    }

    /// Takes a watcher off.
    func remove(_ watcher: any PropertyWatcher) {
        lock.withLock {
            guard let contents, let index = contents.watchers.firstIndex(where: { $0 === watcher }) else { return }
            contents.watchers.remove(at: index)
            guard contents.watchers.isEmpty else { return }
            var bits: UInt64 = 0
            _ = first { record in
                if record.isObservedLocked { bits |= record.property.bit }
                return false
            }
            observedProperties.store(bits, ordering: .releasing)
        }
    }

    // MARK: What is found by key paths

    /// The record of a property that notifies manually, if it is used.
    func manualRecord(at name: KeyPathName) -> PropertyRecord? {
        candidates(for: name) { $0.manual }.first { $0.isNamed(name) }
    }

    /// The record of a property that notifies manually, made now if it is not used yet.
    func manualRecord(at name: KeyPathName, _ description: () -> PropertyDescription) -> PropertyRecord {
        var made: PropertyRecord?
        while true {
            let candidates = candidates(for: name) { $0.manual }
            if let known = candidates.first(where: { $0.isNamed(name) }) { return known }
            let record = made ?? PropertyRecord(at: name, in: self, description())
            made = record
            if insert({ $0.manual.insert(record, ifCandidatesAre: candidates) }) { return record }
        }
    }

    /// Inserts something that becomes known of the object; false if that is to be tried again.
    private func insert(_ body: (Contents) -> Bool) -> Bool {
        settleAnnouncements()
        return withContents { $0.announcements.isEmpty && body($0) }
    }

    // MARK: Changes of an object that nobody observes

    /// Notes that a change is announced on this thread, if nothing else is known of the object.
    ///
    /// - Parameter announcement: The change.
    /// - Returns: Whether it was noted; otherwise a record has to know it.
    func begin(_ announcement: @autoclosure () -> Announcement) -> Bool {
        let thread = ThisThread.number
        // Nothing is kept for an object that is gone.
        if newest != nil || hasEnded { return false }
        let announcement = announcement()
        return withContents { contents in
            guard newest == nil, contents.manual.isEmpty, contents.paths.isEmpty, contents.watchers.isEmpty,
                !contents.announcements.contains(where: { $0.thread == thread })
            else { return false }
            contents.announcements.append(announcement)
            return true
        }
    }

    /// Ends the change that is noted for a thread, if it is one of a key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - thread: The thread on which it began.
    /// - Returns: False if there is none, or if a record knows it by now.
    func endAnnouncement(of keyPath: AnyKeyPath, on thread: UInt64) -> Bool {
        let (noted, ended) = lock.withLock { () -> (AnyKeyPath?, Announcement?) in
            guard let contents, let index = contents.announcements.firstIndex(where: { $0.thread == thread }) else {
                return (nil, nil)
            }
            let noted = contents.announcements[index].keyPath
            // As a rule it is the very object.
            return noted === keyPath ? (nil, contents.announcements.remove(at: index)) : (noted, nil)
        }
        // They are compared, and released, without the lock.
        guard let noted, KeyPathName(noted).isSame(as: KeyPathName(keyPath)) else { return ended != nil }
        return endAnnouncement(of: noted, on: thread)
    }

    /// Has records know the changes that were noted: something else is about to become known of the object.
    private func settleAnnouncements() {
        while let announcement = lock.withLock({ contents?.announcements.first }) {
            let name = KeyPathName(announcement.keyPath)
            let candidates = candidates(for: name) { $0.manual }
            let known = candidates.first { $0.isNamed(name) }
            let record = known ?? PropertyRecord(at: name, in: self, announcement.description)
            let change = announcement.change(record, announcement.thread)
            let taken = lock.withLock { () -> Announcement? in
                guard let contents,
                    known.map({ !$0.isDroppedLocked }) ?? contents.manual.insert(record, ifCandidatesAre: candidates)
                else { return nil }
                // Its thread may have ended it, and announced another one.
                let taken = contents.announcements.firstIndex { $0.isSame(as: announcement) }.map {
                    contents.announcements.remove(at: $0)
                }
                record.settleLocked(taken == nil ? nil : change)
                return taken
            }
            // It is released without the lock.
            withExtendedLifetime(taken) {}
        }
    }

    /// The records of stored properties and of those that notify manually.
    private var allRecords: ContiguousArray<PropertyRecord> {
        let manual = lock.withLock { contents?.manual.all ?? [] }
        return newest == nil ? manual : records + manual
    }

    /// Whether some property was observed or announced.
    var hasRecords: Bool { newest != nil || hasManualRecords }

    private var hasManualRecords: Bool { lock.withLock { contents.map { !$0.manual.isEmpty } ?? false } }

    /// The record of a property with a key path.
    ///
    /// Stored properties are few. Of manual ones there may be any number, one for each argument.
    func record(at name: KeyPathName) -> PropertyRecord? {
        first { $0.isNamed(exactly: name.keyPath) }?.object ?? manualRecord(at: name)
    }

    /// The records of properties of a type whose key paths are known and have no arguments.
    func namedRecords(ofType type: Any.Type) -> ContiguousArray<PropertyRecord> {
        allRecords.filter { record in
            record.description.map { $0.keyPath != nil && !$0.hasArguments && $0.hasType(type) } ?? false
        }
    }

    /// Takes a record off that is not used any more; to be called under the lock.
    func dropLocked(_ record: PropertyRecord) { contents?.manual.remove(record) }

    /// The path at a key path, if somebody observes it.
    func path(at name: KeyPathName) -> ObservedPath? {
        candidates(for: name) { $0.paths }.first { $0.isNamed(name) }
    }

    /// The path at a key path; the new one if there is none yet.
    func path(at name: KeyPathName, orElse new: ObservedPath) -> ObservedPath {
        while true {
            let candidates = candidates(for: name) { $0.paths }
            if let known = candidates.first(where: { $0.isNamed(name) }) { return known }
            if insert({ $0.paths.insert(new, ifCandidatesAre: candidates) }) { return new }
        }
    }

    /// Adds a path that no key path finds.
    func add(_ path: ObservedPath) {
        while !insert({ $0.paths.insert(path, ifCandidatesAre: $0.paths.candidates(for: path.nameHash)) }) {}
    }

    /// Takes a path off that has ended.
    func remove(_ path: ObservedPath) {
        lock.withLock { contents?.paths.remove(path) }
    }

    /// The paths that start at the object.
    var paths: ContiguousArray<ObservedPath> { lock.withLock { contents?.paths.all ?? [] } }

    private func candidates<Entry: KeyPathNamed>(
        for name: KeyPathName, in table: (Contents) -> KeyPathTable<Entry>
    ) -> ContiguousArray<Entry> {
        lock.withLock { contents.map { table($0).candidates(for: name.hash) } ?? [] }
    }

    private func withContents<Result>(_ body: (Contents) -> Result) -> Result {
        lock.withLock {
            let known = contents ?? Contents()
            // Nothing is kept for an object that is gone.
            if !hasEnded { contents = known }
            return body(known)
        }
    }

    // MARK: The object

    /// What others keep for the object until that is gone, made on first use: one for each type.
    package func attachment<Attachment: TableAttachment>(orElse make: () -> Attachment) -> Attachment {
        if let known = existingAttachment(Attachment.self) { return known }
        let new = make()
        return withContents { contents in
            let known = contents.attachments[ObjectIdentifier(Attachment.self)] as? Attachment
            contents.attachments[ObjectIdentifier(Attachment.self)] = known ?? new
            return known ?? new
        }
    }

    /// The same, if it was ever made.
    package func existingAttachment<Attachment: TableAttachment>(_ type: Attachment.Type) -> Attachment? {
        lock.withLock { contents?.attachments[ObjectIdentifier(type)] as? Attachment }
    }

    /// Notes whose table it is.
    ///
    /// - Parameter object: The object; the program ends if it is not the one that was noted before.
    func noteOwner(_ object: AnyObject) {
        let isOwner = lock.withLock {
            if owner == nil { owner = RootReference(object) }
            return owner?.refers(to: object) ?? false
        }
        if !isOwner { Self.trapShared(object) }
    }

    /// Whether it is known to be the table of an object; to be called under the lock.
    func isOwnedLocked(by object: AnyObject) -> Bool { owner?.refers(to: object) ?? false }

    /// The object, once something is registered on it; nil if it is gone.
    var object: AnyObject? { lock.withLock { owner?.object } }

    /// All registrations on the object, in the order in which they were recorded.
    var registrations: [Registration] {
        let lists = allRecords.map(\.direct) + paths.map(\.registrations)
        return (lists.flatMap(\.all).filter(\.isOfKeyPath) + watchers.map(\.registration)).sorted {
            $0.number < $1.number
        }
    }

    /// Ends everything that is registered on the object: it is gone.
    ///
    /// The program ends if the object lives, whose registrar then was replaced by another one.
    func endWithOwner() {
        if let object = lock.withLock({ owner?.object }) { Self.trapReplaced(object) }
        ended.store(true, ordering: .releasing)
        let known = records
        // Paths of other objects may leave records until these have ended, and would walk along the list.
        let (contents, newest) = lock.withLock { () -> (Contents?, UInt) in
            defer {
                self.contents = nil
                owner = nil
            }
            observedProperties.store(0, ordering: .relaxed)
            return (self.contents, newestRecord.exchange(0, ordering: .acquiringAndReleasing))
        }
        let leftovers = (known + (contents?.manual.all ?? [])).map { $0.endWithOwner() }
        for path in contents?.paths.all ?? [] { path.end() }
        for announcement in contents?.announcements ?? [] { Announcement.noteDeath(beforeEndAt: announcement.keyPath) }
        for watcher in contents?.watchers ?? [] { watcher.endWithObject() }
        for attachment in contents?.attachments.values.map({ $0 }) ?? [] { attachment.endWithObject() }
        withExtendedLifetime((leftovers, contents)) {}
        // Each retains the one before it.
        unsafe Unretained<PropertyRecord>(at: newest)?.unmanaged.release()
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
