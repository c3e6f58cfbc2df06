// Converting a value of any type to the type of a property.
import KeyValueObserving

/// Makes values fit the types of properties.
enum ValueConversion {
    /// The value as a `Target`; nil if it cannot be converted exactly.
    ///
    /// An optional target takes what its wrapped type takes. Numbers convert if nothing is lost; a Bool is not treated
    /// as a number, in either direction. This also applies to values boxed by Foundation, and to the elements of
    /// collections.
    ///
    /// - Parameters:
    ///   - value: The value, neither nil nor an optional.
    ///   - target: The type needed.
    /// - Returns: The converted value, or nil.
    static func convert<Target>(_ value: Any, to target: Target.Type) -> Target? {
        if let optional = Target.self as? any OptionalValue.Type { return wrap(value, in: optional) }
        let value = type(of: value) == AnyHashable.self ? (value as? AnyHashable)?.base ?? value : value
        if type(of: value) == target { return value as? Target }
        guard target == Bool.self || target is any Numeric.Type else {
            return (value as? Target).flatMap { isFaithful(value, as: target) ? $0 : nil }
        }
        // If Foundation bridges, a cast converts values that are not numbers to numbers.
        if let boxed = BoxedNumber(value, for: target) { return boxed.converted(from: value, to: target) }
        return target == Bool.self ? nil : ExactNumber.convert(value, to: target)
    }

    /// Whether a cast preserves the elements of a collection, because a cast of boxed values may convert Bools to
    /// numbers.
    private static func isFaithful(_ value: Any, as target: Any.Type) -> Bool {
        switch (value, target) {
        case (let collection as any CodedCollection, let target as any CodedCollection.Type):
            collection.codedElements.allSatisfy { target.takes($0) }
        case (let dictionary as any CodedDictionary, let target as any CodedDictionary.Type):
            dictionary.codedKeys.allSatisfy { target.takes(key: $0) }
                && dictionary.codedValues.allSatisfy { target.takes($0) }
        default:
            true
        }
    }

    /// The nil of a type; nil if the type is not optional.
    static func none<Target>(of _: Target.Type) -> Target? {
        func open<Value: OptionalValue>(_: Value.Type) -> Target? { Value(wrapping: nil) as? Target }
        return (Target.self as? any OptionalValue.Type).flatMap { open($0) }
    }

    /// The value as a `Target`, with nil as the nil of that type; nil if it cannot be converted.
    static func convert<Target>(optional value: Any?, to target: Target.Type) -> Target? {
        flattened(value).map { convert($0, to: target) } ?? none(of: target)
    }

    /// All values as `Target`s; nil if one of them cannot be converted.
    static func convert<Target>(all values: [Any?], to target: Target.Type) -> [Target]? {
        let converted = values.compactMap { convert(optional: $0, to: target) }
        return converted.count == values.count ? converted : nil
    }

    private static func wrap<Target>(_ value: Any, in optional: any OptionalValue.Type) -> Target? {
        func open<Value: OptionalValue>(_: Value.Type) -> Target? {
            convert(value, to: Value.Wrapped.self).flatMap { Value(wrapping: $0) as? Target }
        }
        return open(optional)
    }
}
