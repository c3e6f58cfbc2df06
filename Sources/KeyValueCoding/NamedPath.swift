// A key path that was given as a string, as something that can be observed.
import KeyValueObserving

/// The key path that a string stands for.
///
/// Where the tables of the classes on the way give the types, it is the typed key path that one would write in its
/// place, and changes of it are the same. Otherwise it is the key path of a subscript that evaluates the string.
class NamedPath {
    let keyPath: AnyKeyPath
    /// The key paths that it was put together from.
    let parts: [AnyKeyPath]

    fileprivate init(_ keyPath: AnyKeyPath, parts: [AnyKeyPath]?) {
        self.keyPath = keyPath
        self.parts = parts ?? [keyPath]
    }

    /// The type of the value, without an optional around it.
    var valueType: Any.Type { preconditionFailure("a subclass knows the types") }

    /// Whether values of it can be compared.
    var isComparable: Bool { preconditionFailure("a subclass knows the types") }

    /// Whether changes of it can be seen: reading it touches an observed property, or the class declares it.
    func isObservable(on object: AnyObject) -> Bool { preconditionFailure("a subclass that knows the types reads") }

    /// Registers a handler on an object, which is one that the key path starts at.
    func observe(
        _ object: AnyObject, _ registration: NamedRegistration,
        _ handler: @escaping (AnyObject, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation { preconditionFailure("a subclass that knows the types registers") }

    /// Registers a controller's handler on an object, which is one that the key path starts at.
    func observe<Observer>(
        _ object: AnyObject, in controller: KVOController<Observer>, _ registration: NamedRegistration,
        _ handler: @escaping (Observer, AnyObject, KeyValueObservedChange<Any>) -> Void
    ) { preconditionFailure("a subclass that knows the types registers") }

    /// The path that continues with this one where `head` ends.
    ///
    /// - Parameters:
    ///   - head: What comes before it.
    ///   - parts: The key paths that `head` was put together from.
    /// - Returns: The whole path.
    func appended<Root: KeyValueObservable, Middle>(
        to head: KeyPath<Root, Middle>, parts: [AnyKeyPath]
    ) -> NamedPath {
        preconditionFailure("a subclass that knows the types appends")
    }

    /// The path that continues with `next` where this one ends.
    func appending(_ next: NamedPath) -> NamedPath { preconditionFailure("a subclass that knows the types appends") }

    /// The path of a property of a class's table; nil if that is declared by a class that cannot be observed.
    static func of(_ property: CodedProperty) -> NamedPath? {
        let keyPath = property.keyPath
        func openRoot<Root: KeyValueObservable>(_: Root.Type) -> NamedPath? {
            func openValue<Value>(_: Value.Type) -> NamedPath? {
                (keyPath as? KeyPath<Root, Value>).map { TypedNamedPath($0) }
            }
            return _openExistential(type(of: keyPath).valueType, do: openValue)
        }
        return (type(of: keyPath).rootType as? any KeyValueObservable.Type).flatMap { openRoot($0) }
    }

    /// The path that evaluates a string on an object.
    static func evaluating(_ text: String, on object: some KeyValueCodable) -> NamedPath {
        TypedNamedPath(rootedAt: object, text)
    }
}

/// A path whose types are known.
private final class TypedNamedPath<Root: KeyValueObservable, Value>: NamedPath {
    private let typedKeyPath: KeyPath<Root, Value>

    init(_ keyPath: KeyPath<Root, Value>, parts: [AnyKeyPath]? = nil) {
        typedKeyPath = keyPath
        super.init(keyPath, parts: parts)
    }

    convenience init(rootedAt _: Root, _ text: String) where Root: KeyValueCodable, Value == Any? {
        self.init(\Root.[valueAtKeyPath: text])
    }

    override var valueType: Any.Type { (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self }

    override var isComparable: Bool { Equality<Value>() != nil }

    override func isObservable(on object: AnyObject) -> Bool {
        RegistrationTarget.isObservable(typedKeyPath, of: root(object))
    }

    override func observe(
        _ object: AnyObject, _ registration: NamedRegistration,
        _ handler: @escaping (AnyObject, KeyValueObservedChange<Any>) -> Void
    ) -> KeyValueObservation {
        root(object).register(typedKeyPath, parts: parts, registration) { handler($0, $1) }
    }

    override func observe<Observer>(
        _ object: AnyObject, in controller: KVOController<Observer>, _ registration: NamedRegistration,
        _ handler: @escaping (Observer, AnyObject, KeyValueObservedChange<Any>) -> Void
    ) {
        controller.register(root(object), typedKeyPath, parts: parts, registration) { handler($0, $1, $2) }
    }

    override func appended<Start: KeyValueObservable, Middle>(
        to head: KeyPath<Start, Middle>, parts heads: [AnyKeyPath]
    ) -> NamedPath {
        let parts = heads + parts
        if let head = head as? KeyPath<Start, Root> {
            return TypedNamedPath<Start, Value>(head.appending(path: typedKeyPath), parts: parts)
        }
        guard Middle.self is any OptionalValue.Type else {
            return TypedNamedPath<Start, Value>(\Start.[head, inherited: typedKeyPath], parts: parts)
        }
        func flatten<Wrapping: OptionalValue>(_: Wrapping.Type) -> NamedPath? {
            (typedKeyPath as? KeyPath<Root, Wrapping.Wrapped?>).map {
                TypedNamedPath<Start, Wrapping.Wrapped?>(\Start.[head, flattening: $0], parts: parts)
            }
        }
        return (Value.self as? any OptionalValue.Type).flatMap { flatten($0) }
            ?? TypedNamedPath<Start, Value?>(\Start.[head, then: typedKeyPath], parts: parts)
    }

    override func appending(_ next: NamedPath) -> NamedPath { next.appended(to: typedKeyPath, parts: parts) }

    /// The object as what the key path starts at.
    private func root(_ object: AnyObject) -> Root {
        // The path comes from the table of the object's class, which made sure of it.
        unsafe unsafeDowncast(object, to: Root.self)
    }
}

extension KeyValueObservable {
    /// The value of a key path that starts where another one ends, at an object or nil.
    fileprivate subscript<Middle, Next: AnyObject, Value>(
        head: KeyPath<Self, Middle>, then next: KeyPath<Next, Value>
    ) -> Value? {
        guard let object = self[keyPath: head] as? Next else { return nil }
        return object[keyPath: next]
    }

    /// The same where the value is an optional, too.
    fileprivate subscript<Middle, Next: AnyObject, Value>(
        head: KeyPath<Self, Middle>, flattening next: KeyPath<Next, Value?>
    ) -> Value? {
        guard let object = self[keyPath: head] as? Next else { return nil }
        return object[keyPath: next]
    }

    /// The same where the other one ends at an object of a class that inherits from the first one's.
    fileprivate subscript<Middle, Next: AnyObject, Value>(
        head: KeyPath<Self, Middle>, inherited next: KeyPath<Next, Value>
    ) -> Value {
        let object = unsafe unsafeDowncast(self[keyPath: head] as AnyObject, to: Next.self)
        return object[keyPath: next]
    }
}
