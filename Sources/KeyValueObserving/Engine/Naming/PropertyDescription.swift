// What is known of a property, whichever object it belongs to.

/// A property of a class, for all of the class's instances.
@safe final class PropertyDescription: @unchecked Sendable {
    // Key paths and types never change.
    /// Names the property, as the class writes it that declares it.
    let name: KeyPathName
    let policy: PropertyPolicy
    /// What identifies the property in key paths, where these can be read.
    let part: UInt?
    /// Whether no code of a class stands before what is stored: the object's class is the one that declares it.
    let isNotOverridden: Bool
    /// Whether several threads change it, so that nobody can be called before a change.
    var isShared: Bool { line != nil }
    /// Finds the property's line of changes in an object of its class, if several threads change it.
    let line: ((AnyObject) -> any SharedLine)?
    let valueType: Any.Type
    private let optionalType: Any.Type
    private let wrapping: ValueWrapping

    var keyPath: AnyKeyPath { name.keyPath }

    /// A property with its key path.
    init(
        _ keyPath: AnyKeyPath, _ policy: PropertyPolicy, isNotOverridden: Bool = false,
        line: ((AnyObject) -> any SharedLine)? = nil
    ) {
        func open<Value>(_ type: Value.Type) -> (Any.Type, ValueWrapping) { (Value?.self, ValueWrapping(of: type)) }
        name = KeyPathName(keyPath)
        self.policy = policy
        part = KeyPathComponents(keyPath)?.property
        self.isNotOverridden = isNotOverridden
        self.line = line
        valueType = Swift.type(of: keyPath).valueType
        (optionalType, wrapping) = _openExistential(valueType, do: open)
    }

    /// How values of a type are made of the property's; nil if they are others.
    func leaf(for type: Any.Type) -> PathLeaf? {
        if type == valueType { return PathLeaf(wrapping: nil, carriesSettings: isNotOverridden) }
        return type == optionalType ? PathLeaf(wrapping: wrapping, carriesSettings: isNotOverridden) : nil
    }
}

/// Makes the values of a path of those of the property it ends at.
///
/// A change of the property at its end does not change where a path leads: it need not be evaluated again.
final class PathLeaf: Sendable {
    /// Wraps values, if the path leads through an optional, so that its values are optionals.
    let wrapping: ValueWrapping?
    /// Whether the property's values make those of the path in any case: it is stored with nothing before it.
    ///
    /// Otherwise only its elements do.
    let carriesSettings: Bool

    init(wrapping: ValueWrapping?, carriesSettings: Bool) {
        self.wrapping = wrapping
        self.carriesSettings = carriesSettings
    }

    /// The leaf with which only changes of elements make the path's values.
    var ofElementsOnly: PathLeaf { PathLeaf(wrapping: wrapping, carriesSettings: false) }
}

/// The line of changes of a shared property.
protocol SharedLine: AnyObject {
    /// Runs `record` between two stores, which records a registration; the registration keeps the value as it is then, if it
    /// keeps any.
    ///
    /// With `callsFirst`, its first call takes its place among the changes that wait, and `deliver` must follow.
    ///
    /// - Returns: The value at that moment.
    func register(
        _ registration: Registration, _ keeping: Keeping, callingFirst callsFirst: Bool, _ record: () -> Void
    ) -> BoxedValue

    /// Delivers what waits, if this is up to this thread.
    func deliver(on object: AnyObject, in table: ObservationTable, _ property: PropertyIdentity)

    /// Whether this thread accesses the value in place.
    var isAccessed: Bool { get }
}
