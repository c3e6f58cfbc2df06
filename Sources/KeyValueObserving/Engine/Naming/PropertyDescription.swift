// The facts about a property that hold for all objects.

/// A property of a class, shared by all of the class's instances.
@safe final class PropertyDescription: @unchecked Sendable {
    // Key paths and types never change.
    /// The property's name, as the declaring class writes it.
    let name: KeyPathName
    let policy: PropertyPolicy
    /// The property's identity in key paths, if these can be read.
    let part: UInt?
    /// Whether no override can be between the property and its storage, because the object's class declares it.
    let isNotOverridden: Bool
    /// Whether several threads change it, so that no observer can be called before a change.
    var isShared: Bool { line != nil }
    /// Finds the property's line of changes in an object of its class, if several threads change it.
    let line: ((AnyObject) -> any SharedLine)?
    let valueType: Any.Type
    private let optionalType: Any.Type
    private let wrapping: ValueWrapping

    var keyPath: AnyKeyPath { name.keyPath }

    /// Creates the description of a property with its key path.
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

    /// The leaf that makes values of a type from the property's; nil if it cannot.
    func leaf(for type: Any.Type) -> PathLeaf? {
        if type == valueType { return PathLeaf(wrapping: nil, carriesSettings: isNotOverridden) }
        return type == optionalType ? PathLeaf(wrapping: wrapping, carriesSettings: isNotOverridden) : nil
    }
}

/// Makes the values of a path from those of the property at its end.
///
/// A change of the property at its end does not change the objects along the path, which needs no new evaluation.
final class PathLeaf: Sendable {
    /// Wraps values, if the path leads through an optional, so that its values are optionals.
    let wrapping: ValueWrapping?
    /// Whether a setting of the property also makes the path's values, because no override is before its storage.
    ///
    /// Otherwise, only changes of elements do.
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
    /// Calls `record` between two stores to record a registration; if the registration keeps values, it keeps the value
    /// at that moment.
    ///
    /// With `callsFirst`, the registration's first call joins the waiting changes, and `deliver` must follow.
    ///
    /// - Returns: The value at that moment.
    func register(
        _ registration: Registration, _ keeping: Keeping, callingFirst callsFirst: Bool, _ record: () -> Void
    ) -> BoxedValue

    /// Delivers the waiting changes, if this thread is the one to do it.
    func deliver(on object: AnyObject, in table: ObservationTable, _ property: PropertyIdentity)

    /// Whether this thread accesses the value in place.
    var isAccessed: Bool { get }
}
