// A property that is reachable by name, read and set with values of any type.
import KeyValueObserving

/// A key path of a class's table.
class CodedProperty {
    let keyPath: AnyKeyPath
    /// Whether it can be set.
    let isWritable: Bool

    fileprivate init(_ keyPath: AnyKeyPath, isWritable: Bool) {
        self.keyPath = keyPath
        self.isWritable = isWritable
    }

    /// The property's type.
    var valueType: Any.Type { type(of: keyPath).valueType }

    /// The value of an object's property; nil for an optional that is nil.
    func value(of object: AnyObject) -> Any? { preconditionFailure("a subclass that knows the types reads") }

    /// Prepares to set the property of an object.
    func assignment(of value: Any?, to object: AnyObject) -> Assignment {
        preconditionFailure("a subclass that knows the types converts")
    }

    /// What setting a value to a property means.
    enum Assignment {
        /// It can be set by calling this.
        case possible(() -> Void)
        /// The value is nil and the property is not optional.
        case isNil
        /// The value is of another type.
        case mismatch
    }

    /// Makes the property of a key path; traps if that does not start at the class or one it inherits from.
    static func make(_ keyPath: AnyKeyPath, key: String, of type: any KeyValueCodable.Type) -> CodedProperty {
        func openRoot<Root>(_: Root.Type) -> CodedProperty {
            func openValue<Value>(_: Value.Type) -> CodedProperty? {
                (keyPath as? KeyPath<Root, Value>).map { TypedCodedProperty($0) }
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
        return _openExistential(Swift.type(of: keyPath).rootType, do: openRoot)
    }
}

/// A property whose types are known.
private final class TypedCodedProperty<Root, Value>: CodedProperty {
    private let typedKeyPath: KeyPath<Root, Value>
    private let writableKeyPath: ReferenceWritableKeyPath<Root, Value>?

    init(_ keyPath: KeyPath<Root, Value>) {
        typedKeyPath = keyPath
        writableKeyPath = keyPath as? ReferenceWritableKeyPath<Root, Value>
        super.init(keyPath, isWritable: writableKeyPath != nil)
    }

    override func value(of object: AnyObject) -> Any? {
        // The table of the object's class made sure that it is one.
        guard let root = object as? Root else { return nil }
        return flattened(root[keyPath: typedKeyPath])
    }

    override func assignment(of value: Any?, to object: AnyObject) -> Assignment {
        guard let root = object as? Root, let writableKeyPath else { return .mismatch }
        let converted: Value
        if let value = flattened(value) {
            guard let value = ValueConversion.convert(value, to: Value.self) else { return .mismatch }
            converted = value
        } else {
            guard let none = ValueConversion.none(of: Value.self) else { return .isNil }
            converted = none
        }
        return .possible { root[keyPath: writableKeyPath] = converted }
    }
}
