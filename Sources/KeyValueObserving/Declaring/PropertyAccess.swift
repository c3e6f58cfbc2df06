// Reporting accesses to properties to another observation system.

/// An access to a property, as reported to another observation system.
public enum _PropertyAccess: Sendable {
    /// It is about to be read.
    case read
    /// It is about to change.
    case willChange
    /// It has changed, and the observers were called.
    case didChange
}

/// Marks classes whose accesses are not reported, and all their subclasses.
///
/// The compiler names it if a subclass adds reporting that its superclass rules out.
public enum _NotTrackable {}

extension KeyValueObservable {
    /// Tells the compiler that nothing is reported.
    public static var _reporting: _NotTrackable.Type { _NotTrackable.self }

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
    // The accessors check whether the class wants reports, which is a constant in an optimized build. The reports are
    // separate functions, so that the accessors of other classes need not compile and then remove them.

    /// Reports an access by an accessor of a class that wants reports.
    @usableFromInline @inline(never)
    func reportAccess<Value>(_ access: _PropertyAccess, to wrapped: () -> ReferenceWritableKeyPath<Self, Value>) {
        Self._reportPropertyAccess(access, of: self, at: wrapped(), Value.self)
    }

    /// Reports that an accessor of a class that wants reports begins an access in place.
    @usableFromInline @inline(never)
    func reportAccessInPlace<Value>(to wrapped: () -> ReferenceWritableKeyPath<Self, Value>) {
        let keyPath = wrapped()
        // The first property that the getter reads must be found before the access, during which the property cannot be
        // read.
        _ = firstRead(of: keyPath)
        Self._reportPropertyAccess(.read, of: self, at: keyPath, Value.self)
        Self._reportPropertyAccess(.willChange, of: self, at: keyPath, Value.self)
    }

    /// Reports an access to a property of this object, without its type.
    @usableFromInline
    func reportAccess(_ access: _PropertyAccess, at keyPath: AnyKeyPath) {
        func open<Value>(_: Value.Type) {
            let root = type(of: keyPath).rootType as? any KeyValueObservable.Type ?? Self.self
            root._reportPropertyAccess(access, of: self, at: keyPath, Value.self)
        }
        _openExistential(type(of: keyPath).valueType, do: open)
    }

    /// Reports that a change is announced manually, if the class wants reports.
    ///
    /// Reads of the property are tracked under the first property that its getter reads.
    func reportManualChange<Value>(_ access: _PropertyAccess, at keyPath: KeyPath<Self, Value>) {
        guard Self._reportsPropertyAccesses else { return }
        reportAccess(access, at: firstRead(of: keyPath)?.property.keyPath ?? keyPath)
    }

    /// The first property of its object that a getter reads, found once for the class by calling the getter.
    ///
    /// It is the property itself, the one it overrides, or one it is computed from. The getter is not called if the
    /// result is known for a superclass's key path, because the property may be accessed in place now.
    ///
    /// - Returns: The property that is read, with its identity if it is the property itself; nil if there is none, or
    ///   if the key path has arguments.
    func firstRead<Value>(
        of keyPath: KeyPath<Self, Value>
    ) -> ClassDeclarations.FirstRead? {
        ClassDeclarations.of(self).firstRead(of: keyPath) {
            let tracker = PropertyFinder(root: self)
            _ = tracker.tracking { self[keyPath: keyPath] }
            guard let first = tracker.first, first.object === self else { return nil }
            let isItself = KeyPathComponents.areSame(first.description.keyPath, keyPath)
            return (isItself ? first.property : nil, first.description)
        }
    }
}
