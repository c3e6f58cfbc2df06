// What is known of a property, whichever object it belongs to.

/// A property of a class, for all of the class's instances.
@safe final class PropertyDescription: @unchecked Sendable {
    // Key paths and types never change.
    /// Names the property, as the class writes it that declares it; nil if only a view of it is known.
    let keyPath: AnyKeyPath?
    let policy: PropertyPolicy
    /// What identifies the property in key paths, where these can be read.
    let part: UInt?
    /// Whether a subscript is given something, so that there may be any number of such properties.
    let hasArguments: Bool
    /// Whether no override can stand between the property's getter and what is stored.
    let isExact: Bool
    /// Whether several threads change it, so that nobody can be called before a change.
    let isShared: Bool
    private let valueType: Any.Type
    private let optionalType: Any.Type
    private let wrapping: PathLeaf.Wrapping

    init(
        _ valueType: Any.Type, optional optionalType: Any.Type, keyPath: AnyKeyPath?, policy: PropertyPolicy,
        isExact: Bool, isShared: Bool = false, wrapping: @escaping PathLeaf.Wrapping
    ) {
        self.keyPath = keyPath
        self.policy = policy
        let components = keyPath.flatMap { KeyPathComponents($0) }
        part = components?.property
        hasArguments = components?.hasArguments ?? false
        self.isExact = isExact
        self.isShared = isShared
        self.valueType = valueType
        self.optionalType = optionalType
        self.wrapping = wrapping
    }

    /// Describes a property that notifies manually.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - policy: What its class says of it.
    ///   - type: That class.
    ///   - root: The class that the key path starts at.
    convenience init(manual keyPath: AnyKeyPath, _ policy: PropertyPolicy, of type: AnyClass, from root: AnyClass) {
        func open<Value>(_: Value.Type) -> (Any.Type, PathLeaf.Wrapping) { (Value?.self, Wrapping<Value>.wrap) }
        let valueType = Swift.type(of: keyPath).valueType
        let (optionalType, wrapping) = _openExistential(valueType, do: open)
        self.init(
            valueType, optional: optionalType, keyPath: keyPath, policy: policy,
            isExact: !PropertyOverrides.mayExist(of: keyPath, in: type, below: root), wrapping: wrapping)
    }

    /// How values of a type are made of the property's; nil if they are others.
    func leaf(for type: Any.Type) -> PathLeaf? {
        if type == valueType { return .same }
        return type == optionalType ? .wrapped(wrapping) : nil
    }

    /// Keeps values of the property's type.
    func boxed(_ values: ChangeValues) -> (old: BoxedValue?, new: BoxedValue?) {
        BoxedValue.copies(of: values, valueType)
    }

    /// Whether a key path of a type may be another way to write the property.
    func hasType(_ type: Any.Type) -> Bool { type == valueType }
}
