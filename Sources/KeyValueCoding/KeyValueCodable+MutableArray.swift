// Views of arrays by name.
public import KeyValueObserving

extension KeyValueCodable {
    /// A live view of the array with this key, whose elements may be of any type.
    ///
    /// Changes through it are those of ``/KeyValueObserving/KeyValueObservable/mutable(_:)``: each carries its kind, the
    /// positions and the elements concerned, and its cost does not depend on the number of other elements. Going
    /// through its ``/KeyValueObserving/ObservedMutableProperty/value`` converts all elements.
    ///
    /// A value that is put in is converted as by ``setValue(_:forKey:)``. One that does not fit the array's elements
    /// traps before anything is delivered.
    ///
    /// For a key without a property, the view uses the class's hooks. Each call of the view then reads the array,
    /// changes it and sets it once, as a whole. These methods do not throw. If a hook throws, the call changes nothing,
    /// and ``/KeyValueObserving/KeyValueDiagnostics/handler`` gets the error. (An error of another type becomes the `reason` of a
    /// ``KeyValueCodingError``.) Reading the view then gives the elements that were read or set last. A method that
    /// removes and returns an element returns an `Any` that holds nil if there is none.
    ///
    /// - Parameter key: The name of a property.
    /// - Returns: A view that keeps this object alive.
    /// - Throws: ``KeyValueCodingError``: the key is unknown or empty, the property can only be read, or its value is
    ///   not an array.
    public func mutableArrayValue(forKey key: String) throws -> ObservedMutableArray<Any> {
        guard !key.isEmpty else { throw emptyKeyPath(key) }
        let property: CodedProperty
        switch KeyTable.of(type(of: self)).writable(key) {
        case .property(let found): property = found
        case .readOnly: throw KeyValueCodingError(code: .notWritable, key: key, objectType: type(of: self))
        case .undefined:
            let value = flattened(try value(forUndefinedKey: key))
            guard let array = value as? [Any] else {
                throw KeyValueCodingError.notAnArray(at: key, of: type(of: self), given: value)
            }
            return ObservedMutableProperty(keptBy: HookArray(self, key: key, known: array))
        }
        guard let array = property.valueType as? any CodedArray.Type,
            let view = array.view(of: self, at: property.keyPath, key: key)
        else {
            throw KeyValueCodingError.notAnArray(at: key, of: type(of: self), found: property.valueType)
        }
        return view
    }
}
