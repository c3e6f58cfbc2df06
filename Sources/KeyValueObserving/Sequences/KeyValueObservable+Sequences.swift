// Changes and values as asynchronous sequences.

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
    /// made them. It ends when this object dies, after what waits was taken, and when its task is canceled. With
    /// `.initial`, the first change carries the value from the time when the iterator was made.
    ///
    /// Making an iterator reads the key path, so it needs the same protection as a read. The key path of a class that is
    /// isolated to an actor is taken by the overload that expects an isolation, which is that of the caller: an iterator
    /// that is made outside it traps.
    ///
    /// Neither the sequence nor an iterator keeps this object alive. Each iterator is independent of the others, and
    /// its registration ends when it is released.
    ///
    /// `.prior` traps, because a change is taken after it was made. A policy with a number below 1 traps, too. A key
    /// path that reads nothing observable traps when the iterator is made.
    public func changes<Value: Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        changes(.keyPath(keyPath), options, bufferingPolicy, nil, fileID, line)
    }

    /// The changes of a key path of a class that is isolated to an actor, as an asynchronous sequence.
    ///
    /// Iterate it on the actor that asks for it here: making an iterator anywhere else traps, for that would read the
    /// object there. `isolation` is the actor of the caller. All else is as for
    /// ``changes(of:options:bufferingPolicy:fileID:line:)``.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        changes(.keyPath(keyPath), options, bufferingPolicy, isolation, fileID, line)
    }

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
    /// `change.newValue as? Int`. A change that concerns several of them is taken once for each, in their order. For
    /// tuples of values, iterate over ``values(reading:bufferingPolicy:isolation:fileID:line:)``.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: any KeyPath<Self, First> & Sendable, _ second: any KeyPath<Self, Second> & Sendable,
        _ more: repeat any KeyPath<Self, each More> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<any Sendable> {
        changes(.keyPaths(first, second, repeat each more), options, bufferingPolicy, nil, fileID, line)
    }

    /// The changes of several key paths of a class that is isolated to an actor, as one asynchronous sequence.
    ///
    /// Iterate it on the actor that asks for it here, as that of one key path.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [.old, .new], bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<any Sendable> {
        changes(.keyPaths(first, second, repeat each more), options, bufferingPolicy, isolation, fileID, line)
    }

    /// The changes of what an expression reads as an asynchronous sequence.
    ///
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for what an expression may be. Iterate it on the actor
    /// that asks for it here.
    public func changes<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueChanges<Value> {
        changes(.reading(expression, fileID, line), options, bufferingPolicy, isolation, fileID, line)
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
    public func values<Value: Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        values(.keyPath(keyPath), bufferingPolicy, nil, fileID, line)
    }

    /// The value of a key path of a class that is isolated to an actor, and each new one, as an asynchronous sequence.
    ///
    /// Iterate it on the actor that asks for it here: making an iterator anywhere else traps, for that would read the
    /// object there. All else is as for ``values(of:bufferingPolicy:fileID:line:)``.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        values(.keyPath(keyPath), bufferingPolicy, isolation, fileID, line)
    }

    /// The values of several key paths as a tuple, now and after each change of one of them, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await (age, name) in person.values(of: \.age, \.name) {
    ///     print(age, name.isEmpty)        // prints "0 true"
    ///     break
    /// }
    /// ```
    ///
    /// It is ``values(reading:bufferingPolicy:isolation:fileID:line:)`` of an expression that reads them: a transaction
    /// that changes several of them is one new value.
    public func values<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<(First, Second, repeat each More)> {
        values(
            .reading({ ($0[keyPath: first], $0[keyPath: second], repeat $0[keyPath: each more]) }, fileID, line),
            bufferingPolicy, isolation, fileID, line)
    }

    /// What an expression reads now, and each new value, as an asynchronous sequence.
    ///
    /// ```swift
    /// let titles = person.values(reading: { "\($0.name), \($0.age)" })
    /// ```
    ///
    /// The expression is evaluated where an iterator is made and where what it reads changes; each iterator retains it.
    /// See ``observe(reading:options:fileID:line:changeHandler:)`` for what it may be. Iterate the sequence on the actor
    /// that asks for it here.
    public func values<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueValues<Value> {
        values(.reading(expression, fileID, line), bufferingPolicy, isolation, fileID, line)
    }
}
