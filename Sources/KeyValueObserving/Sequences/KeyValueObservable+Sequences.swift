// Changes and values of a key path as asynchronous sequences.

extension KeyValueObservable {
    /// The changes of a key path as an asynchronous sequence.
    ///
    /// ```swift
    /// for await change in person.changes(of: \.age, options: [.initial, .new]) {
    ///     print(change)
    ///     if change.requiredNewValue == 18 { break }
    ///     person.age = 18
    /// }       // prints "setting of age, → 0", then "setting of age, → 18"
    /// ```
    ///
    /// An iteration gets each change that is made after its iterator was made, once, in the order in which a thread
    /// made them. It ends when this object dies, after what waits was taken, and when its task is canceled. Making an
    /// iterator reads the key path, so it needs the same protection as a read.
    ///
    /// Neither the sequence nor an iterator keeps this object alive. Each iterator is independent of the others, and
    /// its registration ends when it is released.
    ///
    /// With `.initial`, the first change carries the value from the time when the iterator was made.
    ///
    /// `.prior` traps, because a change is taken after it was made. A policy with a number below 1 traps, too. A key
    /// path that reads nothing observable traps when the iterator is made.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - options: What each change carries.
    ///   - bufferingPolicy: How many changes may wait until they are taken.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        let request = ElsewhereRequest(
            to: "sequence of changes", options, bufferingPolicy, at: keyPath, of: self, fileID, line)
        return KeyValueChanges(ObservedSource(keyPath, of: self, request, ofWholes: false))
    }

    /// The value of a key path, and each new one, as an asynchronous sequence.
    ///
    /// ```swift
    /// let ages = person.values(of: \.age, bufferingPolicy: .newest(1))
    /// ```
    ///
    /// The first value of an iteration is that at the time its iterator was made. The others follow as in
    /// ``changes(of:options:bufferingPolicy:fileID:line:)``, each as a whole, also where elements of a collection
    /// changed. The first waits as the others do: a policy may drop it. An equal value that is set is a new one.
    ///
    /// Order, lifetime and traps are those of ``changes(of:options:bufferingPolicy:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - bufferingPolicy: How many values may wait until they are taken.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        let request = ElsewhereRequest(
            to: "sequence of values", [.initial, .new], bufferingPolicy, at: keyPath, of: self, fileID, line)
        return KeyValueValues(ObservedSource(keyPath, of: self, request, ofWholes: true))
    }
}
