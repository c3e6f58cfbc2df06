// What is reported of properties to another system of observation.

/// What happens to a property, as it is reported to another system of observation.
public enum _PropertyAccess: Sendable {
    /// It is about to be read.
    case read
    /// It is about to change.
    case willChange
    /// It has changed, and the observers were called.
    case didChange
}

/// A class whose accesses to observed properties may be reported to another system of observation.
///
/// It is for the library's own products, such as `KeyValueObservingObservation`. It stands below ``KeyValueObservable`` and
/// not above it, because then the accessors need not look for a conformance: in an optimized build they ask a constant.
public protocol _PropertyAccessReporting: AnyObject {
    /// Whether each access to an observed property is reported.
    ///
    /// False by default. It then costs nothing: an optimized build removes the check. One that is true is a constant, too.
    static var _reportsPropertyAccesses: Bool { get }

    /// Called for each access to an observed property, if accesses are reported.
    ///
    /// It is called on the thread of the access: before a read, before a change, and after the observers of a change
    /// were called. The key path is the same one for all accesses to a property; it is that of the property's storage,
    /// or of a manual property. It does nothing by default.
    ///
    /// - Parameters:
    ///   - access: What happens to the property.
    ///   - object: The object, an instance of this class.
    ///   - keyPath: Identifies the property: a `KeyPath<Self, Stored>`.
    ///   - type: The type that the key path leads to.
    static func _reportPropertyAccess<Stored>(
        _ access: _PropertyAccess, of object: AnyObject, at keyPath: AnyKeyPath, _ type: Stored.Type)
}

extension _PropertyAccessReporting {
    /// Nothing is reported.
    @inlinable
    public static var _reportsPropertyAccesses: Bool { false }

    /// Does nothing.
    @inlinable
    public static func _reportPropertyAccess<Stored>(
        _ access: _PropertyAccess, of object: AnyObject, at keyPath: AnyKeyPath, _ type: Stored.Type
    ) {}
}

extension KeyValueObservable {
    /// Reports that a change is announced manually, if the class asks for that.
    func reportManualChange<Value>(_ access: _PropertyAccess, at keyPath: KeyPath<Self, Value>) {
        guard Self._reportsPropertyAccesses else { return }
        // One with arguments is not kept, and would be read each time.
        if KeyPathComponents(keyPath)?.hasArguments != true,
            let report = PropertyStorage.find(keyPath, of: self).report
        {
            report(access, self)
        } else {
            reportManualAccess(access, at: keyPath)
        }
    }

    /// Reports an access to a manual property, if the class asks for that.
    func reportManualAccess<Value>(_ access: _PropertyAccess, at keyPath: KeyPath<Self, Value>) {
        guard Self._reportsPropertyAccesses else { return }
        // A subclass writes another key path for an inherited property.
        let keyPath = ClassPolicy.of(self).reported(keyPath)
        func report(_ root: (some KeyValueObservable).Type) {
            root._reportPropertyAccess(access, of: self, at: keyPath, Value.self)
        }
        let root: any KeyValueObservable.Type = type(of: keyPath).rootType as? any KeyValueObservable.Type ?? Self.self
        report(root)
    }
}
