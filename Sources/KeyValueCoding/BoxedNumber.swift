// Numbers and Bools that Foundation boxes in objects.
import KeyValueObserving

/// The contents of an `NSNumber`, read without Foundation.
///
/// Values from JSON and property lists are such objects. The library does not import Foundation; in a program that
/// does, casts unbox the contents. But a cast converts a boxed true to 1, and a boxed 1 to true. The library therefore
/// checks the class of a box first: a `Bool` is boxed in a class of its own, which a cast in the other direction
/// reveals. Apple's platforms behave in the same way.
enum BoxedNumber {
    case bool(Bool)
    /// An integer or a floating-point number.
    case number(any Numeric)
    /// A number of another kind, such as Foundation's decimal one, which only casts can unbox.
    case other

    /// Opens a box; nil if the value is not such an object.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - target: The type needed. A floating-point number stays one, which keeps the sign of zero.
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

    /// The contents of a box, or the value itself if it is not one, for computing with numbers of any type.
    static func opened(_ value: Any) -> Any {
        switch BoxedNumber(value, for: Int.self) {
        case .bool(let bool): bool
        case .number(let number): number
        case .other, nil: value
        }
    }

    /// The number in a box, if it is an integer or a floating-point number; nil for a decimal fraction.
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
