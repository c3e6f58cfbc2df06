// The operators of key paths.

/// An operator of a key path such as `@count`.
enum CollectionOperator: String, CaseIterable {
    case count = "@count"

    /// Parses one component of a key path.
    ///
    /// - Parameters:
    ///   - component: The component, which begins with `@`.
    ///   - receiver: The type of what it is applied to.
    /// - Throws: ``KeyValueCodingError/Code/invalidOperator``, with the operators that resemble an unknown one.
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
    /// - Parameters:
    ///   - collection: What stands left of the operator.
    ///   - path: What stands right of it, or nothing.
    ///   - valueAtPath: Evaluates a path on an element.
    /// - Returns: The result.
    /// - Throws: ``KeyValueCodingError/Code/notACollection``, or what evaluating the path throws.
    func value(
        of collection: Any, path: String, valueAtPath: (_ element: Any?, _ path: String) throws -> Any?
    ) throws -> Any? {
        guard let collection = collection as? any Collection else {
            throw KeyValueCodingError(code: .notACollection, key: rawValue, objectType: type(of: collection))
        }
        return collection.count
    }
}
