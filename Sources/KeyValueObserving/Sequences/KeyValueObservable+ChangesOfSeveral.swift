// Changes of several key paths as one asynchronous sequence.

extension KeyValueObservable {
    /// The changes of several key paths as one asynchronous sequence.
    ///
    /// ```swift
    /// for await change in person.changes(of: \.age, \.name, options: [.initial, .new]) {
    ///     print(change)
    ///     if change.newValue as? String == "" { break }
    /// }       // prints "setting of age, → 0", then "setting of name, → """
    /// ```
    ///
    /// The changes of all key paths wait in one line and under one policy, and are taken in the order in which they were
    /// made; ``KeyValueObservedChange/keyPath`` says which changed. Their values are of any type and never optionals:
    /// `change.newValue as? Int`. A change that concerns several of them is taken once for each, in their order. With
    /// `.initial`, the first changes carry the values from the time when the iterator was made, one for each key path.
    /// With `.distinct` a value is compared with the one taken last for the same key path.
    ///
    /// Isolation, lifetime and traps are those of ``changes(of:options:bufferingPolicy:fileID:line:)``. For tuples of values,
    /// iterate over ``values(reading:bufferingPolicy:isolation:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - first: What to observe, from this object.
    ///   - second: What to observe as well.
    ///   - more: What else to observe.
    ///   - options: What each change carries.
    ///   - bufferingPolicy: How many changes, of all key paths together, may wait until they are taken.
    ///   - fileID: Where the registrations are made, for ``observationInfo``.
    ///   - line: Where the registrations are made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: any KeyPath<Self, First> & Sendable, _ second: any KeyPath<Self, Second> & Sendable,
        _ more: repeat any KeyPath<Self, each More> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<any Sendable> {
        changes(
            SharedKeyPaths(first, second, repeat each more), options, bufferingPolicy, isolation: nil,
            fileID,
            line)
    }

    /// The changes of several key paths of a class that is isolated to an actor, as one asynchronous sequence.
    ///
    /// See ``changes(of:_:_:options:bufferingPolicy:fileID:line:)``. Iterate it on the actor that asks for it here: making
    /// an iterator anywhere else traps, for that would read the object there.
    ///
    /// - Parameters:
    ///   - first: What to observe, from this object.
    ///   - second: What to observe as well.
    ///   - more: What else to observe.
    ///   - options: What each change carries.
    ///   - bufferingPolicy: How many changes, of all key paths together, may wait until they are taken.
    ///   - isolation: The actor that iterators are made on: that of the caller.
    ///   - fileID: Where the registrations are made, for ``observationInfo``.
    ///   - line: Where the registrations are made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [.old, .new], bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<any Sendable> {
        changes(
            SharedKeyPaths(first, second, repeat each more), options, bufferingPolicy, isolation: isolation,
            fileID, line)
    }

    private func changes(
        _ keyPaths: SharedKeyPaths<Self>, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt
    ) -> KeyValueChanges<any Sendable> {
        let request = ElsewhereRequest(
            to: "sequence of changes", options, policy, of: keyPaths.sources, in: self, fileID, line)
        return KeyValueChanges(
            ObservedSource(keyPaths.sources, of: self, request, ofWholes: false, isolation: isolation))
    }
}
