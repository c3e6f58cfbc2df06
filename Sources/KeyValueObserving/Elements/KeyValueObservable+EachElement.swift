// Observing a property of each object in a collection.

extension KeyValueObservable {
    /// Calls a handler at every change of a property of each object in a collection, and when objects arrive and leave,
    /// as long as the returned observation lives.
    ///
    /// ```swift
    /// let observation = person.observe(eachOf: \.friends, \.name, options: .new) { person, friend, change in
    ///     print("\(friend.name) has a new name")
    /// } arrival: { person, friend in
    ///     print("\(friend.name) has come")
    /// } departure: { person, friend in
    ///     print("\(friend.name) has left")
    /// }
    /// ```
    ///
    /// An object is observed from its arrival, after the arrival handler, until it has left. One that is in the
    /// collection several times arrives once, and leaves with its last occurrence. Objects that are moved, or replaced
    /// by themselves, neither leave nor arrive. The collection may be an array, a set, or another collection, stored or
    /// computed, of this object or at the end of a path.
    ///
    /// The objects in the collection arrive before this call returns, in their order. With `.initial` the change
    /// handler is called for each object after its arrival.
    ///
    /// ### Order and threads
    ///
    /// All handlers are called on the thread that changes an object's property or the collection, before the change
    /// returns. For one change of the collection, departures come first. None of the three handlers is called while one
    /// of them runs. Changes by it, or by another thread meanwhile, are delivered when it has returned, unless the
    /// object has left by then. If a handler changes the collection, the rest of the arrivals and departures come
    /// before those of that change, and an object's arrival before its changes. In a transaction, objects arrive and
    /// leave at its end, except those that do both inside it; changes of an object before its arrival are not
    /// delivered. ``KeyValueObservation/ignoringChanges(_:)`` leaves out changes of the objects' property; the
    /// observation still follows arrivals and departures.
    ///
    /// ### Lifetime
    ///
    /// The observation ends with its token and with this object. It retains the handlers, and the objects as long as they
    /// are in the collection, but not this object.
    ///
    /// ### Traps
    ///
    /// A key path that reads nothing observable traps, the collection's at once, the elements' when the first one
    /// arrives. With `.distinct`, values that are not `Equatable` trap. A handler that belongs to an actor traps when a
    /// change is made outside the actor.
    ///
    /// - Complexity: O(*n*), where *n* is the number of elements concerned for a change of elements by a view, and the
    ///   number of elements before and after for a setting.
    public func observe<Elements: Collection, Value>(
        eachOf collection: KeyPath<Self, Elements>, _ keyPath: KeyPath<Elements.Element, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, Elements.Element, KeyValueObservedChange<Value>) -> Void,
        arrival: (@isolated(any) (Self, Elements.Element) -> Void)? = nil,
        departure: (@isolated(any) (Self, Elements.Element) -> Void)? = nil
    ) -> KeyValueObservation where Elements.Element: KeyValueObservable {
        observe(
            collection, { Array($0) }, .init(keyPath, options, isolation: changeHandler.isolation, fileID, line),
            .init(changeHandler, arrival, departure))
    }

    /// Observes each value of a dictionary, or each element of a collection that may be nil, such as one at the end of a
    /// path through optionals.
    ///
    /// Nil means no objects. Everything else is as for a collection.
    @_disfavoredOverload
    public func observe<Elements: _OtherElements, Value>(
        eachOf collection: KeyPath<Self, Elements>, _ keyPath: KeyPath<Elements._Object, Value>,
        options: KeyValueObservingOptions = [.old, .new], fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, Elements._Object, KeyValueObservedChange<Value>) -> Void,
        arrival: (@isolated(any) (Self, Elements._Object) -> Void)? = nil,
        departure: (@isolated(any) (Self, Elements._Object) -> Void)? = nil
    ) -> KeyValueObservation where Elements._Object: KeyValueObservable {
        observe(
            collection, \._objects, .init(keyPath, options, isolation: changeHandler.isolation, fileID, line),
            .init(changeHandler, arrival, departure))
    }

    private func observe<Elements, Element, Value>(
        _ collection: KeyPath<Self, Elements>, _ elements: @escaping (Elements) -> [Element],
        _ request: EachElement<Self, Element, Value>.Request, _ handlers: EachElement<Self, Element, Value>.Handlers
    ) -> KeyValueObservation {
        let (observation, begin) = record(EachElement(of: self, request, handlers), at: collection, elements)
        begin()
        return observation
    }

    /// Registers at the collection.
    func record<Elements, Element, Value>(
        _ each: EachElement<Self, Element, Value>, at collection: KeyPath<Self, Elements>,
        _ elements: @escaping (Elements) -> [Element]
    ) -> (observation: KeyValueObservation, begin: () -> Void) {
        let (request, link) = (each.request, EachElementLink(each))
        if request.options.contains(.distinct) {
            _ = Equality<Value>(
                of: PropertyNames.text(of: request.keyPath), in: self, request.fileID, request.line)
        }
        let token = KeyValueObservation(0, in: each)
        let (observation, begin) = record(
            .keyPath(collection),
            TypedRegistration<Self, Elements> { _, change in link.each?.follow(change, elements) },
            RegistrationRequest(
                [.initial, .old, .new], observer: request.observer, isolation: request.isolation, request.fileID,
                request.line, reentrant: true, notifier: { TypedRegistration<Self, Elements>.notify($0) }))
        each.note(observation)
        return (token, begin)
    }
}

/// Elements that `observe(eachOf:)` accepts besides a collection of objects.
public protocol _OtherElements {
    associatedtype _Object

    var _objects: [_Object] { get }
}

extension Array: _OtherElements {
    /// The elements.
    public var _objects: Self { self }
}

extension Set: _OtherElements {
    /// The members.
    public var _objects: [Element] { Array(self) }
}

extension Dictionary: _OtherElements {
    /// The values.
    public var _objects: [Value] { Array(values) }
}

extension Optional: _OtherElements where Wrapped: _OtherElements {
    /// The elements of the wrapped collection; none for nil.
    public var _objects: [Wrapped._Object] { map(\._objects) ?? [] }
}
