// Changes for others to read: JSON lines, for one.

extension KeyValueObservedChange: Encodable where Value: Encodable {
    private enum CodingKeys: String, CodingKey { case name, kind, old, new, indexes, isPrior }

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
    /// `isPrior` is there only where it is true.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode("\(kind)", forKey: .kind)
        if let oldValue { try container.encode(oldValue, forKey: .old) }
        if let newValue { try container.encode(newValue, forKey: .new) }
        if let indexes { try container.encode(indexes.ranges.flatMap { Array($0) }, forKey: .indexes) }
        if isPrior { try container.encode(true, forKey: .isPrior) }
    }
}
