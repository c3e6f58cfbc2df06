// Changes and values of a key path that is a string, as asynchronous sequences.
public import KeyValueObserving

extension KeyValueCodable {
    /// The changes of a key path that is a string, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await change in try person.changes(ofKeyPath: "age", as: Int.self, options: [.initial, .new]) {
    ///     print(change)
    ///     if change.newValue == 18 { break }
    ///     person.age = 18
    /// }       // prints "setting of age, → 0", then "setting of age, → 18"
    /// ```
    ///
    /// The type of the values, and what is thrown, is as for
    /// ``observe(_:as:options:on:bufferingPolicy:fileID:line:changeHandler:)``. The key path is evaluated once now, and when
    /// an iterator is made. The rest is as for
    /// ``/KeyValueObserving/KeyValueObservable/changes(of:options:bufferingPolicy:isolation:fileID:line:)``: iterate on the
    /// actor that asks for the sequence here, for making an iterator anywhere else traps.
    ///
    /// - Parameters:
    ///   - keyPath: Keys, separated by dots.
    ///   - type: The type of the values.
    ///   - options: What each change carries.
    ///   - bufferingPolicy: How many changes may wait until they are taken.
    ///   - isolation: The actor that iterators are made on: that of the caller.
    ///   - fileID: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - line: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    /// - Returns: The sequence.
    /// - Throws: ``KeyValueCodingError``, as the form for an actor does.
    public func changes<Value: Sendable>(
        ofKeyPath keyPath: String, as type: Value.Type, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> KeyValueChanges<Value> {
        let request = NamedElsewhereRequest(
            to: "sequence of changes", options, bufferingPolicy, at: keyPath, fileID, line)
        return try path(of: request, as: type).changes(of: self, as: type, request, isolation: isolation)
    }

    /// The value of a key path that is a string, and each new one, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await city in try person.values(ofKeyPath: "address.city", as: String?.self) {
    ///     print(city ?? "nowhere")
    ///     break
    /// }       // prints "nowhere"
    /// ```
    ///
    /// The type of the values, and what is thrown, is as for
    /// ``observe(_:as:options:on:bufferingPolicy:fileID:line:changeHandler:)``. The key path is evaluated once now, and when
    /// an iterator is made. The rest is as for
    /// ``/KeyValueObserving/KeyValueObservable/values(of:bufferingPolicy:isolation:fileID:line:)``: iterate on the actor
    /// that asks for the sequence here, for making an iterator anywhere else traps.
    ///
    /// - Parameters:
    ///   - keyPath: Keys, separated by dots.
    ///   - type: The type of the values.
    ///   - bufferingPolicy: How many values may wait until they are taken.
    ///   - isolation: The actor that iterators are made on: that of the caller.
    ///   - fileID: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - line: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    /// - Returns: The sequence.
    /// - Throws: ``KeyValueCodingError``, as the form for an actor does.
    public func values<Value: Sendable>(
        ofKeyPath keyPath: String, as type: Value.Type, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> KeyValueValues<Value> {
        let request = NamedElsewhereRequest(
            to: "sequence of values", [.initial, .new], bufferingPolicy, at: keyPath, fileID, line)
        return try path(of: request, as: type).values(of: self, as: type, request, isolation: isolation)
    }
}
