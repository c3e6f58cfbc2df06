// Conditional conformances of the wrappers, so that a class with observed properties can synthesize its own.

/// A wrapper of an observed property: ``Observed`` or ``ObservedShared``.
public protocol _ObservedWrapper<Value>: CustomStringConvertible, CustomDebugStringConvertible {
    associatedtype Value

    init(wrappedValue: Value)

    var _value: Value { get }
}

extension Observed: _ObservedWrapper {
    /// The value, which is read without a report.
    public var _value: Value { value }
}

extension ObservedShared: _ObservedWrapper {
    /// The value, which is read without a report.
    public var _value: Value { storage.read { "A property" } }
}

extension _ObservedWrapper {
    /// The value's description.
    public var description: String { String(describing: _value) }

    /// The value's debug description.
    public var debugDescription: String { String(reflecting: _value) }
}

extension _ObservedWrapper where Value: Equatable {
    /// Whether two wrappers hold equal values.
    public static func == (left: Self, right: Self) -> Bool { left._value == right._value }
}

extension _ObservedWrapper where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(_value) }
}

extension _ObservedWrapper where Value: Encodable {
    /// Encodes the value as if it were not wrapped: with the encoder's own strategies for dates, data and the like.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(_value)
    }
}

extension _ObservedWrapper where Value: Decodable {
    /// Decodes a value that was encoded as if it were not wrapped.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Observed: Equatable where Value: Equatable {}
extension Observed: Hashable where Value: Hashable {}
extension Observed: Encodable where Value: Encodable {}
extension Observed: Decodable where Value: Decodable {}
extension ObservedShared: Equatable where Value: Equatable {}
extension ObservedShared: Hashable where Value: Hashable {}
extension ObservedShared: Encodable where Value: Encodable {}
extension ObservedShared: Decodable where Value: Decodable {}

extension KeyedDecodingContainer {
    /// Decodes an optional observed property; a key that is absent reads as nil, as for a plain property.
    public func decode<Wrapper: _ObservedWrapper<Value?> & Decodable, Value: Decodable>(
        _ type: Wrapper.Type, forKey key: Key
    ) throws -> Wrapper {
        Wrapper(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Encodes an optional observed property; nil leaves the key out, as for a plain property.
    public mutating func encode<Value: Encodable>(
        _ property: some _ObservedWrapper<Value?> & Encodable, forKey key: Key
    ) throws {
        try encodeIfPresent(property._value, forKey: key)
    }
}
