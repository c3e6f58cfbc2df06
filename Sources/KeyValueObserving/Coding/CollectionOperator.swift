// The operators of key paths: what they are, and what each needs.

/// An operator of a key path, such as the `@sum` of `orders.@sum.price`.
///
/// Names and results are Cocoa's ("Apple's Key-Value Coding Programming Guide", Using Collection Operators). The
/// collection is what stands on the operator's left. What stands on its right is read from each element, and may have
/// operators of its own; `self` there is the element.
///
/// Arrays, sets and all other collections will do, strings excepted. Of a dictionary only `@count` can be asked.
enum CollectionOperator: String, CaseIterable {
    /// How many elements there are, nil ones included. Anything on the right is ignored.
    case count = "@count"
    /// The sum, in which nil counts as 0.
    case sum = "@sum"
    /// The sum divided by the number of elements, nil ones included.
    case average = "@avg"
    /// The smallest value, nil ones left out.
    case minimum = "@min"
    /// The greatest value, nil ones left out.
    case maximum = "@max"
    /// The values as an array, nil ones left out.
    case unionOfObjects = "@unionOfObjects"
    /// The values, each once.
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    /// The values of the elements of all collections in an array, nil ones left out.
    case unionOfArrays = "@unionOfArrays"
    /// The values of the elements of all collections in a collection, each once.
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    /// The values of the elements of all sets in a collection, as a set.
    case distinctUnionOfSets = "@distinctUnionOfSets"

    /// Finds the operator that a component of a key path names.
    ///
    /// - Parameters:
    ///   - component: The component, which begins with `@`.
    ///   - receiver: The type of what stands on its left, for the error.
    /// - Throws: `KeyValueCodingError` with code `invalidOperator` if there is none of that name.
    init(_ component: Substring, of receiver: Any.Type) throws {
        guard let known = Self(rawValue: String(component)) else {
            throw KeyValueCodingError(
                code: .invalidOperator, key: String(component), objectType: receiver,
                nearKeys: NearKeys.of(String(component), among: Self.allCases.map(\.rawValue)))
        }
        self = known
    }

    /// Applies the operator.
    ///
    /// Linear in the number of elements.
    ///
    /// - Parameters:
    ///   - collection: What stands on the operator's left.
    ///   - path: What stands on its right, or nothing.
    ///   - valueAtPath: Reads `path` from an element, which may be nil.
    /// - Returns: The result; nil for the average, the minimum and the maximum of nothing.
    /// - Throws: `KeyValueCodingError` with one of these codes, and whatever `valueAtPath` throws. `notACollection`:
    ///   the operator needs another kind of collection, or collections within it. `invalidOperator`: it does not work
    ///   on this kind of collection, or nothing stands on its right. `typeMismatch`: a value cannot be added, compared
    ///   or hashed.
    func value(
        of collection: Any, path: String, valueAtPath: (Any?, String) throws -> Any?
    ) throws -> Any? {
        guard let receiver = OperatorReceiver(collection) else {
            throw KeyValueCodingError(code: .notACollection, key: rawValue, objectType: type(of: collection))
        }
        if self == .count { return receiver.count }
        guard !path.isEmpty, works(on: receiver) else {
            throw KeyValueCodingError(code: .invalidOperator, key: rawValue, objectType: type(of: collection))
        }
        let read: (Any?) throws -> Any? = {
            path == "self" ? $0 : OperatorReceiver.bare(try valueAtPath($0, path))
        }
        do {
            return try apply(to: receiver, reading: read)
        } catch let refusal as Refusal {
            throw KeyValueCodingError(code: refusal.code, key: "\(rawValue).\(path)", objectType: refusal.type)
        }
    }

    /// Why an operator cannot use a value, until the key path is added.
    struct Refusal: Error {
        let code: KeyValueCodingError.Code
        let type: Any.Type

        init(_ code: KeyValueCodingError.Code, _ value: Any) {
            self.code = code
            type = Swift.type(of: value)
        }
    }

    /// Whether the operator takes this kind of collection.
    ///
    /// A set cannot hold what a plain union keeps, the values that come twice.
    private func works(on receiver: OperatorReceiver) -> Bool {
        switch receiver.kind {
        case .array: true
        case .set: self != .unionOfObjects && self != .unionOfArrays
        case .dictionary: self == .count
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
        case .unionOfArrays: try Self.members(of: receiver).compactMap(read)
        case .distinctUnionOfObjects: try Self.distinct(receiver.elements.compactMap(read), like: receiver.kind)
        case .distinctUnionOfArrays: try Self.distinct(Self.members(of: receiver).compactMap(read), like: receiver.kind)
        case .distinctUnionOfSets:
            try Self.distinct(Self.members(of: receiver, being: .set).compactMap(read), like: .set)
        }
    }
}
