// Numbers and Bools that Foundation keeps in objects.
import KeyValueObserving

/// What is in an `NSNumber`, found without Foundation.
///
/// Values out of JSON and property lists are such objects. The library does not import Foundation; where a program does,
/// casts take the contents out. But a cast makes 1 of a boxed true, and true of a boxed 1. So a box is asked for its class
/// first: a `Bool` is boxed in a class of its own, and a cast in the other direction tells which. It is the same on
/// Apple's platforms.
enum BoxedNumber {
    case bool(Bool)
    /// An integer or a floating-point number.
    case number(any Numeric)
    /// A number of another kind, such as Foundation's decimal one, which only casts can take out.
    case other

    /// Opens a box; nil if the value is not such an object.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - target: What is needed. A floating-point number is taken out as one, which keeps the sign of zero.
    init?(_ value: Any, for target: Any.Type) {
        guard type(of: value) is AnyClass else { return nil }
        if Self.isBox(value, of: true), let bool = value as? Bool {
            self = .bool(bool)
        } else if let number = Self.number(in: value, for: target) {
            self = .number(number)
        } else if value as? Double != nil {
            self = .other
        } else {
            return nil
        }
    }

    /// What is in a box, or the value itself if it is not one, for what computes with numbers of any type.
    static func opened(_ value: Any) -> Any {
        switch BoxedNumber(value, for: Int.self) {
        case .bool(let bool): bool
        case .number(let number): number
        case .other, nil: value
        }
    }

    /// The number in a box, if it is an integer or may be taken out as the floating-point number that it is.
    private static func number(in value: Any, for target: Any.Type) -> (any Numeric)? {
        // A decimal number would be rounded.
        let double = isBoxedLike(1, value) || isBoxedLike(0.5, value) ? value as? Double : nil
        if target is any BinaryFloatingPoint.Type, let double { return double }
        return (value as? Int) ?? (value as? UInt64) ?? double
    }

    /// Whether an object is of the very class that a value is boxed in.
    private static func isBox(_ object: Any, of value: Any) -> Bool {
        func open<Class>(_: Class.Type) -> Bool {
            (value as? Class).map { type(of: $0 as AnyObject) == type(of: object) } ?? false
        }
        return _openExistential(type(of: object), do: open)
    }

    /// Whether an object is of the class that a value is boxed in, or one that this inherits from.
    private static func isBoxedLike(_ value: Any, _ object: Any) -> Bool {
        func open<Class>(_: Class.Type) -> Bool { value is Class }
        return _openExistential(type(of: object), do: open)
    }

    /// The contents as a value of a type; nil if they are not of that type or not exactly.
    func converted<Target>(from value: Any, to target: Target.Type) -> Target? {
        switch self {
        case .bool(let bool): target == Bool.self ? bool as? Target : nil
        case .number(let number): ExactNumber.convert(number, to: target)
        case .other: target == Bool.self || target is any BinaryFloatingPoint.Type ? nil : value as? Target
        }
    }
}
