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
    /// made them. It ends when this object dies, after what waits was taken, and when its task is canceled.
    ///
    /// Making an iterator reads the key path, so it needs the same protection as a read. The key path of a class that is
    /// isolated to an actor is taken by the overload that expects an isolation, which is that of the caller: an iterator
    /// that is made outside it traps.
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
        of keyPath: any KeyPath<Self, Value> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        KeyValueChanges(changeSource(.keyPath(keyPath), options, bufferingPolicy, isolation: nil, fileID, line))
    }

    /// The changes of a key path of a class that is isolated to an actor, as an asynchronous sequence.
    ///
    /// See ``changes(of:options:bufferingPolicy:fileID:line:)``. Iterate it on the actor that asks for it here: making an
    /// iterator anywhere else traps, for that would read the object there.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - options: What each change carries.
    ///   - bufferingPolicy: How many changes may wait until they are taken.
    ///   - isolation: The actor that iterators are made on: that of the caller.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        KeyValueChanges(changeSource(.keyPath(keyPath), options, bufferingPolicy, isolation: isolation, fileID, line))
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
        of keyPath: any KeyPath<Self, Value> & Sendable, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        KeyValueValues(valueSource(.keyPath(keyPath), bufferingPolicy, isolation: nil, fileID, line))
    }

    /// The value of a key path of a class that is isolated to an actor, and each new one, as an asynchronous sequence.
    ///
    /// See ``values(of:bufferingPolicy:fileID:line:)``. Iterate it on the actor that asks for it here: making an iterator
    /// anywhere else traps, for that would read the object there.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe, from this object.
    ///   - bufferingPolicy: How many values may wait until they are taken.
    ///   - isolation: The actor that iterators are made on: that of the caller.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        KeyValueValues(valueSource(.keyPath(keyPath), bufferingPolicy, isolation: isolation, fileID, line))
    }

    /// What an expression reads now, and each new value, as an asynchronous sequence.
    ///
    /// ```swift
    /// let titles = person.values(reading: { "\($0.name), \($0.age)" })
    /// ```
    ///
    /// What the expression reads is found as for ``observe(reading:options:fileID:line:changeHandler:)``; the rest is as
    /// for ``values(of:bufferingPolicy:isolation:fileID:line:)``. Iterate it on the actor that asks for it here: making an
    /// iterator anywhere else traps, for that would read the object there.
    ///
    /// - Parameters:
    ///   - expression: Evaluated where an iterator is made and where what it reads changes; each iterator retains it.
    ///   - bufferingPolicy: How many values may wait until they are taken.
    ///   - isolation: The actor that iterators are made on: that of the caller.
    ///   - fileID: Where the registration is made, for ``observationInfo``.
    ///   - line: Where the registration is made, for ``observationInfo``.
    /// - Returns: The sequence.
    public func values<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        let subject = ObservedSubject.reading(expression, fileID, line)
        return KeyValueValues(valueSource(subject, bufferingPolicy, isolation: isolation, fileID, line))
    }

    /// The changes of what an expression reads as an asynchronous sequence.
    ///
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for what an expression may be. Isolation, lifetime and traps
    /// are those of ``changes(of:options:bufferingPolicy:isolation:fileID:line:)``.
    public func changes<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        KeyValueChanges(
            changeSource(
                .reading(expression, fileID, line), options, bufferingPolicy, isolation: isolation, fileID, line))
    }

    private func changeSource<Value: Sendable>(
        _ subject: ObservedSubject<Self, Value>, _ options: KeyValueObservingOptions, _ policy: KeyValueBufferingPolicy,
        isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt
    ) -> ObservedSource<Self, Value> {
        let request = ElsewhereRequest(
            to: "sequence of changes", options, policy, of: [subject.source], in: self, fileID, line)
        return ObservedSource([subject.source], of: self, request, ofWholes: false, isolation: isolation)
    }

    private func valueSource<Value: Sendable>(
        _ subject: ObservedSubject<Self, Value>, _ policy: KeyValueBufferingPolicy, isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt
    ) -> ObservedSource<Self, Value> {
        let request = ElsewhereRequest(
            to: "sequence of values", [.initial, .new], policy, of: [subject.source], in: self, fileID, line)
        return ObservedSource([subject.source], of: self, request, ofWholes: true, isolation: isolation)
    }
}
