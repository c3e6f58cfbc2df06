// Reading and setting properties by name.
import KeyValueObserving

extension KeyValueCodable {
    /// The value of the property with this key.
    ///
    /// The keys `key`, `isKey` and, if ``KeyValueCodable/accessesStorageDirectly`` says so, `_key` and `_isKey` are
    /// looked for in this order, which is that of Apple's Key-Value Coding Programming Guide. If none is there,
    /// ``KeyValueCodable/value(forUndefinedKey:)`` answers.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: The value; nil if it is an optional that is nil, and never an optional within.
    /// - Throws: ``KeyValueCodingError``: the key is unknown or empty.
    public func value(forKey key: String) throws -> Any? {
        let table = KeyTable.of(type(of: self))
        guard !key.isEmpty else { throw emptyKeyPath(key) }
        guard let property = table.readable(key) else { return flattened(try value(forUndefinedKey: key)) }
        return property.value(of: self)
    }

    /// Sets the property with this key.
    ///
    /// It is an ordinary assignment, so observers are notified once. The keys `key` and, if
    /// ``KeyValueCodable/accessesStorageDirectly`` says so, `_key`, `_isKey` and `isKey` are looked for in this order,
    /// and a property that can only be read is passed over. If all that is found can only be read,
    /// ``KeyValueCodingError/Code/notWritable`` is thrown. If nothing is found,
    /// ``KeyValueCodable/setValue(_:forUndefinedKey:)`` is called.
    ///
    /// A value of another type is converted if it is a number that the property's type holds exactly. Nil for a
    /// property that is not optional goes to ``KeyValueCodable/setNilValue(forKey:)``. The value is not validated.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The name of a property.
    /// - Throws: ``KeyValueCodingError``: the key is unknown or empty, the property can only be read, or the value does
    ///   not fit it.
    public func setValue(_ value: Any?, forKey key: String) throws {
        try step(of: value, forKey: key).run()
    }

    /// The values of several properties.
    ///
    /// - Parameter keys: The names of properties.
    /// - Returns: The values by key; a value that is nil is there, too.
    /// - Throws: What ``value(forKey:)`` throws.
    public func dictionaryWithValues(forKeys keys: [String]) throws -> [String: Any?] {
        var values: [String: Any?] = [:]
        for key in keys { values.updateValue(try value(forKey: key), forKey: key) }
        return values
    }

    /// Sets several properties, in the order of their keys; each is a change of its own.
    ///
    /// All keys are looked for and all values converted before the first property is set, and the hooks for unknown
    /// keys and for nil are called before that, too. So an error leaves everything unchanged, unless one hook has
    /// already stored a value when another hook throws.
    ///
    /// - Parameter values: The values by key.
    /// - Throws: What ``setValue(_:forKey:)`` throws.
    public func setValuesForKeys(_ values: [String: Any?]) throws {
        let steps = try values.sorted { $0.key < $1.key }.map { try step(of: $0.value, forKey: $0.key) }
        for step in steps where step.isHook { try step.run() }
        for step in steps where !step.isHook { try step.run() }
    }

    /// What is to be called to set a value.
    private func step(of value: Any?, forKey key: String) throws -> SettingStep {
        guard !key.isEmpty else { throw emptyKeyPath(key) }
        switch KeyTable.of(type(of: self)).writable(key) {
        case .undefined:
            return SettingStep(isHook: true) { [self] in try setValue(value, forUndefinedKey: key) }
        case .readOnly:
            throw KeyValueCodingError(code: .notWritable, key: key, objectType: type(of: self))
        case .property(let property):
            switch property.assignment(of: value, to: self) {
            case .possible(let set): return SettingStep(isHook: false, run: set)
            case .isNil: return SettingStep(isHook: true) { [self] in try setNilValue(forKey: key) }
            case .mismatch:
                throw KeyValueCodingError.typeMismatch(
                    value, at: key, of: type(of: self), wanted: property.valueType)
            }
        }
    }

    /// The error for a key path with an empty component.
    func emptyKeyPath(_ path: String) -> KeyValueCodingError {
        KeyValueCodingError(code: .emptyKeyPath, key: path, objectType: type(of: self))
    }
}

/// What is to be done to set one key.
private struct SettingStep {
    /// Whether the class decides what happens.
    let isHook: Bool
    let run: () throws -> Void
}
