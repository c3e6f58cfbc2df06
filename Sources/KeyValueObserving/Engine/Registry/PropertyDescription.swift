// What is known of a property, whichever object it belongs to.

/// A property of a class, for all of the class's instances.
@safe final class PropertyDescription: @unchecked Sendable {
    // Key paths and types never change.
    /// Names the property, as the class writes it that declares it; nil if only a view of it is known.
    let keyPath: AnyKeyPath?
    let policy: PropertyPolicy
    /// What identifies the property in key paths, where these can be read.
    let part: UInt?
    /// Whether no override can stand between the property's getter and what is stored.
    let isExact: Bool
    private let valueType: Any.Type
    private let optionalType: Any.Type
    private let wrapping: PathLeaf.Wrapping

    init(
        _ valueType: Any.Type, optional optionalType: Any.Type, keyPath: AnyKeyPath?, policy: PropertyPolicy,
        isExact: Bool, wrapping: @escaping PathLeaf.Wrapping
    ) {
        self.keyPath = keyPath
        self.policy = policy
        part = keyPath.flatMap { KeyPathComponents($0)?.property }
        self.isExact = isExact
        self.valueType = valueType
        self.optionalType = optionalType
        self.wrapping = wrapping
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
