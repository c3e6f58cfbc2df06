// Encoding changes for other processes, such as JSON lines.

private enum CodingKeys: String, CodingKey { case name, kind, old, new, positions, steps, isPrior }

extension KeyValueObservedChange: Encodable {
    /// Encodes the name and the kind, and the values and positions that the change has.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// let encoder = JSONEncoder()
    /// encoder.outputFormatting = .sortedKeys
    /// let observation = person.observe(\.age, options: [.old, .new]) { _, change in
    ///     print(String(decoding: try! encoder.encode(change), as: UTF8.self))
    /// }
    /// person.age = 18     // {"kind":"setting","name":"age","new":18,"old":0}
    /// ```
    ///
    /// A nil value is encoded as null; one that was not requested is left out. ``positions`` are included for changes
    /// of elements in an ordered collection, `isPrior` only if it is true, and ``steps`` if there are any.
    ///
    /// - Throws: `EncodingError.invalidValue` if a value is not `Encodable`, and any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode("\(kind)", forKey: .kind)
        if let oldValue { try encode(oldValue, forKey: .old, in: &container) }
        if let newValue { try encode(newValue, forKey: .new, in: &container) }
        if indexes != nil { try container.encode(positions, forKey: .positions) }
        if !steps.isEmpty { try container.encode(steps, forKey: .steps) }
        if isPrior { try container.encode(true, forKey: .isPrior) }
    }

    /// Encodes a value whose type may be known only at run time, as for one of several key paths.
    private func encode(
        _ value: Value, forKey key: CodingKeys, in container: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        guard let contents = flattened(value) else { return try container.encodeNil(forKey: key) }
        if let contents = contents as? any Encodable { return try container.encode(contents, forKey: key) }
        throw EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: container.codingPath + [key],
                debugDescription: """
                    The \(key.rawValue) value of \(name) is a \(TypeName.of(contents)), which is not Encodable. Make it that, or \
                    encode change.name and what you need of the value.
                    """))
    }
}

extension KeyValueObservedChange: Decodable where Value: Decodable {
    /// Decodes a change that ``encode(to:)`` wrote, in this process or another one, to be applied to a copy of the
    /// value.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// let line = Data(#"{"kind":"insertion","name":"tags","new":["x"],"positions":[0]}"#.utf8)
    /// var copy = ["y"]
    /// try! JSONDecoder().decode(KeyValueObservedChange<[String]>.self, from: line).apply(to: &copy)
    /// print(copy)     // prints "["x", "y"]"
    /// ```
    ///
    /// Its ``name`` is the one that was written, and its ``keyPath`` is that of the value itself, `\Value.self`.
    ///
    /// - Throws: `DecodingError` if something is missing or of another kind, or if the number of positions and that of the
    ///   elements differ.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value(_ key: CodingKeys) throws -> Value? {
            container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
        }
        func fail(_ key: CodingKeys, _ reason: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
        }
        let name = try container.decode(String.self, forKey: .kind)
        guard let kind = KeyValueChange(named: name) else {
            throw fail(.kind, "\(name) is no kind of change: it is setting, insertion, removal, or replacement.")
        }
        let (old, new) = (try value(.old), try value(.new))
        let positions = try container.decodeIfPresent([Int].self, forKey: .positions)
        let indexes = positions.flatMap { RangeSet(positions: $0) }
        guard (indexes == nil) == (positions == nil) else {
            throw fail(.positions, "Positions are different and not negative.")
        }
        for elements in [kind == .insertion ? nil : old, kind == .removal ? nil : new] {
            if let count = positions?.count, let elements = flattened(elements) as? any Collection,
                elements.count != count
            {
                throw fail(.positions, "There are \(count) positions for \(elements.count) elements.")
            }
        }
        self.init(
            kind: kind, oldValue: old, newValue: new, indexes: indexes,
            steps: try container.decodeIfPresent([Self].self, forKey: .steps) ?? [],
            isPrior: try container.decodeIfPresent(Bool.self, forKey: .isPrior) ?? false,
            origin: DecodedKeyPath(\Value.self, named: try container.decode(String.self, forKey: .name)))
    }
}

/// The key path of a decoded change, with the encoded name.
private final class DecodedKeyPath: ChangeKeyPath {
    private let writtenName: String

    init(_ keyPath: AnyKeyPath, named name: String) {
        writtenName = name
        super.init(keyPath: keyPath)
    }

    override var text: String? { writtenName }
}

extension KeyValueChange {
    /// Creates the kind with an encoded name.
    package init?(named name: String) {
        let kinds = [Self.setting, .insertion, .removal, .replacement]
        guard let kind = kinds.first(where: { "\($0)" == name }) else { return nil }
        self = kind
    }
}

extension RangeSet<Int> {
    /// Creates a set of encoded positions; nil if one is negative or a duplicate.
    package init?(positions: [Int]) {
        guard Set(positions).count == positions.count, positions.allSatisfy({ $0 >= 0 && $0 < .max }) else {
            return nil
        }
        self.init(positions.map { $0..<$0 + 1 })
    }
}
