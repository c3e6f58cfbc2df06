// What an observed property's wrapper conforms to when its value does, so that a class can synthesize the same.

extension Observed: Equatable where Value: Equatable {
    /// Whether two wrappers hold equal values.
    public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension Observed: Hashable where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Observed: Encodable where Value: Encodable {
    /// Encodes the value as if it were not wrapped: with the encoder's own strategies for dates, data and the like.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Observed: Decodable where Value: Decodable {
    /// Decodes a value that was encoded as if it were not wrapped.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional observed property; a key that is absent reads as nil, as for a plain property.
    public func decode<Value: Decodable>(
        _ type: Observed<Value?>.Type, forKey key: Key
    ) throws -> Observed<Value?> {
        Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Encodes an optional observed property; nil leaves the key out, as for a plain property.
    public mutating func encode<Value: Encodable>(_ property: Observed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.value, forKey: key)
    }
}

extension Observed: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value's description.
    public var description: String { String(describing: value) }

    /// The value's debug description.
    public var debugDescription: String { String(reflecting: value) }
}
