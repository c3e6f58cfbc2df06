// Reading, setting and validating through key paths that are strings.

extension KeyValueCodable {
    /// The value that a key path leads to.
    ///
    /// Each component is asked of what the one before it gave: an object by ``value(forKey:)``, a dictionary by its
    /// key, an array and a set through their elements. An array's answers are an `[Any?]`; a set's are a
    /// `Set<AnyHashable>` without nil. Nil gives nil. A component that begins with `@` is an operator, such as
    /// `orders.@sum.price`; it is applied to what stands left of it, and what stands right of it is asked of each
    /// element.
    ///
    /// - Parameter keyPath: Keys, separated by dots.
    /// - Returns: The value; nil if it is nil or something on the way is.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, or an operator cannot be applied.
    public func value(forKeyPath keyPath: String) throws -> Any? {
        try KeyPathReading(text: keyPath).value(from: self)
    }

    /// Sets what a key path leads to.
    ///
    /// All components but the last are read as ``value(forKeyPath:)`` reads them, and the last one is set as by
    /// ``setValue(_:forKey:)``. A dictionary on the way is written back to the property that holds it, which is one
    /// change of that; nil removes its key. Of an array or a set, each element that is not nil is set. If something on
    /// the way is nil, nothing is set and nothing is thrown, as in Cocoa.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - keyPath: Keys, separated by dots; no operators.
    /// - Throws: ``KeyValueCodingError``: a key is unknown or empty, the value does not fit, or there is an operator.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
        try KeyPathWriting(text: keyPath, value: value).run(on: self)
    }

    /// Validates a value for what a key path leads to.
    ///
    /// The object that has the last key is asked, by its ``KeyValueCodable/validateValue(_:forKey:)``; those on the way
    /// are not. A dictionary accepts everything, and so does nil on the way, where nothing would be set. Nothing is set.
    ///
    /// - Parameters:
    ///   - value: The value, which may be replaced.
    ///   - keyPath: Keys, separated by dots; no operators.
    /// - Throws: What the object throws that does not accept the value, or ``KeyValueCodingError`` if the key path
    ///   leads to none.
    public func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        let dot = keyPath.lastIndex(of: ".")
        let key = dot.map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
        guard !key.hasPrefix("@") else {
            throw KeyValueCodingError.operatorIsNotSet(key, of: type(of: self))
        }
        guard let dot else {
            guard !keyPath.isEmpty else { throw emptyKeyPath(keyPath) }
            return try validateValue(&value, forKey: keyPath)
        }
        guard let owner = try KeyPathReading(text: keyPath).value(from: self, upTo: dot) else { return }
        switch owner {
        case let object as any KeyValueCodable:
            guard !key.isEmpty else { throw emptyKeyPath(keyPath) }
            try object.validateValue(&value, forKey: key)
        case let dictionary as any CodedDictionary where type(of: dictionary).takesStringKeys:
            return
        default:
            guard !key.isEmpty else {
                throw KeyValueCodingError(code: .emptyKeyPath, key: keyPath, objectType: type(of: owner))
            }
            throw KeyValueCodingError.withoutKeys(key, of: type(of: owner))
        }
    }
}
