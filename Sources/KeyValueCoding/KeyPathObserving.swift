// From a string to the key path that is observed for it.
import KeyValueObserving

/// Finds the key path that a string stands for when it is observed.
struct KeyPathObserving {
    /// The whole key path.
    let text: String

    /// The key path for an object, which is evaluated once to see whether all keys on the way are known.
    ///
    /// - Parameters:
    ///   - object: The object that is to be observed.
    ///   - options: What is asked for.
    /// - Returns: What to register.
    /// - Throws: ``KeyValueCodingError`` if a key that exists now is unknown, if nothing observable is read, or if values
    ///   that are to be compared cannot be.
    func path(from object: any KeyValueCodable, for options: KeyValueObservingOptions) throws -> NamedPath {
        _ = try Tracking.suspended {
            Result { try KeyPathReading(text: text, refusesCollections: true).value(from: object) }
        }.get()
        let path = try typedPath(from: object) ?? NamedPath.evaluating(text, on: object)
        guard path.isObservable(on: object) else {
            throw KeyValueCodingError(code: .notObservable, key: text, objectType: type(of: object))
        }
        if options.contains(.distinct), !path.isComparable {
            throw isNotComparable(path.valueType, of: object)
        }
        return path
    }

    /// The error for values of a type that `.distinct` cannot compare.
    func isNotComparable(_ valueType: Any.Type, of object: any KeyValueCodable) -> KeyValueCodingError {
        KeyValueCodingError(
            code: .typeMismatch, key: text, objectType: type(of: object),
            explanation: """
                \(TypeName.of(object)) cannot be observed at "\(text)" with .distinct: values of \
                \(TypeName.text(of: valueType)) cannot be compared
                """)
    }

    /// The key path as it would be registered, if it was; nothing is evaluated.
    func knownKeyPath(from object: any KeyValueCodable) -> AnyKeyPath {
        ((try? typedPath(from: object)) ?? NamedPath.evaluating(text, on: object)).keyPath
    }

    /// The typed key path, if the tables of the classes on the way know all keys.
    ///
    /// A collection on the way is refused where its type is known, even if it is nil now.
    private func typedPath(from object: any KeyValueCodable) throws -> NamedPath? {
        try KeyValueCodingError.checkLength(of: text, from: type(of: object))
        var path: NamedPath?
        for component in text.split(separator: ".", omittingEmptySubsequences: false) {
            let key = String(component)
            guard !key.hasPrefix("@") else { return nil }
            let owner = path?.valueType ?? type(of: object)
            guard !(owner is any CodedCollection.Type) else {
                throw KeyValueCodingError.throughElements(key, of: owner)
            }
            guard let owner = owner as? any KeyValueCodable.Type, let property = KeyTable.of(owner).readable(key),
                let next = NamedPath.of(property)
            else { return nil }
            path = path?.appending(next) ?? next
        }
        return path
    }
}

extension KeyValueCodable {
    /// The value at a key path, for observers: nil where it cannot be evaluated.
    ///
    /// What is wrong is reported where the value is followed, which is once for each change.
    subscript(valueAtKeyPath path: String) -> Any? {
        do {
            return try KeyPathReading(text: path, refusesCollections: true).value(from: self)
        } catch {
            guard ThisThread.isTracking else { return nil }
            KeyValueDiagnostics.report(error, key: path, of: self)
            return nil
        }
    }
}
