// Creating errors with the facts known at that time.
import KeyValueObserving

extension KeyValueCodingError {
    /// How many components a key path that is a string may have, because reading it nests as many calls.
    static let mostComponents = 1_000

    /// Refuses a key path with too many components.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - objectType: The type of the object that it starts at.
    /// - Throws: An error with code `keyPathTooLong`.
    static func checkLength(of keyPath: String, from objectType: Any.Type) throws {
        let count = keyPath.utf8.count { $0 == UInt8(ascii: ".") } + 1
        guard count > mostComponents else { return }
        throw KeyValueCodingError(
            code: .keyPathTooLong, key: "\(keyPath.prefix(40))…", objectType: objectType,
            explanation: """
                A key path for \(TypeName.text(of: objectType)) that begins with "\(keyPath.prefix(40))" has \(count) \
                components, and \(mostComponents) are the most. Read it in parts
                """)
    }

    /// The error for a key path with an empty component.
    static func emptyKeyPath(_ keyPath: String, of receiver: Any) -> KeyValueCodingError {
        KeyValueCodingError(code: .emptyKeyPath, key: keyPath, objectType: type(of: receiver))
    }

    /// The error for a value that is not of the type needed.
    static func typeMismatch(
        _ value: Any?, at key: String, of objectType: Any.Type, wanted: Any.Type
    ) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .typeMismatch, key: key, objectType: objectType,
            explanation: "\(described(objectType, has: wanted, at: key)), and \(GivenValue(value)) was given"
                + conversionRule(from: value, to: wanted))
    }

    /// The error for a value to insert into an array of another element type.
    static func elementMismatch(
        _ element: Any?, at key: String, of objectType: Any.Type, wanted: Any.Type
    ) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .typeMismatch, key: key, objectType: objectType,
            explanation: """
                \(objectType) has an array with elements of type \(wanted) at "\(key)", and \(GivenValue(element)) was \
                to be put into it\(conversionRule(from: element, to: wanted))
                """)
    }

    /// The error for nil as the value of a property that is not optional.
    static func nilForNonOptional(at key: String, of objectType: Any.Type, wanted: Any.Type) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .nilForNonOptional, key: key, objectType: objectType,
            explanation: "\(described(objectType, has: wanted, at: key)), which cannot be nil")
    }

    /// The error for a view of an array if the property has another type.
    static func notAnArray(at key: String, of objectType: Any.Type, found: Any.Type) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .notACollection, key: key, objectType: objectType,
            explanation: "\(described(objectType, has: found, at: key)), and a view of an array needs an array")
    }

    /// The error for a key of a value that has no keys.
    static func withoutKeys(_ key: String, of objectType: Any.Type) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .undefinedKey, key: key, objectType: objectType,
            explanation: "\(objectType) has no key \"\(key)\", for it is not a KeyValueCodable class")
    }

    /// The error for a key after an array or a set in a key path that is observed.
    static func throughElements(_ key: String, of objectType: Any.Type) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .undefinedKey, key: key, objectType: objectType,
            explanation: """
                \(objectType) has no key "\(key)" that can be observed, for a key path is not observed through the \
                elements of a collection. Observe the elements, or an operator such as "@count"
                """)
    }

    /// The error for an operator in a key path to set or validate.
    static func operatorIsNotSet(_ key: String, of objectType: Any.Type) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .invalidOperator, key: key, objectType: objectType,
            explanation: "\"\(key)\" of \(objectType) is an operator, and what operators give cannot be set")
    }

    /// A clause about an object's value for a key, such as `Person has an Int at "age"`.
    static func described(_ objectType: Any.Type, has type: Any.Type, at key: String) -> String {
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType
        let name = "\(wrapped ?? type)"
        let article = "AEIO".contains(name.prefix(1)) ? "an" : "a"
        return "\(objectType) has \(article) \(name)\(wrapped == nil ? "" : " or nil") at \"\(key)\""
    }

    /// A sentence about numbers, if it explains why a value was refused.
    private static func conversionRule(from value: Any?, to wanted: Any.Type) -> String {
        let wanted = (wanted as? any OptionalValue.Type)?.wrappedType ?? wanted
        guard let value = GivenValue.unboxed(value) else { return "" }
        let isNumber = value is any Numeric || BoxedNumber(value, for: wanted) != nil
        switch wanted {
        case is any Numeric.Type where type(of: value) == Bool.self: return ". A Bool is not treated as a number"
        case is any Numeric.Type where isNumber: return numberRule(from: BoxedNumber.opened(value), to: wanted)
        case is Bool.Type where isNumber: return ". A number is not treated as a Bool"
        default: return ""
        }
    }

    /// The reason that a number is not converted to a type of number.
    ///
    /// Types that are neither integers nor floating-point numbers accept whole numbers, but do not convert to others;
    /// see `ExactNumber`.
    private static func numberRule(from value: Any, to wanted: Any.Type) -> String {
        func isWhole<Number: BinaryFloatingPoint>(_ number: Number) -> Bool { number.rounded(.towardZero) == number }
        let isFloatingPoint = wanted is any BinaryFloatingPoint.Type
        switch value {
        case let number as any BinaryFloatingPoint where !isFloatingPoint && !(wanted is any BinaryInteger.Type):
            guard isWhole(number) else { return ". A \(wanted) is made of whole numbers only" }
        case is any BinaryInteger, is any BinaryFloatingPoint: break
        case is any Numeric: return ". A \(TypeName.of(value)) is not converted to another type of number"
        // A number in a box that only a cast can open.
        default:
            if isFloatingPoint { return ". A decimal number is not converted to a floating-point number" }
        }
        return ", which \(wanted) does not hold exactly"
    }
}

/// The description of a passed value: `"abc" of type String`, or `a value of type Place` if it has no short
/// description.
struct GivenValue: CustomStringConvertible {
    let description: String

    /// Longer texts are cut.
    private static let limit = 60

    init(_ value: Any?) {
        guard let value = Self.unboxed(value) else {
            description = "nil"
            return
        }
        // Describing a value may read observed properties, which are no dependencies.
        let text = Tracking.suspended { Self.text(of: value) }
        description = "\(text ?? "a value") of type \(TypeName.of(value))"
    }

    /// The value, with a boxed Bool unboxed, because the box prints like a number.
    static func unboxed(_ value: Any?) -> Any? {
        guard let value = OperatorReceiver.bare(value) else { return nil }
        if case .bool(let bool) = BoxedNumber(value, for: Bool.self) { return bool }
        return value
    }

    private static func text(of value: Any) -> String? {
        if value is any StringProtocol { return cut("\(value)", shown: \.debugDescription) }
        guard !(value is any Collection), let value = value as? any CustomStringConvertible else { return nil }
        return cut(value.description, shown: { $0 })
    }

    private static func cut(_ text: String, shown: (String) -> String) -> String {
        let start = text.prefix(limit)
        return start.endIndex == text.endIndex ? shown(text) : shown(start + "…")
    }
}
