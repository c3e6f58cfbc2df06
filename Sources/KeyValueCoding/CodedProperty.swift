// A property accessible by name, with values of any type.
import KeyValueObserving

/// A key path of a class's table, with functions that know its types.
struct CodedProperty {
    let keyPath: AnyKeyPath
    /// Whether it can be set.
    let isWritable: Bool
    /// The value of an object's property; nil for an optional that is nil.
    let read: (AnyObject) -> Any?
    /// The way to set the property of an object to a value.
    let assignment: (_ value: Any?, _ object: AnyObject) -> Assignment

    /// The property's type.
    var valueType: Any.Type { type(of: keyPath).valueType }

    /// The result of preparing to set a property to a value.
    enum Assignment {
        /// The property can be set by calling this.
        case possible(() -> Void)
        /// The value is nil and the property is not optional.
        case isNil
        /// The value is of another type.
        case mismatch
    }

    /// Creates the property of a key path; traps if the key path does not start at the class or one it inherits from.
    init(_ keyPath: AnyKeyPath, key: String, of type: any KeyValueCodable.Type) {
        func openRoot<Root>(_: Root.Type) -> CodedProperty {
            func openValue<Value>(_: Value.Type) -> CodedProperty? {
                (keyPath as? KeyPath<Root, Value>).map { CodedProperty($0) }
            }
            guard type as Any.Type is Root.Type,
                let property = _openExistential(Swift.type(of: keyPath).valueType, do: openValue)
            else {
                fatalError(
                    """
                    keyPathsByKey of \(type) returned \(keyPath) for "\(key)", which does not start at that class. \
                    Return key paths rooted at it or at a class it inherits from.
                    """)
            }
            return property
        }
        self = _openExistential(Swift.type(of: keyPath).rootType, do: openRoot)
    }

    private init<Root, Value>(_ keyPath: KeyPath<Root, Value>) {
        let writable = keyPath as? ReferenceWritableKeyPath<Root, Value>
        self.keyPath = keyPath
        isWritable = writable != nil
        // The table belongs to the object's class, so the object is such a root.
        read = { ($0 as? Root).flatMap { flattened($0[keyPath: keyPath]) } }
        assignment = { value, object in
            guard let root = object as? Root, let writable else { return .mismatch }
            let value = flattened(value)
            guard let converted = ValueConversion.convert(optional: value, to: Value.self) else {
                return value == nil ? .isNil : .mismatch
            }
            return .possible { root[keyPath: writable] = converted }
        }
    }
}
