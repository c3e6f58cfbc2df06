// Values that are described later, on another thread.
import KeyValueObserving

/// The part of a value that its description needs, without a reference to an object.
///
/// The tracer keeps the value of an unrecorded change in this form, because describing every value would cost too much.
/// It retains no object, and never causes a copy of a large collection or string at its next change.
enum HeldValue {
    /// No observer requested the value.
    case unasked
    /// The value may refer to an object, so another thread cannot describe it.
    case unheld
    case value(Any)
    /// The first elements of a collection, and its count.
    case start(Any, count: Int)
    case object(Any.Type, ObjectIdentifier)
    /// A collection of objects.
    case objects(Any.Type, count: Int)

    /// The size of the part of a string that is held, in bytes.
    private static let mostBytes = 1_024

    /// Holds a value of a kind; no code of users runs.
    init(_ value: Any?, _ kind: Kind, length: Int) {
        self = value.map { Self.held($0, kind, length) } ?? .unasked
    }

    private static func held(_ value: Any, _ kind: Kind, _ length: Int) -> HeldValue {
        switch kind {
        case .plain: return .value(value)
        case .string:
            guard let text = value as? String, text.utf8.count > mostBytes else { return .value(value) }
            return .value(String(text.prefix(length + 1)))
        case .optional(let wrapped):
            guard let content = (value as? any OptionalValue)?.content else { return .value("nil") }
            return held(content, wrapped, length)
        case .collection(let element):
            func open(_ values: some Collection) -> HeldValue {
                if case .object(let type) = element { return .objects(type, count: values.count) }
                if values.count <= ValueText.mostElements { return .value(value) }
                return .start(Array(values.prefix(ValueText.mostElements)), count: values.count)
            }
            return (value as? any Collection).map { open($0) } ?? .unheld
        case .object:
            let object = value as AnyObject
            return ValueText.isPlain(object) ? .object(Swift.type(of: object), ObjectIdentifier(object)) : .unheld
        case .unheld, .unknown: return .unheld
        }
    }

    /// The description; nil if nothing is known.
    func text(length: Int) -> ValueText? {
        switch self {
        case .unasked, .unheld: nil
        case .value(let value): ValueText(value, length: length)
        case .start(let values, let count): ValueText(values, count: count, length: length)
        case .object(let type, let identity):
            ValueText(KeyValueTrace.Object(typeName: TypeName.text(of: type), identity: identity), length: length)
        case .objects(let type, let count): ValueText(type, count: count, length: length)
        }
    }

    /// How values of a type are held.
    indirect enum Kind {
        /// Nothing in the value refers to an object.
        case plain
        case string
        case optional(Kind)
        case collection(of: Kind)
        case object(Any.Type)
        case unheld
        /// No value has been seen.
        case unknown

        /// The kind of a value, and of all others of its type.
        init(of value: Any?) {
            self = value.map { Kind(Swift.type(of: $0), inside: []) } ?? .unknown
        }

        private init(_ type: Any.Type, inside outer: [ObjectIdentifier]) {
            func open<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
            let inner = outer + [ObjectIdentifier(type)]
            func isPlain(_ type: Any.Type) -> Bool {
                // A type that contains values of its own type has them in a collection, which is being examined
                // already.
                outer.contains(ObjectIdentifier(type)) || Kind(type, inside: inner).isPlain
            }
            if type == String.self {
                self = .string
            } else if _openExistential(type, do: open) {
                self = .plain
            } else if let wrapped = (type as? any OptionalValue.Type)?.contentType {
                self = .optional(Kind(wrapped, inside: inner))
            } else if let elements = (type as? any CollectionValue.Type)?.elementTypes {
                if elements.count == 1, elements[0] is AnyClass, ValueText.isPlain(elements[0]) {
                    self = .collection(of: .object(elements[0]))
                } else {
                    self = elements.allSatisfy(isPlain) ? .collection(of: .plain) : .unheld
                }
            } else if type is AnyClass {
                self = .object(type)
            } else {
                let fields = StoredProperties.types(of: type)
                self = !fields.isEmpty && fields.allSatisfy(isPlain) ? .plain : .unheld
            }
        }

        private var isPlain: Bool {
            switch self {
            case .plain, .string: true
            case .optional(let content), .collection(let content): content.isPlain
            case .object, .unheld, .unknown: false
            }
        }
    }
}

/// An optional of any type.
private protocol OptionalValue {
    static var contentType: Any.Type { get }
    var content: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate static var contentType: Any.Type { Wrapped.self }
    fileprivate var content: Any? { self }
}

/// A collection whose values refer to nothing but its elements.
private protocol CollectionValue {
    static var elementTypes: [Any.Type] { get }
}

extension Array: CollectionValue {
    fileprivate static var elementTypes: [Any.Type] { [Element.self] }
}

extension Set: CollectionValue {
    fileprivate static var elementTypes: [Any.Type] { [Element.self] }
}

extension Dictionary: CollectionValue {
    fileprivate static var elementTypes: [Any.Type] { [Key.self, Value.self] }
}
