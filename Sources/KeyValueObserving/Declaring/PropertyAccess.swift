// What is reported of properties to another system of observation.

/// What happens to a property, as it is reported to another system of observation.
///
/// See ``KeyValueObservable/reportsPropertyAccesses``.
public enum PropertyAccess: Sendable {
    /// It is about to be read.
    case read
    /// It is about to change.
    case willChange
    /// It has changed, and the observers were called.
    case didChange
}

extension KeyValueObservable {
    /// Nothing is reported.
    @inlinable
    public static var reportsPropertyAccesses: Bool { false }

    /// Does nothing.
    @inlinable
    public static func reportPropertyAccess<Stored>(
        _ access: PropertyAccess, of object: AnyObject, at keyPath: AnyKeyPath, _ type: Stored.Type
    ) {}
}

extension KeyValueObservable {
    /// Reports that a change is announced manually, if the class asks for that.
    func reportManualChange<Value>(_ access: PropertyAccess, at keyPath: KeyPath<Self, Value>) {
        guard Self.reportsPropertyAccesses else { return }
        // One with arguments is not kept, and would be read each time.
        if KeyPathComponents(keyPath)?.hasArguments != true, let storage = ReportedStorage.find(keyPath, of: self) {
            storage.report(access, of: self)
        } else {
            reportManualAccess(access, at: keyPath)
        }
    }

    /// Reports an access to a manual property, if the class asks for that.
    ///
    /// Subclasses write other key paths for an inherited property. It is reported under that of the topmost class.
    func reportManualAccess<Value>(_ access: PropertyAccess, at keyPath: KeyPath<Self, Value>) {
        guard Self.reportsPropertyAccesses else { return }
        let topmost = ReportedKeyPath.of(keyPath)
        func report<Root: KeyValueObservable>(_: Root.Type) {
            Root.reportPropertyAccess(access, of: self, at: topmost, Value.self)
        }
        let root: any KeyValueObservable.Type = ReportedKeyPath.root(of: topmost) ?? Self.self
        report(root)
    }
}

/// The key paths under which manual properties are reported.
private enum ReportedKeyPath {
    private static let known = KeyPathFacts<AnyKeyPath>()

    /// The key path as the topmost class would write it whose accesses are reported.
    static func of(_ keyPath: AnyKeyPath) -> AnyKeyPath {
        known.fact(of: keyPath) {
            KeyPathRoot.inherited(keyPath).last { root(of: $0)?.reportsPropertyAccesses ?? false } ?? keyPath
        }
    }

    static func root(of keyPath: AnyKeyPath) -> (any KeyValueObservable.Type)? {
        type(of: keyPath).rootType as? any KeyValueObservable.Type
    }
}
