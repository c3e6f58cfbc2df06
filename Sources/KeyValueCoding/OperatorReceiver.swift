// What an operator of a key path is applied to.
import KeyValueObserving

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

    /// Nil if the value is no collection; text does not count as one.
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

    /// The elements, out of their optionals.
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
