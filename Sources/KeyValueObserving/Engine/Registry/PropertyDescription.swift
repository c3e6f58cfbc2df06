// What is known of a property, whichever object it belongs to.

/// A property of a class, for all of the class's instances.
@safe final class PropertyDescription: @unchecked Sendable {
    // Key paths and types never change.
    /// Names the property, as the class writes it that declares it.
    let name: KeyPathName
    let policy: PropertyPolicy
    /// What identifies the property in key paths, where these can be read.
    let part: UInt?
    /// Whether only its name is known, since nobody has read the property.
    let isPartial: Bool
    /// Whether no code of a class stands before what is stored: the object's class is the one that declares it.
    let isExact: Bool
    /// Whether several threads change it, so that nobody can be called before a change.
    var isShared: Bool { line != nil }
    /// Finds the property's line of changes in an object of its class, if several threads change it.
    let line: ((AnyObject) -> any SharedLine)?
    private let valueType: Any.Type
    private let optionalType: Any.Type
    private let wrapping: ValueWrapping

    var keyPath: AnyKeyPath { name.keyPath }

    /// A property with its key path.
    ///
    /// `wrapping` is given where it was compiled for the value's type.
    init(
        _ keyPath: AnyKeyPath, _ policy: PropertyPolicy, isExact: Bool = false,
        isPartial: Bool = false, line: ((AnyObject) -> any SharedLine)? = nil,
        wrapping: ValueWrapping? = nil
    ) {
        func open<Value>(_: Value.Type) -> (Any.Type, ValueWrapping) {
            (Value?.self, ChangeValues.wrapping(Value.self))
        }
        name = KeyPathName(keyPath)
        self.policy = policy
        part = KeyPathComponents(keyPath)?.property
        self.isExact = isExact
        self.line = line
        self.isPartial = isPartial
        valueType = Swift.type(of: keyPath).valueType
        let (optionalType, plain) = _openExistential(valueType, do: open)
        self.optionalType = optionalType
        self.wrapping = wrapping ?? plain
    }

    /// How values of a type are made of the property's; nil if they are others.
    func leaf(for type: Any.Type) -> PathLeaf? {
        if type == valueType { return PathLeaf(wrapping: nil, isCertain: isExact) }
        return type == optionalType ? PathLeaf(wrapping: wrapping, isCertain: isExact) : nil
    }

    /// Keeps values of the property's type.
    func boxed(_ values: ChangeValues) -> BoxedValues { BoxedValues(of: values, valueType) }
}
