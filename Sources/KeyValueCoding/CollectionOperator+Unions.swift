// The operators that join values.
import KeyValueObserving

extension CollectionOperator {
    /// The values that a union of collections joins, without nil.
    ///
    /// An element that is a collection itself gives what is read from each of its elements. From an object or a
    /// dictionary a collection is read, which gives its elements. A nil among the elements, or instead of the collection,
    /// gives nothing.
    ///
    /// - Parameters:
    ///   - receiver: The collection that the operator is applied to.
    ///   - kind: The kind of collection needed; by default any but a dictionary.
    ///   - read: Reads the key path on the operator's right.
    /// - Returns: The values.
    /// - Throws: A refusal if a value is not such a collection, and any error that `read` throws.
    static func members(
        of receiver: OperatorReceiver, being kind: OperatorReceiver.Kind? = nil, reading read: (Any?) throws -> Any?
    ) throws -> [Any] {
        func collection(_ value: Any) -> OperatorReceiver? {
            OperatorReceiver(value).flatMap { $0.kind != .dictionary && (kind ?? $0.kind) == $0.kind ? $0 : nil }
        }
        return try receiver.elements.flatMap { element -> [Any] in
            guard let element else { return [] }
            if let inner = collection(element) { return try inner.elements.compactMap(read) }
            guard element is any KeyValueCodable || element is any CodedDictionary else {
                throw Refusal(.notACollection, element)
            }
            guard let value = try read(element) else { return [] }
            guard let inner = collection(value) else { throw Refusal(.notACollection, value) }
            return inner.elements.compactMap { $0 }
        }
    }

    /// The values, each once: as a set like the receiver, or in an array where each keeps its first place.
    ///
    /// Values are distinguished by `==`, and objects without it by identity. As in Cocoa, equal numbers of different
    /// types are the same. Boxed numbers are unboxed, because a boxed Bool would be equal to 0 or 1.
    static func distinct(_ values: [Any], like kind: OperatorReceiver.Kind) throws -> Any {
        if kind == .set {
            return Set(try values.map { try hashable($0) })
        }
        var seen: Set<AnyHashable> = []
        return try values.filter { value in
            seen.insert(try identity(of: value) ?? hashable(value)).inserted
        }
    }

    private static func hashable(_ value: Any) throws -> AnyHashable {
        guard let hashable = BoxedNumber.opened(value) as? any Hashable else { throw Refusal(.typeMismatch, value) }
        return AnyHashable(hashable)
    }

    /// The identity of an object that is not hashable, which a set could not hold.
    private static func identity(of value: Any) throws -> AnyHashable? {
        guard !(value is any Hashable), type(of: value) is AnyClass else { return nil }
        return AnyHashable(ObjectIdentifier(value as AnyObject))
    }
}
