// Changes for others to read: JSON lines, for one.

extension KeyValueObservedChange: Encodable {
    private enum CodingKeys: String, CodingKey { case name, kind, old, new, indexes, steps, isPrior }

    /// Encodes the name and the kind, and of the values and the indexes those that the change has.
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
    /// A value that is nil is null; one that was not asked for is left out. Indexes are the positions, in ascending order.
    /// `isPrior` is there only where it is true, and ``steps`` where there are some.
    ///
    /// - Throws: `EncodingError.invalidValue` if a value is not `Encodable`, and what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode("\(kind)", forKey: .kind)
        if let oldValue { try encode(oldValue, forKey: .old, in: &container) }
        if let newValue { try encode(newValue, forKey: .new, in: &container) }
        if let indexes { try container.encode(indexes.ranges.flatMap { Array($0) }, forKey: .indexes) }
        if !steps.isEmpty { try container.encode(steps, forKey: .steps) }
        if isPrior { try container.encode(true, forKey: .isPrior) }
    }

    /// Encodes a value whose type may be known only when the program runs, as that of one of several key paths is.
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
