// The operators that join values.

extension CollectionOperator {
    /// The elements of all collections in a collection; a nil one has none.
    static func members(of receiver: OperatorReceiver, being kind: OperatorReceiver.Kind? = nil) throws -> [Any?] {
        try receiver.elements.flatMap { element -> [Any?] in
            guard let element else { return [] }
            guard let inner = OperatorReceiver(element), inner.kind != .dictionary, kind == nil || inner.kind == kind
            else { throw Refusal(.notACollection, element) }
            return inner.elements
        }
    }

    /// The values, each once: as a set like the receiver, or in an array where each keeps its first place.
    ///
    /// Values are distinguished by `==`, and objects that have none by identity. As Cocoa's, equal numbers of different
    /// types are the same.
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
        guard let hashable = value as? any Hashable else { throw Refusal(.typeMismatch, value) }
        return AnyHashable(hashable)
    }

    /// What stands for an object that is not hashable, which a set could not hold.
    private static func identity(of value: Any) throws -> AnyHashable? {
        guard !(value is any Hashable), type(of: value) is AnyClass else { return nil }
        return AnyHashable(ObjectIdentifier(value as AnyObject))
    }
}
