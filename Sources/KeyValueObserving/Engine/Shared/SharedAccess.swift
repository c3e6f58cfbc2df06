// What the accessors of a shared property call, with the types of its class.

/// What the accessors of a shared property do where somebody observes the object.
@usableFromInline
enum SharedAccess {
    /// The property, for a message.
    @usableFromInline
    static func name<Object: KeyValueObservable, Value>(
        of storage: ReferenceWritableKeyPath<Object, ObservedShared<Value>>, in object: Object
    ) -> String {
        "\(PropertyNames.name(ofStorage: storage) ?? "A property") of a \(TypeName.of(object))"
    }

    @inlinable @inline(never)
    static func set<Object: KeyValueObservable, Value>(
        _ object: Object, _ wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        _ storage: () -> ReferenceWritableKeyPath<Object, ObservedShared<Value>>, to value: Value
    ) {
        let property = property(object, storage())
        property.watch { wrapped() }
        property.set(value)
        extendLifetime(object)
    }

    /// Begins an access in place.
    ///
    /// - Returns: The property, if somebody observes the object, and who is notified if nothing else is to be done.
    @usableFromInline
    static func begin<Object: KeyValueObservable, Value>(
        _ object: Object, _ shared: SharedStorage<Value>, _ wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        _ storage: () -> ReferenceWritableKeyPath<Object, ObservedShared<Value>>
    ) -> Assignment.Borrowed? {
        func isObserved() -> Bool { KeyValueRegistrar.isObserved(object.keyValueRegistrar.tableAddress) }
        if isObserved() {
            let property = property(object, storage())
            property.watch { wrapped() }
            return property.beginAccess { name(of: storage(), in: object) }
        }
        shared.beginAccess(
            keeping: { isFree in !isFree || isObserved() }, named: { name(of: storage(), in: object) })
        return nil
    }

    /// Ends an access in place.
    @usableFromInline
    static func end<Object: KeyValueObservable, Value>(
        _ recipients: Assignment.Borrowed?, _ object: Object, _ shared: SharedStorage<Value>,
        _ storage: () -> ReferenceWritableKeyPath<Object, ObservedShared<Value>>
    ) {
        if !shared.isAccessed { trapElsewhere(name(of: storage(), in: object)) }
        if recipients == nil, !shared.hasValueBefore { return shared.endAccess() }
        property(object, storage()).endAccess(recipients)
        extendLifetime(object)
    }

    private static func trapElsewhere(_ name: String) -> Never {
        fatalError(
            """
            A change of \(name) in place began on one thread and ends on another one, as where it is passed inout to an \
            asynchronous function. Its lock belongs to the first thread: copy the value, change the copy, and set the \
            property.
            """)
    }

    @inlinable
    static func property<Object: KeyValueObservable, Value>(
        _ object: Object, _ storage: ReferenceWritableKeyPath<Object, ObservedShared<Value>>
    ) -> SharedProperty<Value> {
        SharedProperty(
            storage: object[keyPath: storage].storage, property: .ofShared(object, storage: storage), object: object,
            table: object.keyValueRegistrar.tableAddress)
    }
}
