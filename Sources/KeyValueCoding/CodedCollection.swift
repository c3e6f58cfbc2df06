// Arrays, sets and dictionaries along a key path.
import KeyValueObserving

/// An array or a set, which passes each request to its elements.
protocol CodedCollection {
    /// Whether a value can be one of the elements.
    static func takes(_ element: Any?) -> Bool
    var codedElements: [Any?] { get }
    /// The answers of the elements; an array keeps nil, a set drops it.
    func answer(from values: [Any?], forKey key: String) throws -> Any
    /// The collection with other elements; nil if they are not of its elements' type.
    func replacing(with elements: [Any?]) -> Any?
}

extension CodedCollection where Self: Collection {
    static func takes(_ element: Any?) -> Bool {
        ValueConversion.convert(optional: element, to: Element.self) != nil
    }
}

extension CodedCollection where Self: RangeReplaceableCollection {
    var codedElements: [Any?] { map { flattened($0) } }

    func answer(from values: [Any?], forKey key: String) throws -> Any { values }

    func replacing(with elements: [Any?]) -> Any? {
        ValueConversion.convert(all: elements, to: Element.self).map { Self($0) }
    }
}

extension Array: CodedCollection {}
extension ArraySlice: CodedCollection {}
extension ContiguousArray: CodedCollection {}

extension Set: CodedCollection {
    var codedElements: [Any?] { map { flattened($0) } }

    func answer(from values: [Any?], forKey key: String) throws -> Any {
        try values.reduce(into: Set<AnyHashable>()) { answers, value in
            guard let value else { return }
            guard let hashable = value as? any Hashable else {
                throw KeyValueCodingError(
                    code: .typeMismatch, key: key, objectType: type(of: value),
                    explanation: """
                        "\(key)" of the elements of a \(Self.self) gives a set of Hashable values, and one is \
                        \(GivenValue(value))
                        """)
            }
            answers.insert(AnyHashable(hashable))
        }
    }

    func replacing(with elements: [Any?]) -> Any? {
        ValueConversion.convert(all: elements, to: Element.self).map { Set($0) }
    }
}

/// A dictionary of an unknown type.
protocol CodedDictionary {
    /// Whether its keys can be strings.
    static var takesStringKeys: Bool { get }
    static var valueType: Any.Type { get }
    /// Whether a value can be one of the keys.
    static func takes(key: Any) -> Bool
    /// Whether a value can be one of the values.
    static func takes(_ value: Any?) -> Bool
    var codedKeys: [Any] { get }
    var codedValues: [Any?] { get }
    func codedValue(forKey key: String) -> Any?
    /// The dictionary with another value for a key, or without the key if the value is nil; nil if the value is of
    /// another type.
    func replacing(_ key: String, with value: Any?) -> Any?
}

extension Dictionary: CodedDictionary {
    static var takesStringKeys: Bool { Key.self == String.self || Key.self == AnyHashable.self }

    static var valueType: Any.Type { Value.self }

    static func takes(key: Any) -> Bool { ValueConversion.convert(optional: key, to: Key.self) != nil }

    static func takes(_ value: Any?) -> Bool { ValueConversion.convert(optional: value, to: Value.self) != nil }

    var codedKeys: [Any] { Array(keys) }

    var codedValues: [Any?] { values.map { flattened($0) } }

    func codedValue(forKey key: String) -> Any? {
        (key as? Key).flatMap { flattened(self[$0]) }
    }

    func replacing(_ key: String, with value: Any?) -> Any? {
        guard let key = key as? Key else { return nil }
        var result = self
        if let value = flattened(value) {
            guard let converted = ValueConversion.convert(value, to: Value.self) else { return nil }
            result[key] = converted
        } else {
            result[key] = nil
        }
        return result
    }
}
