// Observers that are added to the object they observe.
public import KeyValueObserving

extension KeyValueObservable {
    /// Calls a handler with an observer at every change of one or more key paths, for as long as the observer lives.
    ///
    /// ```swift
    /// person.addObserver(screen, for: \.age, \.name) { screen, person, change in
    ///     screen.log("\(change.keyPath): \(change.oldValue!) → \(change.newValue!)")
    /// }
    /// ```
    ///
    /// The object keeps the list of its observers; there is no token. Threads, order and traps, and what may be observed,
    /// are as for ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. Each key path is a
    /// registration of its own, made in the order given. Each change is delivered by itself, and `change.keyPath` says
    /// of which key path it is. All key paths are checked before the first is registered.
    ///
    /// ### Lifetime
    ///
    /// The observer is held weakly and passed to the handler, which needs no capture list. After it has died nothing is
    /// delivered, and its registrations are removed at the next change at the latest. They end with this object, too.
    /// An observer that is in its `deinit` is not registered.
    ///
    /// ### Duplicates
    ///
    /// There is one registration for each observer and key path, and the first one stays: adding it again does nothing.
    /// If another line does that, ``KeyValueDiagnostics/noteHandler`` is called, once for each pair of lines.
    ///
    /// - Parameters:
    ///   - observer: Who observes, held weakly.
    ///   - first: What to observe, from this object.
    ///   - more: What else to observe.
    ///   - options: What each delivery carries; by default the old and the new value.
    ///   - fileID: Where the registrations are made, for ``observationInfo``.
    ///   - line: Where the registrations are made, for ``observationInfo``.
    ///   - changeHandler: Called with the observer, this object and the change.
    /// - Complexity: The same however many registrations there are at other key paths.
    @inlinable
    public func addObserver<Observer: AnyObject, First, each More>(
        _ observer: Observer, for first: KeyPath<Self, First>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Self, KeyValueObservedChange<Any>) -> Void
    ) {
        RegistrationTarget.check(first, of: self, fileID, line)
        repeat RegistrationTarget.check(each more, of: self, fileID, line)

        let (observers, key) = (observers, ObjectIdentifier(observer))
        let (isolation, call) = (changeHandler.isolation, ControllerHandler(changeHandler).call)
        observers.register(
            observer, self, first, under: key, options, isolation: isolation, fileID, line
        ) { call($0, $1, $2.erased) }
        repeat observers.register(
            observer, self, each more, under: key, options, isolation: isolation, fileID, line
        ) { call($0, $1, $2.erased) }
    }

    /// Ends an observer's registrations of some key paths.
    ///
    /// Only what ``addObserver(_:for:_:options:fileID:line:changeHandler:)`` registered is ended. A key path that the
    /// observer does not observe is passed over. Call it at any time, on any thread, also inside a handler and in the
    /// observer's
    /// `deinit`.
    ///
    /// - Parameters:
    ///   - observer: Who observes.
    ///   - keyPaths: The key paths; they may be written from any class of the object.
    public func removeObserver(_ observer: AnyObject, for keyPaths: PartialKeyPath<Self>...) {
        guard let observers = existingObservers else { return }
        for keyPath in keyPaths {
            let target = RegistrationTarget.identity(ofAny: keyPath, on: self)
            observers.remove(from: observer, at: target)
        }
    }

    /// Ends all registrations that ``addObserver(_:for:_:options:fileID:line:changeHandler:)`` made here for an observer.
    ///
    /// Call it at any time, on any thread, also inside a handler and in the observer's `deinit`.
    public func removeObserver(_ observer: AnyObject) {
        existingObservers?.remove(from: observer)
    }

    /// Ends all registrations that ``addObserver(_:for:_:options:fileID:line:changeHandler:)`` made here.
    ///
    /// Those of tokens, controllers and owners stay. Call it at any time, on any thread, also inside a handler.
    public func removeAllObservers() {
        existingObservers?.removeAll()
    }

    /// The registrations of the observers that were added to this object.
    @usableFromInline var observers: ControllerRegistrations {
        keyValueRegistrar.table().attachment { ControllerRegistrations.ofObservers() }
    }

    /// The same, if an observer was ever added.
    private var existingObservers: ControllerRegistrations? {
        keyValueRegistrar.existingTable?.existingAttachment(ControllerRegistrations.self)
    }
}

extension ControllerRegistrations: TableAttachment {
    package func endWithObject() { removeAll() }

    /// The registrations of the observers that are added to one object.
    static func ofObservers() -> ControllerRegistrations {
        ControllerRegistrations(
            retainsObserved: false, duplicates: .ignore, isOfObservers: true,
            ignoring: """
                an observer observes each key path of an object once. Call removeObserver(_:for:) before, or use \
                observe(_:) to have both.
                """)
    }
}
