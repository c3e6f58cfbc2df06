// Observers that are added to the object they observe.
public import KeyValueObserving

extension KeyValueObservable {
    /// Calls a handler with an observer at every change of some key paths, as long as the observer lives.
    ///
    /// ```swift
    /// person.addObserver(screen, for: [\.age, \.name]) { screen, person, change in
    ///     screen.log("\(change.name): \(change.requiredOldValue) → \(change.requiredNewValue)")
    /// }
    /// ```
    ///
    /// The object keeps a list of its observers with weak references; there is no token. After an observer has died,
    /// nothing is delivered to it, and its registrations are removed at the next change at the latest. An observer in
    /// its `deinit` is not registered. A change carries the old and the new value unless `options` say otherwise.
    /// Everything else is as for
    /// ``/KeyValueObserving/KVOController/observe(_:keyPaths:options:fileID:line:changeHandler:)-(_,[PartialKeyPath<Object>],_,_,_,_)``
    /// with the policy ``/KeyValueObserving/KVOController/DuplicatePolicy/ignore``: each observer has one registration
    /// for each key path.
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, for keyPaths: [PartialKeyPath<Self>], options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Observer, Self, KeyValueObservedChange<Any>) -> Void
    ) {
        let observers = keyValueRegistrar.table().attachment { KeyValueObservationBag(duplicates: .ignore) }
        let (isolation, call) = (changeHandler.isolation, ActionHandler(changeHandler).call)
        observers.controller(of: observer).register(self, keyPaths, options, isolation: isolation, fileID, line) {
            call(unsafe unsafeDowncast($0, to: Observer.self), $1, $2)
        }
    }

    /// Ends an observer's registrations of some key paths, which may be written from any class of the object.
    ///
    /// Like the other forms, it ends only registrations made by
    /// ``addObserver(_:for:options:fileID:line:changeHandler:)``. You may call it at any time, on any thread, inside a
    /// handler and in the observer's `deinit`. It does nothing if there is no such registration.
    public func removeObserver(_ observer: AnyObject, for keyPaths: PartialKeyPath<Self>...) {
        let controller = observers?[observer]
        for keyPath in keyPaths { controller?.unobserve(self, keyPath) }
    }

    /// Ends all registrations of an observer.
    public func removeObserver(_ observer: AnyObject) { observers?[observer]?.unobserveAll() }

    /// Ends the registrations of all observers, but not those of tokens, controllers and owners.
    public func removeAllObservers() { observers?.endWithObject() }

    /// The observers of this object, if one was ever added.
    private var observers: KeyValueObservationBag? {
        keyValueRegistrar.existingTable?.existingAttachment(KeyValueObservationBag.self)
    }

    /// A list of the registrations on this object, one line for each, or a sentence that it has none.
    ///
    /// ```
    /// 2 registrations on Person:
    ///   age          [new, old]  Screen  App/Screen.swift:12  delivered 3
    ///   friend.name  []          –       App/main.swift:7     delivered 0
    /// ```
    ///
    /// It shows the same facts as `observationInfo`. Safe from any thread.
    public var observationDescription: String {
        let rows = observationInfo.map {
            [$0.keyPath, "\($0.options)", $0.observer ?? "–", "\($0.fileID):\($0.line)", $0.countsText]
        }
        guard let columns = rows.first?.indices.dropLast() else { return "Nobody observes this \(TypeName.of(self))." }
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "\n  " + (padded + row.suffix(1)).joined(separator: "  ")
        }
        let count = rows.count == 1 ? "1 registration" : "\(rows.count) registrations"
        return "\(count) on \(TypeName.of(self)):" + lines.joined()
    }
}
