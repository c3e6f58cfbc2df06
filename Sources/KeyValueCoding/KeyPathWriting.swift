// Setting the value at a key path that is a string.
import KeyValueObserving

/// One assignment through a key path such as `address.city` or `settings.width`.
struct KeyPathWriting {
    /// The whole key path.
    let text: String
    let value: Any?

    /// Sets the value.
    func run(on object: any KeyValueCodable) throws {
        try KeyValueCodingError.checkLength(of: text, from: type(of: object))
        _ = try set(at: text[...], of: object)
    }

    /// Sets the value, starting at `receiver`.
    ///
    /// - Returns: The replacement of the receiver, if the receiver is a value; nil if it was changed in place.
    private func set(at path: Substring, of receiver: Any) throws -> Any? {
        let (component, rest) = KeyPathReading.split(path)
        let key = String(component)
        guard !component.hasPrefix("@") else {
            throw KeyValueCodingError.operatorIsNotSet(key, of: type(of: receiver))
        }
        switch receiver {
        case let object as any KeyValueCodable:
            guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(text, of: receiver) }
            try set(key, rest, of: object)
            return nil
        case let dictionary as any CodedDictionary where type(of: dictionary).takesStringKeys:
            return try set(key, rest, of: dictionary)
        case let collection as any CodedCollection:
            return try set(at: path, ofElementsOf: collection)
        default:
            guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(text, of: receiver) }
            throw KeyValueCodingError.withoutKeys(key, of: type(of: receiver))
        }
    }

    private func set(_ key: String, _ rest: Substring?, of object: any KeyValueCodable) throws {
        guard let rest else { return try object.setValue(value, forKey: key) }
        guard let next = try object.value(forKey: key), let replaced = try set(at: rest, of: next) else { return }
        try object.setValue(replaced, forKey: key)
    }

    private func set(_ key: String, _ rest: Substring?, of dictionary: any CodedDictionary) throws -> Any? {
        var new = value
        if let rest {
            guard let next = dictionary.codedValue(forKey: key), let replaced = try set(at: rest, of: next) else {
                return nil
            }
            new = replaced
        }
        guard let replaced = dictionary.replacing(key, with: new) else {
            throw KeyValueCodingError.typeMismatch(
                new, at: key, of: type(of: dictionary), wanted: type(of: dictionary).valueType)
        }
        return replaced
    }

    private func set(at path: Substring, ofElementsOf collection: any CodedCollection) throws -> Any? {
        var isReplaced = false
        let elements = try collection.codedElements.map { element -> Any? in
            guard let element, let replaced = try set(at: path, of: element) else { return element }
            isReplaced = true
            return replaced
        }
        guard isReplaced else { return nil }
        guard let replaced = collection.replacing(with: elements) else {
            throw KeyValueCodingError(
                code: .typeMismatch, key: String(path), objectType: type(of: collection))
        }
        return replaced
    }
}
