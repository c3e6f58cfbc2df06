// Values of a key path that is a string, as values of one type.
import KeyValueObserving

/// Keeps values as a type that was asked for, which is `Sendable`.
struct NamedForm<Value, Kept: Sendable>: InboxForm {
    private let text: String
    private let objectType: Any.Type

    /// - Parameters:
    ///   - text: The key path as it was given.
    ///   - object: What is observed.
    init(text: String, of object: AnyObject) {
        self.text = text
        objectType = type(of: object)
    }

    /// The value; where one turns up that is of another type, nil, which is reported.
    func kept(_ value: Value) -> Kept {
        if let kept = Self.cast(value) { return kept }
        let error = KeyValueCodingError.typeMismatch(at: text, of: objectType, asked: Kept.self, given: value)
        guard let absent = Self.absent else { preconditionFailure("it was checked that all values fit: \(error)") }
        Tracking.suspended { KeyValueDiagnostics.handler(error) }
        return absent
    }

    var equality: Equality<Kept>? { Equality() }

    private static func cast(_ value: Value) -> Kept? {
        if let kept = value as? Kept, !(Kept.self is any OptionalValue.Type) { return kept }
        guard let value = flattened(value) else { return absent }
        return value as? Kept
    }

    /// Nil, if values that are kept may be nil.
    private static var absent: Kept? {
        func open<Wrapping: OptionalValue>(_: Wrapping.Type) -> Kept? { Wrapping(wrapping: nil) as? Kept }
        return (Kept.self as? any OptionalValue.Type).flatMap { open($0) }
    }

    /// Throws if values may be there that are of another type.
    ///
    /// What is evaluated by name may be anything: then the value that is there now is looked at, and nil stands for what
    /// does not fit later.
    func check(_ value: () -> Value) throws {
        let (given, wanted) = (Self.unwrapped(Value.self), Self.unwrapped(Kept.self))
        let (mayBeNil, takesNil) = (Value.self is any OptionalValue.Type, Kept.self is any OptionalValue.Type)
        if mayBeNil, !takesNil {
            throw KeyValueCodingError.mayBeNil(at: text, of: objectType, asked: Kept.self)
        }
        if given == Any.self {
            let value = value()
            guard Self.cast(value) == nil else { return }
            throw KeyValueCodingError.typeMismatch(at: text, of: objectType, asked: Kept.self, given: value)
        }
        guard Self.isSame(given, or: wanted) else {
            throw KeyValueCodingError.typeMismatch(at: text, of: objectType, asked: Kept.self, found: Value.self)
        }
    }

    private static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalValue.Type).map { unwrapped($0.wrappedType) } ?? type
    }

    /// Whether two types are the same, or the second is a superclass.
    private static func isSame(_ type: Any.Type, or other: Any.Type) -> Bool {
        func open<Other>(_: Other.Type) -> Bool { type is Other.Type }
        return _openExistential(other, do: open)
    }
}
