// Observing a key path that is a string, with handlers that are called elsewhere.
public import KeyValueObserving

extension KeyValueCodable {
    /// Calls a handler in an actor's isolation after each change of a key path that is a string.
    ///
    /// ```swift
    /// let ledger = Ledger()
    /// let observation = try person.observe("age", as: Int.self, options: .new, on: ledger) { ledger, change in
    ///     ledger.note(change.newValue!)
    /// }
    ///
    /// actor Ledger {
    ///     private(set) var ages: [Int] = []
    ///     func note(_ age: Int) { ages.append(age) }
    /// }
    /// ```
    ///
    /// Values that leave their thread have to be `Sendable`, which a string does not say. So you name their type. It is
    /// that of the property, or an optional of it; behind an optional on the way, ask for an optional. What is
    /// evaluated by name, such as an operator, may be anything: ask for an optional there, too. A value of another type
    /// that turns up later is nil then, and is reported to ``/KeyValueObserving/KeyValueDiagnostics/handler``.
    ///
    /// What is observed is as for ``observe(_:options:fileID:line:changeHandler:)``. Order, threads, lifetime and traps
    /// are those of ``/KeyValueObserving/KeyValueObservable/observe(_:options:on:bufferingPolicy:fileID:line:changeHandler:)-(_,_,Recipient,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: Keys, separated by dots.
    ///   - type: The type of the values.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - recipient: The actor, which is held weakly.
    ///   - bufferingPolicy: How many changes may wait until the actor has time for them.
    ///   - fileID: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - line: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - changeHandler: Called with the actor and the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, the value depends on nothing observable, values may be
    ///   of another type, or values that `.distinct` is to compare are not `Equatable`.
    public func observe<Value: Sendable, Recipient: Actor>(
        _ keyPath: String, as type: Value.Type, options: KeyValueObservingOptions = [], on recipient: Recipient,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @Sendable (isolated Recipient, KeyValueObservedChange<Value>) -> Void
    ) throws -> KeyValueObservation {
        let request = NamedElsewhereRequest(
            to: ActorDelivery<Recipient, Value>.name, options, bufferingPolicy, at: keyPath, fileID, line)
        return try path(of: request, as: type).register(self, request, ActorDelivery(recipient, changeHandler))
    }

    /// Calls a handler on the main actor after each change of a key path that is a string.
    ///
    /// ```swift
    /// let observation = try person.observeOnMainActor("address.city", as: String?.self, options: .new) { change in
    ///     print((change.newValue ?? nil) ?? "nowhere")
    /// }
    /// ```
    ///
    /// The type of the values, and what is thrown, is as for
    /// ``observe(_:as:options:on:bufferingPolicy:fileID:line:changeHandler:)``. The rest is as for
    /// ``/KeyValueObserving/KeyValueObservable/observeOnMainActor(_:options:bufferingPolicy:fileID:line:changeHandler:)``.
    ///
    /// - Parameters:
    ///   - keyPath: Keys, separated by dots.
    ///   - type: The type of the values.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - bufferingPolicy: How many changes may wait until the main actor has time for them.
    ///   - fileID: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - line: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - changeHandler: Called with the change.
    /// - Returns: The registration. Keep it: releasing it ends it.
    /// - Throws: ``KeyValueCodingError``, as the form for an actor does.
    public func observeOnMainActor<Value: Sendable>(
        _ keyPath: String, as type: Value.Type, options: KeyValueObservingOptions = [],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @MainActor (KeyValueObservedChange<Value>) -> Void
    ) throws -> KeyValueObservation {
        let request = NamedElsewhereRequest(
            to: MainActorDelivery<Value>.name, options, bufferingPolicy, at: keyPath, fileID, line)
        return try path(of: request, as: type).register(self, request, MainActorDelivery(changeHandler))
    }
}
