// The operators of key paths, and their requirements.
import KeyValueObserving

/// An operator of a key path, such as the `@sum` of `orders.@sum.price`.
///
/// Names and results are Cocoa's ("Apple's Key-Value Coding Programming Guide", Using Collection Operators). The key
/// path on the operator's left leads to the collection. The key path on its right is read from each element, and may
/// have operators of its own; `self` there is the element.
///
/// Operators apply to arrays, sets and all other collections except strings; only `@count` applies to a dictionary.
enum CollectionOperator: String, CaseIterable {
    /// The number of elements, including nil. Anything on the right is ignored.
    case count = "@count"
    /// The sum, in which nil counts as 0.
    case sum = "@sum"
    /// The sum divided by the number of elements, including nil.
    case average = "@avg"
    /// The smallest value, without nil.
    case minimum = "@min"
    /// The greatest value, without nil.
    case maximum = "@max"
    /// The values as an array, without nil.
    case unionOfObjects = "@unionOfObjects"
    /// The values, each once.
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    /// The values of the elements of all collections in an array, or the elements of all collections that the key path
    /// on the right reads from its elements; without nil.
    case unionOfArrays = "@unionOfArrays"
    /// The values of `@unionOfArrays`, each once, for any collection.
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    /// The values of `@distinctUnionOfArrays` for sets in a collection, as a set.
    case distinctUnionOfSets = "@distinctUnionOfSets"

    /// Finds the operator that a component of a key path names.
    ///
    /// - Parameters:
    ///   - component: The component, which begins with `@`.
    ///   - receiver: The type of the value on its left, for the error.
    /// - Throws: `KeyValueCodingError` with code `invalidOperator` if there is none of that name.
    init(_ component: Substring, of receiver: Any.Type) throws {
        guard let known = Self(rawValue: String(component)) else {
            let names = Self.allCases.map(\.rawValue)
            let nearKeys = NearKeys.of(String(component), among: names)
            let list = nearKeys.isEmpty ? ". The operators are \(names.joined(separator: ", "))" : ""
            throw KeyValueCodingError(
                code: .invalidOperator, key: String(component), objectType: receiver, nearKeys: nearKeys,
                explanation: "There is no operator \"\(component)\" to apply to \(receiver)\(list)")
        }
        self = known
    }

    /// Applies the operator.
    ///
    /// Linear in the number of elements.
    ///
    /// - Parameters:
    ///   - collection: The collection on the operator's left.
    ///   - path: The key path on its right, or an empty one.
    ///   - valueAtPath: Reads `path` from an element, which may be nil.
    /// - Returns: The result; nil for the average, the minimum and the maximum of an empty collection.
    /// - Throws: `KeyValueCodingError` with one of these codes, and whatever `valueAtPath` throws. `notACollection`:
    ///   the operator needs another kind of collection, or collections within it. `invalidOperator`: it does not work
    ///   on this kind of collection, or nothing stands on its right. `typeMismatch`: a value cannot be added, compared
    ///   or hashed.
    func value(
        of collection: Any, path: String, valueAtPath: (Any?, String) throws -> Any?
    ) throws -> Any? {
        guard let receiver = OperatorReceiver(collection) else {
            throw KeyValueCodingError(
                code: .notACollection, key: rawValue, objectType: type(of: collection),
                explanation: "\"\(rawValue)\" needs an array or a set, and was applied to \(GivenValue(collection))")
        }
        if self == .count { return receiver.count }
        if let obstacle = obstacle(on: receiver, path: path) {
            throw KeyValueCodingError(
                code: .invalidOperator, key: rawValue, objectType: type(of: collection),
                explanation:
                    "\"\(rawValue)\" cannot be applied to \(TypeName.of(collection)): \(obstacle)")
        }
        let read: (Any?) throws -> Any? = {
            path == "self" ? $0 : OperatorReceiver.bare(try valueAtPath($0, path))
        }
        do {
            return try apply(to: receiver, reading: read)
        } catch let refusal as Refusal {
            let key = "\(rawValue).\(path)"
            throw KeyValueCodingError(
                code: refusal.code, key: key, objectType: refusal.type,
                explanation: """
                    "\(key)" of \(TypeName.of(collection)) needs \(operands), and found \(refusal.value)
                    """)
        }
    }

