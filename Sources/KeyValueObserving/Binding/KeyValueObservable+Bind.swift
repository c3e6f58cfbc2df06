// Keeping a property of one object equal to a property of another.

extension KeyValueObservable {
    /// Sets a property of a target to the value at a key path, now and at each change.
    ///
    /// ```swift
    /// let friend = Person()
    /// let binding = person.bind(\.name, to: friend, \.name)
    /// ```
    ///
    /// You can bind every key path that can be observed: see
    /// ``observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``. The target may be any object.
    /// It is set on the thread that makes the change, before the change returns, when it is the binding's turn in the
    /// order of registrations. So observers of a first target are called before a second one is set.
    ///
    /// Neither object is retained. The binding ends with its token, this object or the target, at the latest at a
    /// change.
    ///
    /// Bindings in one direction that form a circle set one another again and again, which traps: use
    /// ``bindBothWays(_:to:_:isolation:fileID:line:)``. One that is made on an actor belongs to it, and a change made
    /// outside the actor traps.
    @inlinable
    public func bind<Target: AnyObject, Value>(
        _ keyPath: KeyPath<Self, Value>, to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        start(
            keyPath, to: target, targetKeyPath, isolation, fileID, line,
            notifier: { BindingRegistration<Self, Target, Value>.notify($0) })
    }

    /// Sets a property of a target to the value of an expression, now and at each change.
    ///
    /// ```swift
    /// let friend = Person()
    /// let binding = person.bind(reading: { "\($0.name), \($0.age)" }, to: friend, \.name)
    /// ```
    ///
    /// The library finds the properties that the expression reads as in
    /// ``observe(reading:options:fileID:line:changeHandler:)``. The binding retains what the expression captures. The
    /// rest is as for ``bind(_:to:_:isolation:fileID:line:)``.
    public func bind<Target: AnyObject, Value>(
        reading expression: @escaping (Self) -> Value, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        start(
            .reading(expression, fileID, line), to: target, targetKeyPath, BindingSite(isolation, fileID, line),
            notifier: { BindingRegistration<Self, Target, Value>.notify($0) })
    }

    @usableFromInline
    func start<Target: AnyObject, Value>(
        _ keyPath: KeyPath<Self, Value>, to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
        _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        notifier: @escaping RegistrationRequest.Notifier
    ) -> KeyValueObservation {
        start(.keyPath(keyPath), to: target, targetKeyPath, BindingSite(isolation, fileID, line), notifier: notifier)
    }

    private func start<Target: AnyObject, Value>(
        _ subject: ObservedSubject<Self, Value>, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, _ site: BindingSite,
        notifier: @escaping RegistrationRequest.Notifier
    ) -> KeyValueObservation {
        let binding = BindingRegistration(subject, to: target, targetKeyPath, site)
        let request = RegistrationRequest(
            [.initial, .new], needing: .whole, text: subject.text, observer: TypeName.of(target), isolation: nil,
            site.fileID, site.line, form: .bindings, notifier: notifier)
        let (observation, begin) = record(subject, binding, request)
        binding.token = observation
        begin()
        return observation
    }
}
