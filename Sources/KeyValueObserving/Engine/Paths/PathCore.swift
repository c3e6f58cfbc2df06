// What a path is: where it starts, its key path, and how it is read.

/// The key path of one object, independent of the types.
///
/// It goes when the path ends, whoever still holds that: no key path, argument or memory of an object stays.
class PathCore: @unchecked Sendable {
    let name: KeyPathName
    /// What it is called, if it is an expression.
    let text: String?
    /// What the root's class declares to affect the key path's value.
    let declared: [AnyKeyPath]
    /// The type of what is read: that of the path's values, but of an expression's.
    let resultType: Any.Type
    /// The properties that the key path is made of, where key paths can be read; optionals are left out.
    private let parts: ContiguousArray<UInt>?

    fileprivate init(
        _ name: KeyPathName, text: String?, declared: [AnyKeyPath], parts: [AnyKeyPath]?, resultType: Any.Type
    ) {
        self.name = name
        self.text = text
        self.resultType = resultType
        self.declared = declared
        self.parts = KeyPathComponents.properties(of: parts ?? [name.keyPath])
    }

    /// The object that the path starts at; nil from the start of its `deinit` on.
    var root: AnyObject? { preconditionFailure("a subclass knows it") }

    /// Whether an object is the one that the path starts at, even in its `deinit`.
    func isRoot(_ object: AnyObject) -> Bool { preconditionFailure("a subclass knows it") }

    /// The value of the path.
    ///
    /// - Parameter root: The object that the path starts at.
    /// - Returns: The value.
    func value(from root: AnyObject) -> BoxedValue { preconditionFailure("a subclass knows the types") }

    /// The type of the path's values.
    var valueType: Any.Type { preconditionFailure("a subclass knows the types") }

    /// Keeps values of the path's type.
    final func boxed(_ values: ChangeValues) -> (old: BoxedValue?, new: BoxedValue?) {
        BoxedValue.copies(of: values, valueType)
    }

    /// Whether a value of the path is just what a property stores.
    ///
    /// - Parameters:
    ///   - value: The path's value.
    ///   - stored: What the property stores.
    /// - Returns: Whether both are copies of one value.
    func isStored<Stored>(_ value: BoxedValue, _ stored: Stored) -> Bool {
        preconditionFailure("a subclass knows the types")
    }

    /// How the path's values are made of those of the property it read last.
    ///
    /// Nil unless each part of the key path is a property that was read by itself, in the order of the parts.
    final func leaf(after read: some Collection<PropertyDescription?>) -> PathLeaf? {
        guard let parts, parts.count == read.count, declared.isEmpty else { return nil }
        var last: PropertyDescription?
        for (index, description) in read.enumerated() {
            guard let description, description.part == parts[index], description.policy.dependencies.isEmpty else {
                return nil
            }
            last = description
        }
        guard let last, last.isExact else { return nil }
        return last.leaf(for: valueType)
    }

    /// Whether a path that reads just one property of its root is known to be another way to write that property.
    final func isKnownAsJust(_ property: PropertyIdentity, _ description: PropertyDescription) -> Bool {
        guard case .same? = description.leaf(for: valueType), let keyPath = description.keyPath else { return false }
        if KeyPathComponents.areSame(name.keyPath, keyPath) { return true }
        return (root as? any KeyValueObservable).flatMap { ClassPolicy.of($0).writtenProperty(at: name.keyPath) }
            == property
    }

    /// Whether only a reading shows if a path that reads just one property is another way to write that property.
    final func mayBeJust(_ property: PropertyDescription) -> Bool {
        guard case .same? = property.leaf(for: valueType), let keyPath = property.keyPath else { return false }
        return KeyPathComponents.mayBeSame(name.keyPath, keyPath)
            && !KeyPathComponents.areSame(name.keyPath, keyPath)
    }

    /// Whether the root's value at another key path is the path's own.
    final func hasValue(at keyPath: AnyKeyPath) -> Bool {
        guard let root else { return false }
        func open<Value>(_ value: Value) -> Bool { isStored(self.value(from: root), value) }
        return Tracking.suspended {
            (root as Any)[keyPath: keyPath].map { _openExistential($0, do: open) } ?? false
        }
    }

    /// How the path's values are made of those of a property that its last part names; nil if it names another one.
    ///
    /// An override may return something else than is stored.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - isOnly: Whether the path reads nothing else.
    /// - Returns: How; where key paths cannot be read, whether the values are the same says more.
    final func possibleLeaf(at property: PropertyDescription, isOnly: Bool) -> PathLeaf? {
        guard let keyPath = property.keyPath else { return nil }
        if let parts {
            guard let part = property.part, part == parts.last else { return nil }
        } else if KeyPathComponents.isLayoutKnown || isOnly && keyPath != name.keyPath {
            return nil
        }
        return property.leaf(for: valueType)
    }
}

/// The key path of an object whose type is known.
final class TypedPathCore<Root: KeyValueObservable, Value>: PathCore, @unchecked Sendable {
    private let reference: RootReference<Root>
    private let address: ObjectIdentifier
    private let read: (Root) -> BoxedValue

    /// - Parameters:
    ///   - root: The object that the path starts at, which is not kept alive.
    ///   - name: The key path.
    ///   - text: What it is called, if it is an expression.
    ///   - declared: What the root's class declares to affect its value.
    ///   - parts: The key paths that it was put together from, if it was.
    ///   - resultType: The type of what is read.
    ///   - read: Reads the key path.
    init(
        root: Root, _ name: KeyPathName, text: String? = nil, declared: [AnyKeyPath], parts: [AnyKeyPath]?,
        resultType: Any.Type = Value.self, reading read: @escaping (Root) -> BoxedValue
    ) {
        reference = RootReference(root)
        address = ObjectIdentifier(root)
        self.read = read
        super.init(name, text: text, declared: declared, parts: parts, resultType: resultType)
    }

    override var root: AnyObject? { reference.object }

    // The path ends with its root, so no other object has the root's address.
    override func isRoot(_ object: AnyObject) -> Bool { ObjectIdentifier(object) == address }

    override func value(from root: AnyObject) -> BoxedValue {
        // It is given the object that it was made for.
        ThisThread.evaluating { read(unsafe unsafeDowncast(root, to: Root.self)) }
    }

    override var valueType: Any.Type { Value.self }

    override func isStored<Stored>(_ value: BoxedValue, _ stored: Stored) -> Bool {
        // It was made by `read`.
        if let value = value.value(as: Value.self) as? Stored { return isSameCopy(value, stored) }
        return false
    }
}
