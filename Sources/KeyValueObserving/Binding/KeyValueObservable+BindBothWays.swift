// Keeping a property of one object and a property of another equal.

extension KeyValueObservable {
    /// Keeps a property of this object and a property of a target equal, whichever of the two changes.
    ///
    /// ```swift
    /// let friend = Person()
    /// let binding = person.bindBothWays(\.name, to: friend, \.name)
    /// friend.name = "Ada"
    /// print(person.name)      // prints "Ada"
    /// ```
    ///
    /// The target gets this object's value now. From then on, a change of either property sets the other one, unless
    /// that is equal already. So bindings may form circles, and handlers may correct the values they get: all
    /// properties end up with the same value, and each observer is called with each change in order. Values that
    /// handlers and other threads set while a binding sets one of the two are passed on when it has returned, so that
    /// it never runs twice at once. A value that is unequal to itself, such as `Double.nan`, is passed on once.
    ///
    /// Neither object is retained. The binding ends in both directions with its token and with either object.
    ///
    /// Both key paths must be observable. If both sides store other values than they receive, they never agree, which
    /// traps. A binding that is made on an actor belongs to it, and a change made outside the actor traps.
    public func bindBothWays<Target: KeyValueObservable, Value: Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        let site = BindingSite(isolation, fileID, line)
        return TwoWayBinding(self, keyPath, target, targetKeyPath, site, makeRight: { $0 }, makeLeft: { $0 }).begin()
    }

    /// Keeps a property of this object and one of a target in agreement through a conversion each way.
    ///
    /// ```swift
    /// let field = Person()
    /// let binding = person.bindBothWays(\.age, to: field, \.name) {
    ///     "\($0)"
    /// } reverse: {
    ///     Int($0)
    /// }
    /// field.name = "007"
    /// print(person.age, field.name)      // prints "7 007"
    /// field.name = "seven"
    /// print(person.age, field.name)      // prints "7 seven"
    /// person.age = 8
    /// print(field.name)                  // prints "8"
    /// ```
    ///
    /// Two values agree if one of them converts to the other. So a conversion may lose information, and a value that
    /// you set stays as you set it. If `reverse` returns nil, this object's value stays as it is.
    ///
    /// The conversions are called on the thread that makes a change, each of them once or twice for it. They should not
    /// change anything. The binding retains what they capture, and belongs to their actor, if there is one and the
    /// caller has none. Conversions that never agree in a circle trap, too. The rest is as for
    /// ``bindBothWays(_:to:_:isolation:fileID:line:)``.
    public func bindBothWays<Target: KeyValueObservable, Value: Equatable, Output: Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Output>, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        forward: @escaping @isolated(any) (Value) -> Output, reverse: @escaping @isolated(any) (Output) -> Value?
    ) -> KeyValueObservation {
        let site = BindingSite(isolation ?? forward.isolation ?? reverse.isolation, fileID, line)
        let (makeRight, makeLeft) = (ActionHandler(forward).call, ActionHandler(reverse).call)
        return TwoWayBinding(self, keyPath, target, targetKeyPath, site, makeRight: makeRight, makeLeft: makeLeft)
            .begin()
    }
}