    /// The reason that an operator cannot use a value, without the key path.
    struct Refusal: Error {
        let code: KeyValueCodingError.Code
        let type: Any.Type
        let value: GivenValue

        init(_ code: KeyValueCodingError.Code, _ value: Any) {
            self.code = code
            type = Swift.type(of: value)
            self.value = GivenValue(value)
        }
    }

    /// The reason that the operator cannot be applied; nil if it can.
    ///
    /// A set cannot hold the duplicates that a plain union keeps.
    private func obstacle(on receiver: OperatorReceiver, path: String) -> String? {
        switch (receiver.kind, self) {
        case (.dictionary, _): "of a dictionary only \(Self.count.rawValue) can be asked"
        case (.set, .unionOfObjects): "a set holds no value twice. Use \(Self.distinctUnionOfObjects.rawValue)"
        case (.set, .unionOfArrays): "a set holds no value twice. Use \(Self.distinctUnionOfArrays.rawValue)"
        default: path.isEmpty ? "it needs a key at its right, such as \(rawValue).self" : nil
        }
    }

    /// The operands of the operator, for messages.
    private var operands: String {
        switch self {
        case .sum, .average: "numbers of types that can be added"
        case .minimum, .maximum: "numbers, or values of one Comparable type"
        case .distinctUnionOfObjects: "Hashable values, or objects"
        case .unionOfArrays: "arrays or sets"
        case .distinctUnionOfArrays: "arrays or sets of Hashable values, or of objects"
        case .distinctUnionOfSets: "sets"
        case .count, .unionOfObjects: "values"
        }
    }

    private func apply(to receiver: OperatorReceiver, reading read: (Any?) throws -> Any?) throws -> Any? {
        switch self {
        case .count: receiver.count
        case .sum: try Self.sum(of: receiver.elements.map(read))
        case .average: try Self.average(of: receiver.elements.map(read))
        case .minimum: try Self.first(of: receiver.elements.compactMap(read)) { try Self.isLess($0, $1) }
        case .maximum: try Self.first(of: receiver.elements.compactMap(read)) { try Self.isLess($1, $0) }
        case .unionOfObjects: try receiver.elements.compactMap(read)
        case .unionOfArrays: try Self.members(of: receiver, reading: read)
        case .distinctUnionOfObjects: try Self.distinct(receiver.elements.compactMap(read), like: receiver.kind)
        case .distinctUnionOfArrays: try Self.distinct(Self.members(of: receiver, reading: read), like: receiver.kind)
        case .distinctUnionOfSets:
            try Self.distinct(Self.members(of: receiver, being: .set, reading: read), like: .set)
        }
    }
}

/// A collection whose elements are read without knowing their type.
struct OperatorReceiver {
    /// The kinds of collections that operators distinguish.
    enum Kind {
        case array
        case set
        case dictionary
    }

    let kind: Kind
    private let collection: any Collection

    /// Nil if the value is not a collection; text does not count as one.
    init?(_ value: Any) {
        guard let collection = value as? any Collection, !(value is any StringProtocol) else { return nil }
        self.collection = collection
        kind =
            if collection is any ExpressibleByDictionaryLiteral {
                .dictionary
            } else if collection is any SetAlgebra {
                .set
            } else {
                .array
            }
    }

    /// The number of elements.
    var count: Int { collection.count }

    /// The elements without optionals around them.
    var elements: [Any?] { Self.elements(of: collection) }

    private static func elements(of collection: some Collection) -> [Any?] {
        collection.map { bare($0) }
    }

    /// A value without the optionals and the type erasure around it.
    static func bare(_ value: Any?) -> Any? {
        guard let value = flattened(value) else { return nil }
        guard type(of: value) == AnyHashable.self, let erased = value as? AnyHashable else { return value }
        return bare(erased.base)
    }
}
