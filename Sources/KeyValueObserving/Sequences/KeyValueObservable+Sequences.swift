// The sequences of changes and values of an object.
//
// A Sendable key path belongs to no actor, so its sequence may be consumed anywhere. The overload for a class that is
// isolated to an actor records the isolation of the caller.

extension KeyValueObservable {
    /// The changes of a key path: see ``KeyValueSequence``.
    ///
    /// - Parameters:
    ///   - keyPath: The key path to observe; see
    ///     ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``.
    ///   - options: Options for the changes. `.prior` traps.
    ///   - fileID: The file of the call, for listings and messages.
    ///   - line: The line of the call, for listings and messages.
    /// - Returns: The sequence. Iterate over it, or deliver it to a handler.
    public func changes<Value: Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        changes(of: .keyPath(keyPath), options, SequenceRequest(nil, fileID, line))
    }

    /// The changes of a key path of a class that is isolated to an actor; the compiler chooses it there.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        changes(of: .keyPath(keyPath), options, SequenceRequest(isolation, fileID, line))
    }

    /// The changes of several key paths, in one sequence and under one policy.
    ///
    /// ```swift
    /// for await change in person.changes(of: \.age, \.name, options: [.initial, .new]) {
    ///     print(change)
    ///     if change.newValue as? String == "" { break }
    /// }       // prints "setting of age, → 0", then "setting of name, → """
    /// ```
    ///
    /// Each key path's changes come in the order in which they were made. Between key paths, the order is that of delivery: a
    /// change that a handler makes comes before the one that it was called for. One that concerns several key paths comes once
    /// for each, in their order. Their values are of any type and never optionals. For tuples of values, use
    /// `values(reading: { ($0.age, $0.name) })`.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: any KeyPath<Self, First> & Sendable, _ second: any KeyPath<Self, Second> & Sendable,
        _ more: repeat any KeyPath<Self, each More> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<any Sendable>> {
        changes(of: (first, second, repeat each more), options, SequenceRequest(nil, fileID, line))
    }

    /// The changes of several key paths of a class that is isolated to an actor; the compiler chooses it there.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [.old, .new], isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<any Sendable>> {
        changes(of: (first, second, repeat each more), options, SequenceRequest(isolation, fileID, line))
    }

    /// The changes of the properties that an expression reads: see
    /// ``observe(reading:options:fileID:line:changeHandler:)``.
    public func changes<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [.old, .new],
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        changes(of: .reading(expression, fileID, line), options, SequenceRequest(isolation, fileID, line))
    }

    /// The value of a key path when an iteration or delivery begins, and each new one.
    ///
    /// Setting an equal value produces an element; use ``KeyValueSequence/removeDuplicates()`` to skip it.
    public func values<Value: Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<Value> {
        values(of: .keyPath(keyPath), SequenceRequest(nil, fileID, line))
    }

    /// The value of a key path of a class that is isolated to an actor, and each new one; the compiler chooses it there.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<Value> {
        values(of: .keyPath(keyPath), SequenceRequest(isolation, fileID, line))
    }

    /// The value of an expression when an iteration or delivery begins, and each new one.
    ///
    /// ```swift
    /// for await (age, name) in person.values(reading: { ($0.age, $0.name) }) {
    ///     print(age, name.isEmpty)        // prints "0 true"
    ///     break
    /// }
    /// ```
    ///
    /// A transaction that changes several of the properties that it reads is one new value.
    public func values<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<Value> {
        values(of: .reading(expression, fileID, line), SequenceRequest(isolation, fileID, line))
    }
}

extension KeyValueObservable {
    private func changes<Value: Sendable>(
        of subject: ObservedSubject<Self, Value>, _ options: KeyValueObservingOptions, _ request: SequenceRequest
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        KeyValueSequence(
            ObservedSource(self, [subject], options, request) { $0.change(of: Value.self, limitedTo: options) }, request
        )
    }

    private func changes<each Value: Sendable>(
        of keyPaths: (repeat KeyPath<Self, each Value>), _ options: KeyValueObservingOptions,
        _ request: SequenceRequest
    ) -> KeyValueSequence<KeyValueObservedChange<any Sendable>> {
        var lanes: [any InboxLane<Self>] = []
        var changes: [@Sendable (TakenChange) -> KeyValueObservedChange<any Sendable>] = []
        func add<One: Sendable>(_ keyPath: KeyPath<Self, One>) {
            lanes.append(ObservedSubject.keyPath(keyPath))
            changes.append(TakenChange.erasing(One.self, limitedTo: options))
        }
        repeat add(each keyPaths)
        return KeyValueSequence(
            ObservedSource(self, lanes, options, request) { [changes] in changes[$0.lane]($0) }, request)
    }

    private func values<Value: Sendable>(
        of subject: ObservedSubject<Self, Value>, _ request: SequenceRequest
    ) -> KeyValueSequence<Value> {
        KeyValueSequence(
            ObservedSource(self, [subject], [.initial, .new], ofWholes: true, request) { $0.value(of: Value.self) },
            request)
    }
}
