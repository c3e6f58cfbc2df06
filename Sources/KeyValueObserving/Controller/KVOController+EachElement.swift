// Observing a property of each object in a collection through a controller.

extension KVOController {
    /// Calls a handler with the observer at every change of a property of each object in a collection, and when objects
    /// come and go.
    ///
    /// ```swift
    /// kvo.observe(person, eachOf: \.friends, \.name) { screen, person, friend, change in
    ///     screen.log("\(friend.name) has a new name")
    /// } arrival: { screen, person, friend in
    ///     screen.log("\(friend.name) has come")
    /// }
    /// ```
    ///
    /// The objects observed, the calls of handlers, their order and threads, and the traps are those of
    /// ``KeyValueObservable/observe(eachOf:_:options:fileID:line:changeHandler:arrival:departure:)-(_,KeyPath<Elements.Element,Value>,_,_,_,_,_,_)``.
    /// The observation ends with this controller, the observer or the object, or with `unobserve` of the object or of
    /// the collection's key path. ``DuplicatePolicy`` decides if the same property of the elements of the same
    /// collection is observed already; observing the collection itself is no duplicate of that.
    public func observe<Object: KeyValueObservable, Elements: Collection, Value>(
        _ object: Object?, eachOf collection: KeyPath<Object, Elements>, _ keyPath: KeyPath<Elements.Element, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler:
            @escaping @isolated(any) (
                Observer, Object, Elements.Element, KeyValueObservedChange<Value>
            ) -> Void,
        arrival: (@isolated(any) (Observer, Object, Elements.Element) -> Void)? = nil,
        departure: (@isolated(any) (Observer, Object, Elements.Element) -> Void)? = nil
    ) where Elements.Element: KeyValueObservable {
        observe(
            object, collection, { Array($0) }, keyPath, options, isolation: changeHandler.isolation, fileID, line,
            change: ActionHandler(changeHandler).call, arrival: arrival.map { ActionHandler($0).call },
            departure: departure.map { ActionHandler($0).call })
    }

    /// Observes each value of a dictionary, or each element of a collection that may be nil, such as one at the end of a
    /// path through optionals.
    ///
    /// Nil means no objects. Everything else is as for a collection.
    @_disfavoredOverload
    public func observe<Object: KeyValueObservable, Elements: _OtherElements, Value>(
        _ object: Object?, eachOf collection: KeyPath<Object, Elements>, _ keyPath: KeyPath<Elements._Object, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler:
            @escaping @isolated(any) (
                Observer, Object, Elements._Object, KeyValueObservedChange<Value>
            ) -> Void,
        arrival: (@isolated(any) (Observer, Object, Elements._Object) -> Void)? = nil,
        departure: (@isolated(any) (Observer, Object, Elements._Object) -> Void)? = nil
    ) where Elements._Object: KeyValueObservable {
        observe(
            object, collection, \._objects, keyPath, options, isolation: changeHandler.isolation, fileID, line,
            change: ActionHandler(changeHandler).call, arrival: arrival.map { ActionHandler($0).call },
            departure: departure.map { ActionHandler($0).call })
    }

    private func observe<Object: KeyValueObservable, Elements, Element: KeyValueObservable, Value>(
        _ object: Object?, _ collection: KeyPath<Object, Elements>, _ elements: @escaping (Elements) -> [Element],
        _ keyPath: KeyPath<Element, Value>, _ options: KeyValueObservingOptions, isolation: (any Actor)?,
        _ fileID: StaticString, _ line: UInt,
        change: @escaping (Observer, Object, Element, KeyValueObservedChange<Value>) -> Void,
        arrival: ((Observer, Object, Element) -> Void)?, departure: ((Observer, Object, Element) -> Void)?
    ) {
        guard let object, let observer else { return }
        let name = TypeName.of(observer)
        let each = EachElement<Object, Element, Value>(
            of: object, .init(keyPath, options, isolation: isolation, observer: name, fileID, line),
            .init(
                change: { [weak self] object, element, new in
                    self?.withObserver { change($0, object, element, new) }
                },
                arrival: arrival.map { arrival in
                    { [weak self] object, element in self?.withObserver { arrival($0, object, element) } }
                },
                departure: departure.map { departure in
                    { [weak self] object, element in self?.withObserver { departure($0, object, element) } }
                }))
        let request = RegistrationRequest(
            options, observer: name, isolation: isolation, fileID, line, notifier: { _ in })
        var begin: (() -> Void)?
        let isNew = registrations.add(
            object, at: { Registering.identity(ofAny: collection, on: object) }, ofEach: keyPath, request,
            retaining: object === observer ? nil : object
        ) {
            let recorded = object.record(each, at: collection, elements)
            begin = recorded.begin
            return recorded.observation
        }
        if isNew { begin?() }
    }
}
