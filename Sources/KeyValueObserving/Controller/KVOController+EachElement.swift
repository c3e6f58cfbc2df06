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
    /// Which objects are observed and when handlers are called is as for
    /// ``KeyValueObservable/observe(eachOf:_:options:fileID:line:changeHandler:arrival:departure:)-(KeyPath<Self,Elements>,_,_,_,_,_,_,_)``, and so are order,
    /// threads and traps. The observation ends with this controller, the observer or the object, or with `unobserve` of
    /// the object or of the collection's key path. ``DuplicatePolicy`` decides if the same property of the elements of the
    /// same collection is observed already; observing the collection itself is no duplicate of that.
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
        register(
            object, collection, keyPath, options, isolation: changeHandler.isolation, fileID, line,
            handlers(
                ActionHandler(changeHandler).call, arrival: arrival.map { ActionHandler($0).call },
                departure: departure.map { ActionHandler($0).call })
        ) { Array($0) }
    }

    /// Observes each element of a collection that may be nil, such as one at the end of a path through optionals.
    ///
    /// With nil there are no objects. See
    /// ``observe(_:eachOf:_:options:fileID:line:changeHandler:arrival:departure:)-(_,KeyPath<Object,Elements>,_,_,_,_,_,_,_)`` for all else.
    public func observe<Object: KeyValueObservable, Elements: Collection, Value>(
        _ object: Object?, eachOf collection: KeyPath<Object, Elements?>, _ keyPath: KeyPath<Elements.Element, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler:
            @escaping @isolated(any) (
                Observer, Object, Elements.Element, KeyValueObservedChange<Value>
            ) -> Void,
        arrival: (@isolated(any) (Observer, Object, Elements.Element) -> Void)? = nil,
        departure: (@isolated(any) (Observer, Object, Elements.Element) -> Void)? = nil
    ) where Elements.Element: KeyValueObservable {
        register(
            object, collection, keyPath, options, isolation: changeHandler.isolation, fileID, line,
            handlers(
                ActionHandler(changeHandler).call, arrival: arrival.map { ActionHandler($0).call },
                departure: departure.map { ActionHandler($0).call })
        ) { $0.map { Array($0) } ?? [] }
    }

    private typealias Handlers<Object: KeyValueObservable, Element: KeyValueObservable, Value> =
        EachElement<Object, Element, Value>.Handlers

    /// Handlers that are called with the observer, and retain neither that nor this controller.
    private func handlers<Object: KeyValueObservable, Element: KeyValueObservable, Value>(
        _ change: @escaping (Observer, Object, Element, KeyValueObservedChange<Value>) -> Void,
        arrival: ((Observer, Object, Element) -> Void)?, departure: ((Observer, Object, Element) -> Void)?
    ) -> Handlers<Object, Element, Value> {
        Handlers(
            change: { [weak self] object, element, new in
                self?.withObserver { change($0, object, element, new) }
            },
            arrival: arrival.map { arrival in
                { [weak self] object, element in self?.withObserver { arrival($0, object, element) } }
            },
            departure: departure.map { departure in
                { [weak self] object, element in self?.withObserver { departure($0, object, element) } }
            })
    }

    private func register<Object: KeyValueObservable, Elements, Element, Value>(
        _ object: Object?, _ collection: KeyPath<Object, Elements>, _ keyPath: KeyPath<Element, Value>,
        _ options: KeyValueObservingOptions, isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ handlers: Handlers<Object, Element, Value>, _ elements: @escaping (Elements) -> [Element]
    ) {
        guard let object, let observer else { return }
        let each = EachElement(
            of: object,
            EachElement.Request(
                keyPath, options, isolation: isolation, observer: TypeName.of(observer), fileID, line), handlers)
        let request = RegistrationRequest(
            options, observer: each.request.observer, isolation: isolation, fileID, line,
            notifier: { _ in })
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
