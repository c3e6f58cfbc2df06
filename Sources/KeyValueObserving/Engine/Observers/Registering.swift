// Recording a registration at a property of the object, or at a watch.

/// Records registrations at the property or watch that their key path names.
@usableFromInline
package enum Registering {
    /// The keeper of a recorded registration, and its first call.
    struct Recorded {
        let keeper: any RegistrationKeeper
        var first: FirstCall?
    }

    /// The value of a registration's first call, and the way to make the call.
    final class FirstCall {
        /// The value at the time of the registration; nil if it was not read.
        let value: BoxedValue?
        /// Makes the call as part of a line of changes; nil if the caller makes it.
        private let line: (() -> Void)?
        /// The watch that is claimed until the call is over, if it reads properties that several threads change.
        private let claimed: Watch?

        init(_ value: BoxedValue?, in line: (() -> Void)? = nil, claimed: Watch? = nil) {
            self.value = value
            self.line = line
            self.claimed = claimed
        }

        /// Whether all changes after the value follow, even if several threads make them.
        var isExact: Bool { line != nil || claimed != nil }

        /// Makes the call, with the current value if none was read; changes made meanwhile follow.
        func make(
            _ registration: Registration, _ options: KeyValueObservingOptions, on object: AnyObject,
            reading read: WatchReader
        ) {
            if let line { return line() }
            let value = options.contains(.new) ? value ?? read(object, nil) : nil
            Call.makeFirst(of: registration, on: object, value)
            end()
        }

        /// Delivers the changes made meanwhile, now or at the end of the open transaction.
        func end() {
            guard let claimed else { return }
            Transaction.afterDelivery {
                claimed.noteTime()
                claimed.leaveClaim()
            }
        }
    }

    /// Records a registration on an object.
    ///
    /// From then on, it takes part in changes.
    static func record<Object: KeyValueObservable, Value>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at keyPath: KeyPath<Object, Value>,
        of object: Object, parts: [AnyKeyPath]?, reading read: @escaping WatchReader
    ) -> Recorded {
        defer { if EngineTrace.isOn { registration.traceRegistration(on: object) } }
        let table = table(of: object, request.fileID, request.line)
        if !request.isDistinct, let source = table.add(registration, request, ifKnownAt: keyPath, of: object) {
            return Recorded(keeper: source)
        }
        table.noteOwner(object)
        let name = KeyPathName(keyPath)
        let equality = equality(request, name, of: object, Value.self)
        if let watch = table.watch(at: name),
            let recorded = record(registration, request, at: watch, keyPath, of: object, equality, nil)
        {
            return recorded
        }
        while true {
            let (source, policy) = find(keyPath, of: object, request.text, (request.fileID, request.line)) {
                _ = read(object, nil)
            }
            guard let source else {
                let subject = WatchSubject(
                    root: object, name, text: nil, (request.fileID, request.line), declared: policy.dependencies,
                    parts: parts, valueType: Value.self,
                    reading: read)
                return record(registration, request, subject, keyPath, of: object, equality)
            }
            checkPrior(request, at: source, of: object)
            source.becomeOneProperty(read)
            // It is released after leaving the lock of the line.
            var leftover: AnyObject?
            if let line = source.description.line?(object) {
                let callsFirst = request.options.contains(.initial) && !request.isOfInbox
                let value = line.register(
                    registration, request.keeping(Value.self), callingFirst: callsFirst
                ) {
                    _ = source.add(registration, request, at: keyPath, comparing: equality, leaving: &leftover)
                }
                let first = FirstCall(value) { line.deliver(on: object, in: table, source.property) }
                return Recorded(keeper: source, first: first)
            }
            if request.isDistinct, !source.isAccessed {
                registration.keep(
                    Tracking.suspended { read(object, nil) }, request.keeping(Value.self))
            }
            if source.add(registration, request, at: keyPath, comparing: equality, leaving: &leftover) {
                let hasArguments = source.isManual && KeyPathComponents(keyPath)?.hasArguments ?? true
                return Recorded(keeper: hasArguments ? WeakKeeper(source) : source)
            }
        }
    }

    /// Records a registration at a new watch, or at one that another thread has added meanwhile.
    private static func record<Object: KeyValueObservable>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, _ subject: WatchSubject,
        _ keyPath: AnyKeyPath, of object: Object, _ equality: AnyObject?
    ) -> Recorded {
        noteParts(of: keyPath)
        let table = table(of: object, request.fileID, request.line)
        // Changes that its getter makes now come before the registration. No other thread has the watch yet.
        let new = Watch(subject, in: table)
        _ = new.claim()
        defer { new.leaveClaim() }
        let value = new.evaluate(subject, from: object)
        noteUnobserved(in: keyPath, subject, new.sources.elements, request.fileID, request.line)
        while true {
            let watch = table.watch(at: subject.name, orElse: new)
            let recorded = record(
                registration, request, at: watch, keyPath, of: object, equality, watch === new ? value : nil)
            if let recorded {
                if watch !== new { new.end() }
                return recorded
            }
            if watch.subject == nil {
                // Another thread removed its last registration, and is about to remove the watch.
                table.remove(watch)
                // The new one has ended, too, and cannot be used again.
                if watch === new { return record(registration, request, subject, keyPath, of: object, equality) }
            } else {
                // Another thread has claimed it, so the registration gets a watch of its own.
                table.add(new)
                if let recorded = record(registration, request, at: new, keyPath, of: object, equality, value) {
                    return recorded
                }
            }
        }
    }

    /// Records a registration of an expression, at a watch that no key path finds.
    static func record<Object: KeyValueObservable, Value>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, ofExpressionIn object: Object,
        _ type: Value.Type, reading read: @escaping WatchReader
    ) -> Recorded {
        defer { if EngineTrace.isOn { registration.traceRegistration(on: object) } }
        let table = table(of: object, request.fileID, request.line)
        table.noteOwner(object)
        let keyPath = \Object.self
        let name = KeyPathName(keyPath)
        let subject = WatchSubject(
            root: object, name, text: request.text, (request.fileID, request.line), declared: [], parts: [],
            valueType: Value.self, reading: read)
        let watch = Watch(subject, in: table, isNamed: false)
        _ = watch.claim()
        defer { watch.leaveClaim() }
        let value = watch.evaluate(subject, from: object)
        if !watch.sources.elements.isEmpty {
            table.add(watch)
            let equality = equality(request, name, of: object, Value.self)
            if let recorded = record(registration, request, at: watch, keyPath, of: object, equality, value) {
                return recorded
            }
        }
        fatalError(
            """
            \(request.text ?? "the expression") cannot be observed: it reads no @Observed property of the \
            \(TypeName.of(object)) or of another object, so no change of it can be seen. \(advice(for: object))
            """, file: request.fileID, line: request.line)
    }

    /// Records a registration at a watch; nil if the watch has ended, or if it reads properties that several threads
    /// change and another thread has claimed it.
    private static func record<Object: KeyValueObservable>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at watch: Watch, _ keyPath: AnyKeyPath,
        of object: Object, _ equality: AnyObject?, _ first: BoxedValue?
    ) -> Recorded? {
        guard let subject = watch.subject else { return nil }
        if let end = watch.leafSource { checkPrior(request, at: end, of: object) }
        if watch.isShared {
            guard watch.claim() else { return nil }
            return recordClaimed(registration, request, at: watch, subject, keyPath, of: object, equality)
        }
        let keeping = request.keeping(subject)
        let keepsLastValue = keeping != .nothing
        // Its observers' last value may differ, after a silent set, or before a change is delivered.
        let isRead = keepsLastValue && first == nil && !watch.isAccessed
        // It may lead to other objects now: after a silent set, in a transaction, or in an open change.
        let value =
            first == nil && (isRead || Transaction.current != nil)
            ? watch.relink(subject, from: object, wantsValue: isRead) : nil
        if isRead {
            registration.keep(value ?? Tracking.suspended { subject.read(object, nil) }, keeping)
        } else if keepsLastValue, let lastValue = first ?? watch.copyOfLastValue(subject) {
            registration.keep(lastValue, keeping)
        }
        guard watch.add(registration, request, at: keyPath, comparing: equality) else { return nil }
        watch.admit(registration.number)
        // An object is read again, because the kept value does not retain it.
        return Recorded(keeper: watch, first: subject.isObject ? nil : first.map { FirstCall($0) })
    }

    /// Records a registration at a watch of shared properties, which this thread has claimed.
    ///
    /// The value is read after the registration was recorded. A change stored after that leaves a mark, and is
    /// delivered when this thread leaves the claim, after the first call.
    private static func recordClaimed<Object: KeyValueObservable>(
        _ registration: Registration, _ request: borrowing RegistrationRequest, at watch: Watch,
        _ subject: WatchSubject, _ keyPath: AnyKeyPath, of object: Object, _ equality: AnyObject?
    ) -> Recorded? {
        guard watch.add(registration, request, at: keyPath, comparing: equality) else {
            watch.leaveClaim()
            return nil
        }
        watch.admit(registration.number)
        let keeping = request.keeping(subject)
        let keepsLastValue = keeping != .nothing
        let isRead =
            (keepsLastValue || request.options.contains(.initial) || request.isOfInbox) && !watch.isAccessedHere
        let value = isRead ? Tracking.suspended { subject.read(object, nil) } : nil
        if keepsLastValue, let lastValue = value ?? watch.copyOfLastValue(subject) {
            // The kept value does not retain an object, but the first call needs one.
            registration.keep(
                (subject.isObject ? subject.copy(of: lastValue) : lastValue) ?? lastValue, keeping)
        }
        let first = FirstCall(value, claimed: watch)
        if !request.options.contains(.initial), !request.isOfInbox { first.end() }
        return Recorded(keeper: watch, first: first)
    }

    /// The comparison of values for `.distinct`; traps if they cannot be compared.
    private static func equality<Object: KeyValueObservable, Value>(
        _ request: borrowing RegistrationRequest, _ name: KeyPathName, of object: Object, _ type: Value.Type
    ) -> AnyObject? {
        guard request.isDistinct else { return nil }
        let text = request.text ?? PropertyNames.text(of: name.keyPath)
        return Equality<Value>(of: text, in: object, request.fileID, request.line)
    }

    /// The table of an object to observe; traps if the object does not keep it.
    @inline(__always)
    static func table(
        of object: some KeyValueObservable, _ fileID: StaticString, _ line: UInt
    ) -> ObservationTable {
        let table = object.keyValueRegistrar.table()
        if object.keyValueRegistrar.existingTable !== table { trapForgetful(type(of: object), fileID, line) }
        return table
    }

    /// Traps if a key path cannot be observed.
    @usableFromInline
    package static func check<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ fileID: StaticString, _ line: UInt
    ) {
        _ = find(keyPath, of: object, nil, (fileID, line)) { _ = object[keyPath: keyPath] }
    }

    /// The name of a key path, for a message; traps if it cannot be observed.
    static func name<Object: KeyValueObservable, Value>(
        of keyPath: KeyPath<Object, Value>, in object: Object, _ fileID: StaticString, _ line: UInt
    ) -> String {
        // Only properties that were read have names.
        check(keyPath, of: object, fileID, line)
        return PropertyNames.text(of: keyPath)
    }

    /// Whether a key path can be observed: reading it touches an observed property, or the class declares it.
    package static func isObservable<Object: KeyValueObservable, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object
    ) -> Bool {
        let tracker = PropertyFinder(root: object)
        _ = tracker.tracking { object[keyPath: keyPath] }
        return tracker.hasRead || ClassDeclarations.of(object).policy(of: keyPath).isDeclared
    }

    /// Finds the property of the object that a key path names, if it names one and nothing else, and the class's
    /// declarations about the key path; traps if it cannot be observed.
    private static func find<Object: KeyValueObservable>(
        _ keyPath: AnyKeyPath, of object: Object, _ text: String?, _ site: (fileID: StaticString, line: UInt),
        _ read: () -> Void
    ) -> (source: Source?, policy: PropertyPolicy) {
        if text == nil { noteTrap(in: keyPath, site.fileID, site.line) }
        let tracker = PropertyFinder(root: object, site)
        tracker.tracking(read)
        return Tracking.suspended {
            let name = KeyPathName(keyPath)
            if let source = tracker.source(at: name) { return (source, source.description.policy) }
            let policy = ClassDeclarations.of(object).policy(of: keyPath)
            if !tracker.hasRead, !policy.isAutomatic, policy.dependencies.isEmpty {
                // Its getter does not report reads.
                let source = table(of: object, site.fileID, site.line).manualSource(at: name) {
                    ClassDeclarations.of(object).description(ofManual: keyPath)
                }
                return (source, policy)
            }
            guard tracker.hasRead || policy.isDeclared else {
                fatalError(
                    """
                    \(TypeName.of(object)) cannot be observed at \(text ?? subject(keyPath, of: object)): \
                    reading it touches no @Observed property, so no change of it can be seen. \
                    \(advice(for: object, at: keyPath))
                    """, file: site.fileID, line: site.line)
            }
            return (nil, policy)
        }
    }

    // MARK: Observed key paths

    /// Whether a key path of an object is observed, written with any of the object's classes.
    static func isObserved(_ keyPath: AnyKeyPath, in table: ObservationTable) -> Bool {
        let name = KeyPathName(keyPath)
        return table.watch(at: name)?.registrations.hasRecipient ?? false
            || table.source(at: name)?.direct.hasRecipient ?? false
    }

    /// Identifies the property or watch with registrations at a key path, as long as there are any; nil without one.
    @usableFromInline
    package static func identity(ofAny keyPath: AnyKeyPath, on object: AnyObject) -> ObjectIdentifier? {
        func table(of object: some KeyValueObservable) -> ObservationTable? { object.keyValueRegistrar.existingTable }
        guard let table = (object as? any KeyValueObservable).flatMap({ table(of: $0) }) else { return nil }
        let name = KeyPathName(keyPath)
        return table.watch(at: name)?.target ?? table.source(at: name)?.target
    }
}

/// Refers to a source whose key path has arguments, so that a token that outlives the object does not retain these.
private final class WeakKeeper: RegistrationKeeper {
    private weak let source: Source?
    private let table: ObservationTable

    init(_ source: Source) {
        self.source = source
        table = source.table
    }

    func remove(_ number: RegistrationNumber) { source?.remove(number) }
    func registrations(_ number: RegistrationNumber) -> [Registration] { source?.registrations(number) ?? [] }
    var keyPath: AnyKeyPath? { source?.keyPath }
    var hasEnded: Bool { table.hasEnded }
    var objects: [AnyObject] { table.object.map { [$0] } ?? [] }
    var target: ObjectIdentifier { source?.target ?? ObjectIdentifier(table) }
}
