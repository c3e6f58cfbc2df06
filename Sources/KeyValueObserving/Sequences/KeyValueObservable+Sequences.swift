// The sequences of changes, values and transitions of an object.
//
// A key path that is Sendable belongs to no actor, and its sequence may be taken anywhere. The overload for a class
// that is isolated to an actor notes the isolation of the caller.

extension KeyValueObservable {
    /// The changes of a key path: see ``KeyValueSequence``.
    ///
    /// - Parameters:
    ///   - keyPath: What to observe: see
    ///     ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``.
    ///   - options: What each change carries. `.prior` traps.
    ///   - bufferingPolicy: How many changes may wait.
    ///   - label: What the registrations are called: see ``KeyValueObservation/label``.
    ///   - fileID: Where it is asked for, for listings and messages.
    ///   - line: The same.
    /// - Returns: The sequence. Iterate over it, or have it delivered.
    public func changes<Value: Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        changes(.keyPath(keyPath), options, .init(bufferingPolicy, label, nil, fileID, line))
    }

    /// The changes of a key path of a class that is isolated to an actor.
    public func changes<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        changes(.keyPath(keyPath), options, .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// The changes of several key paths, in one line and under one policy.
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
    /// for each, in their order. Their values are of any type and never optionals. For tuples of values, use `values(of:)`.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: any KeyPath<Self, First> & Sendable, _ second: any KeyPath<Self, Second> & Sendable,
        _ more: repeat any KeyPath<Self, each More> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<any Sendable>> {
        changes((first, second, repeat each more), options, .init(bufferingPolicy, label, nil, fileID, line))
    }

    /// The changes of several key paths of a class that is isolated to an actor.
    public func changes<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        options: KeyValueObservingOptions = [.old, .new], bufferingPolicy: KeyValueBufferingPolicy = .unbounded,
        label: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<any Sendable>> {
        changes((first, second, repeat each more), options, .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// The changes of what an expression reads: see ``observe(reading:options:fileID:line:changeHandler:)``.
    public func changes<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, options: KeyValueObservingOptions = [.old, .new],
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        changes(.reading(expression, fileID, line), options, .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// The value of a key path as it is when the sequence is taken, and each new one.
    ///
    /// An equal value that is set is a new one, unless `distinct` is true; then values that cannot be compared trap.
    public func values<Value: Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, distinct: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> KeyValueSequence<Value> {
        values(.keyPath(keyPath), distinct, .init(bufferingPolicy, label, nil, fileID, line))
    }

    /// The value of a key path of a class that is isolated to an actor, and each new one.
    public func values<Value: Sendable>(
        of keyPath: KeyPath<Self, Value>, distinct: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<Value> {
        values(.keyPath(keyPath), distinct, .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// The values of several key paths as a tuple, now and after each change of one of them.
    ///
    /// ```swift
    /// for await (age, name) in person.values(of: \.age, \.name) {
    ///     print(age, name.isEmpty)        // prints "0 true"
    ///     break
    /// }
    /// ```
    ///
    /// A transaction that changes several of them is one new value.
    public func values<First: Sendable, Second: Sendable, each More: Sendable>(
        of first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>, _ more: repeat KeyPath<Self, each More>,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<(First, Second, repeat each More)> {
        values(
            .reading({ ($0[keyPath: first], $0[keyPath: second], repeat $0[keyPath: each more]) }, fileID, line), false,
            .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// What an expression reads when the sequence is taken, and each new value.
    public func values<Value: Sendable>(
        reading expression: @escaping (Self) -> Value, distinct: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<Value> {
        values(.reading(expression, fileID, line), distinct, .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// The old and the new value of a key path, each time it has become another one: `onChange(of:)`, elsewhere.
    ///
    /// The old value is the new one of the element before, also where the policy has dropped changes. With `initial`,
    /// the first element has the value as it is when the sequence is taken, twice.
    public func transitions<Value: Equatable & Sendable>(
        of keyPath: any KeyPath<Self, Value> & Sendable, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> KeyValueSequence<(old: Value, new: Value)> {
        transitions(.keyPath(keyPath), initial, .init(bufferingPolicy, label, nil, fileID, line))
    }

    /// The old and the new value of a key path of a class that is isolated to an actor.
    public func transitions<Value: Equatable & Sendable>(
        of keyPath: KeyPath<Self, Value>, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<(old: Value, new: Value)> {
        transitions(.keyPath(keyPath), initial, .init(bufferingPolicy, label, isolation, fileID, line))
    }

    /// The old and the new value of what an expression reads, each time it has become another one.
    public func transitions<Value: Equatable & Sendable>(
        reading expression: @escaping (Self) -> Value, initial: Bool = false,
        bufferingPolicy: KeyValueBufferingPolicy = .unbounded, label: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueSequence<(old: Value, new: Value)> {
        transitions(.reading(expression, fileID, line), initial, .init(bufferingPolicy, label, isolation, fileID, line))
    }
}

extension KeyValueObservable {
    private func changes<Value: Sendable>(
        _ subject: ObservedSubject<Self, Value>, _ options: KeyValueObservingOptions, _ request: SequenceRequest
    ) -> KeyValueSequence<KeyValueObservedChange<Value>> {
        KeyValueSequence(source: ObservedSource(self, [subject.lane], request.asking(for: options)) { $0 })
    }

    private func changes<each Value: Sendable>(
        _ keyPaths: (repeat KeyPath<Self, each Value>), _ options: KeyValueObservingOptions, _ request: SequenceRequest
    ) -> KeyValueSequence<KeyValueObservedChange<any Sendable>> {
        var lanes: [any InboxLane<Self, any Sendable>] = []
        for keyPath in repeat each keyPaths { lanes.append(ObservedSubject.keyPath(keyPath).erasedLane) }
        return KeyValueSequence(source: ObservedSource(self, lanes, request.asking(for: options)) { $0 })
    }

    private func values<Value: Sendable>(
        _ subject: ObservedSubject<Self, Value>, _ isDistinct: Bool, _ request: SequenceRequest
    ) -> KeyValueSequence<Value> {
        let request = request.asking(for: [.initial, .new, isDistinct ? .distinct : []], ofWholes: true)
        return KeyValueSequence(source: ObservedSource(self, [subject.lane], request) { $0.requiredNewValue })
    }

    private func transitions<Value: Equatable & Sendable>(
        _ subject: ObservedSubject<Self, Value>, _ isInitial: Bool, _ request: SequenceRequest
    ) -> KeyValueSequence<(old: Value, new: Value)> {
        let request = request.asking(for: .ofValues(isInitial), ofWholes: true)
        return KeyValueSequence(
            source: ObservedSource(self, [subject.lane], request) { change in
                let new = change.requiredNewValue
                return (change.oldValue ?? new, new)
            })
    }
}
