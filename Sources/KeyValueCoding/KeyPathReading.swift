// Evaluating a key path that is a string.
import KeyValueObserving

/// One evaluation of a key path such as `address.city` or `orders.@sum.price`.
struct KeyPathReading {
    /// The whole key path.
    let text: String
    /// Whether a key after an array or a set is refused, as Cocoa refuses it where a key path is observed.
    var refusesCollections = false

    /// The value at the key path.
    func value(from object: any KeyValueCodable) throws -> Any? {
        try KeyValueCodingError.checkLength(of: text, from: type(of: object))
        return try value(at: text[...], of: object)
    }

    /// The value at the part of the key path before `end`.
    func value(from object: any KeyValueCodable, upTo end: String.Index) throws -> Any? {
        try KeyValueCodingError.checkLength(of: text, from: type(of: object))
        return try value(at: text[..<end], of: object)
    }

    private func value(at path: Substring, of receiver: Any?) throws -> Any? {
        guard let receiver else { return nil }
        let (component, rest) = Self.split(path)
        guard component.hasPrefix("@") else {
            let next = try value(forKey: String(component), of: receiver)
            return try rest.map { try value(at: $0, of: next) } ?? next
        }
        let collectionOperator = try CollectionOperator(component, of: type(of: receiver))
        guard rest != "" else { throw KeyValueCodingError.emptyKeyPath(text, of: receiver) }
        let reading = Self(text: text)
        return try collectionOperator.value(of: receiver, path: String(rest ?? "")) { element, path in
            path.isEmpty ? flattened(element) : try reading.value(at: path[...], of: flattened(element))
        }
    }

    private func value(forKey key: String, of receiver: Any?) throws -> Any? {
        switch receiver {
        case nil: return nil
        case let object as any KeyValueCodable:
            guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(text, of: object) }
            return try object.value(forKey: key)
        case let dictionary as any CodedDictionary where type(of: dictionary).takesStringKeys:
            return dictionary.codedValue(forKey: key)
        case let collection as any CodedCollection where !refusesCollections:
            guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(text, of: collection) }
            return try collection.answer(
                from: collection.codedElements.map { try value(forKey: key, of: $0) }, forKey: key)
        case let other?:
            guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(text, of: other) }
            throw other is any CodedCollection
                ? KeyValueCodingError.throughElements(key, of: type(of: other))
                : KeyValueCodingError.withoutKeys(key, of: type(of: other))
        }
    }

    /// The first component of a key path and what follows the dot after it, if there is one.
    static func split(_ path: Substring) -> (component: Substring, rest: Substring?) {
        guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
        return (path[..<dot], path[path.index(after: dot)...])
    }
}
