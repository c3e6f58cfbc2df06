// Reading, setting and validating through key paths that are strings.
import KeyValueObserving

extension KeyValueCodable {
    /// The value at a key path.
    ///
    /// Each component is applied to the result of the one before it. An object is read with ``value(forKey:)``, a
    /// dictionary by its key, and an array or a set element by element. The results of an array are an `[Any?]`, those
    /// of a set a `Set<AnyHashable>` without nil. The result for nil is nil. A component that begins with `@` is an
    /// operator, as in `orders.@sum.price`. It is applied to the collection at its left. The key path at its right is
    /// read from each element.
    ///
    /// - Parameter keyPath: Keys, separated by dots.
    /// - Returns: The value; nil if it is nil, or if a value on the way is.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, or an operator cannot be applied.
    public func value(forKeyPath keyPath: String) throws -> Any? {
        try KeyPathReading(text: keyPath).value(from: self)
    }

    /// Sets the value at a key path.
    ///
    /// All components but the last are read as ``value(forKeyPath:)`` reads them, and the last one is set as
    /// ``setValue(_:forKey:)`` sets it. A dictionary on the way is written back to the property that holds it, which is
    /// one change of that; nil removes its key. Of an array or a set, each element that is not nil is set. If a value
    /// on the way is nil, nothing is set and no error is thrown, as in Cocoa.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - keyPath: Keys, separated by dots; no operators.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, the value does not fit, or there is an operator.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
        try KeyPathWriting(text: keyPath, value: value).run(on: self)
    }

    /// Validates a value for a key path.
    ///
    /// Calls ``KeyValueCodable/validateValue(_:forKey:)`` of the object that has the last key, and of no other object.
    /// Every value is accepted if the last key is that of a dictionary, or if a value on the way is nil. Nothing is
    /// set.
    ///
    /// - Parameters:
    ///   - value: The value, which may be replaced.
    ///   - keyPath: Keys, separated by dots; no operators.
    /// - Throws: The error of the object that does not accept the value, or ``KeyValueCodingError`` if the key path
    ///   leads to none.
    public func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        try KeyValueCodingError.checkLength(of: keyPath, from: type(of: self))
        let dot = keyPath.lastIndex(of: ".")
        let key = dot.map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
        guard !key.hasPrefix("@") else {
            throw KeyValueCodingError.operatorIsNotSet(key, of: type(of: self))
        }
        let owner: Any? = if let dot { try KeyPathReading(text: keyPath).value(from: self, upTo: dot) } else { self }
        switch owner {
        case nil: return
        case let dictionary as any CodedDictionary where type(of: dictionary).takesStringKeys: return
        case is any KeyValueCodable where key.isEmpty: throw KeyValueCodingError.emptyKeyPath(keyPath, of: self)
        case let owner? where key.isEmpty: throw KeyValueCodingError.emptyKeyPath(keyPath, of: owner)
        case let object as any KeyValueCodable: try object.validateValue(&value, forKey: key)
        case let owner?: throw KeyValueCodingError.withoutKeys(key, of: type(of: owner))
        }
    }
}
