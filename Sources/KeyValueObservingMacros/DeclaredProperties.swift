// The entry points that the code of `@KeyValueObservable` calls.
public import KeyValueObserving

/// A class declared with ``KeyValueObservable()``.
///
/// If the superclass conforms, the macro overrides its functions.
public protocol _KeyValueDeclared: _KeyValueNaming {}

/// The names of properties that macros have found.
public enum _KeyValueNames {
    private static let known = Guarded<Set<ObjectIdentifier>>([])

    /// Notes the names of a class's properties, the first time that one is needed.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - body: Notes each property with its name.
    public static func note(of type: AnyClass, _ body: (_ note: (AnyKeyPath, String) -> Void) -> Void) {
        let id = ObjectIdentifier(type)
        if known.withLock({ $0.contains(id) }) { return }
        body { PropertyNames.note($0, named: $1) }
        _ = known.withLock { $0.insert(id) }
    }
}

/// A change of a property by its setter, around the property's own code.
public struct _KeyValueChange<Object: KeyValueObservable, Value> {
    private let change: AccessorChange<Object, Value>

    /// Begins the change: reads the old value, and calls the observers that requested `.prior`.
    public init(of keyPath: KeyPath<Object, Value>, in object: Object) {
        change = AccessorChange(of: keyPath, in: object)
    }

    /// Ends the change: calls the observers.
    public func end() { change.end() }
}

/// An access in place to a property, around the property's own code.
public struct _KeyValueAccess<Object: KeyValueObservable, Value> {
    private let access: AccessorAccess<Object, Value>

    /// Begins the access as a change: reads the old value, and calls the observers that requested `.prior`.
    public init(to keyPath: KeyPath<Object, Value>, of object: Object) {
        access = AccessorAccess(to: keyPath, of: object)
    }

    /// Ends the access, and calls the observers.
    public func end() { access.end() }
}
