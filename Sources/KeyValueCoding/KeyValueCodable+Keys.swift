// Reading and setting properties by name, and views of arrays.
public import KeyValueObserving

extension KeyValueCodable {
    /// The value of the property with this key.
    ///
    /// The keys `key`, `isKey` and, if ``KeyValueCodable/accessesStorageDirectly`` is true, `_key` and `_isKey` are
    /// looked for in this order, which is that of Apple's Key-Value Coding Programming Guide. If none is there,
    /// ``KeyValueCodable/value(forUndefinedKey:)`` supplies the value.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: The value; nil if it is an optional that is nil, and never an optional within.
    /// - Throws: ``KeyValueCodingError``: the key is unknown or empty.
    public func value(forKey key: String) throws -> Any? {
        let table = KeyTable.of(type(of: self))
        guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(key, of: self) }
        guard let property = table.readable(key) else { return flattened(try value(forUndefinedKey: key)) }
        return property.read(self)
    }

    /// Sets the property with this key.
    ///
    /// It is an ordinary assignment, so observers are notified once. The keys `key` and, if
    /// ``KeyValueCodable/accessesStorageDirectly`` is true, `_key`, `_isKey` and `isKey` are looked for in this order,
    /// and a read-only property is skipped. If only read-only properties are found,
    /// ``KeyValueCodingError/Code/notWritable`` is thrown. If no property is found,
    /// ``KeyValueCodable/setValue(_:forUndefinedKey:)`` is called.
    ///
    /// A value of another type is converted if it is a number that the property's type holds exactly. Nil for a
    /// property that is not optional goes to ``KeyValueCodable/setNilValue(forKey:)``. The value is not validated.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The name of a property.
    /// - Throws: ``KeyValueCodingError``: the key is unknown or empty, the property is read-only, or the value does not
    ///   fit it.
    public func setValue(_ value: Any?, forKey key: String) throws {
        try step(of: value, forKey: key).run()
    }

    /// The values of several properties.
    ///
    /// - Parameter keys: The names of properties.
    /// - Returns: The values by key; a nil value is included, too.
    /// - Throws: The errors of ``value(forKey:)``.
    public func dictionaryWithValues(forKeys keys: [String]) throws -> [String: Any?] {
        var values: [String: Any?] = [:]
        for key in keys { values.updateValue(try value(forKey: key), forKey: key) }
        return values
    }

    /// Sets several properties, in the order of their keys; each is a change of its own.
    ///
    /// Before the first property is set, all keys are looked up, all values are converted, and the hooks for unknown
    /// keys and for nil are called. So an error leaves everything unchanged, unless one hook has already stored a value
    /// when another hook throws.
    ///
    /// - Parameter values: The values by key.
    /// - Throws: The errors of ``setValue(_:forKey:)``.
    public func setValuesForKeys(_ values: [String: Any?]) throws {
        let steps = try values.sorted { $0.key < $1.key }.map { try step(of: $0.value, forKey: $0.key) }
        for step in steps where step.isHook { try step.run() }
        for step in steps where !step.isHook { try step.run() }
    }

    /// The step that sets a value.
    private func step(of value: Any?, forKey key: String) throws -> SettingStep {
        guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(key, of: self) }
        switch KeyTable.of(type(of: self)).writable(key) {
        case .undefined:
            return SettingStep(isHook: true) { [self] in try setValue(value, forUndefinedKey: key) }
        case .readOnly:
            throw KeyValueCodingError(code: .notWritable, key: key, objectType: type(of: self))
        case .property(let property):
            switch property.assignment(value, self) {
            case .possible(let set): return SettingStep(isHook: false, run: set)
            case .isNil: return SettingStep(isHook: true) { [self] in try setNilValue(forKey: key) }
            case .mismatch:
                throw KeyValueCodingError.typeMismatch(
                    value, at: key, of: type(of: self), wanted: property.valueType)
            }
        }
    }

    /// A live view of the array with this key, with elements of any type.
    ///
    /// Changes through it are those of ``/KeyValueObserving/KeyValueObservable/mutable(_:)``: each carries its kind,
    /// the positions and the elements concerned, and its cost does not depend on the number of other elements.
    /// Iterating over its ``/KeyValueObserving/ObservedMutableProperty/value`` converts all elements.
    ///
    /// A new element is converted as by ``setValue(_:forKey:)``. One that does not fit the array's elements traps
    /// before anything is delivered.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: A view that keeps this object alive.
    /// - Throws: ``KeyValueCodingError``: the key is unknown or empty, the property is read-only, or its value is not
    ///   an array.
    public func mutableArrayValue(forKey key: String) throws -> ObservedMutableArray<Any> {
        guard !key.isEmpty else { throw KeyValueCodingError.emptyKeyPath(key, of: self) }
        let table = KeyTable.of(type(of: self))
        switch table.writable(key) {
        case .property(let property):
            if let view = property.keyPath.accept(ArrayView(object: self, key: key)) ?? nil { return view }
            throw KeyValueCodingError.notAnArray(at: key, of: type(of: self), found: property.valueType)
        case .readOnly: throw KeyValueCodingError(code: .notWritable, key: key, objectType: type(of: self))
        case .undefined: throw table.undefinedKey(key)
        }
    }

}

/// A step that sets one key.
private struct SettingStep {
    /// Whether it calls a function of the class, such as `setNilValue(forKey:)`.
    let isHook: Bool
    let run: () throws -> Void
}

/// Makes a view of an array property with elements of any type; nil if the property is not an array.
private struct ArrayView: KeyPathVisitor {
    let object: AnyObject
    let key: String

    func visit<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>) -> ObservedMutableArray<Any>? {
        func open<Array: CodedArray>(_: Array.Type) -> ObservedMutableArray<Any>? {
            guard let root = object as? Root, let keyPath = keyPath as? ReferenceWritableKeyPath<Root, [Array.Element]>
            else { return nil }
            let (elements, objectType) = (root.mutable(keyPath), type(of: root))
            return (elements as Any) as? ObservedMutableArray<Any>
                ?? elements.ofAny { element in
                    if let element = ValueConversion.convert(optional: element, to: Array.Element.self) {
                        return element
                    }
                    let mismatch = KeyValueCodingError.elementMismatch(
                        element, at: key, of: objectType, wanted: Array.Element.self)
                    fatalError("\(mismatch) Nothing was changed.")
                }
        }
        return (Value.self as? any CodedArray.Type).flatMap { open($0) }
    }
}

/// An array of elements of an unknown type.
private protocol CodedArray {
    associatedtype Element
}

extension Array: CodedArray {}
