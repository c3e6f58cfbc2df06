// What is reported of properties to another system of observation.

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
    // The accessors ask whether the class wants reports, which is a constant in an optimized build. What follows from that is
    // here, so that the accessors of other classes do not compile it in order to remove it.

    /// Reports an access by an accessor of a class that wants reports.
    @usableFromInline @inline(never)
    func reportAccess<Value>(_ access: _PropertyAccess, to wrapped: () -> ReferenceWritableKeyPath<Self, Value>) {
        Self._reportPropertyAccess(access, of: self, at: wrapped(), Value.self)
    }

    /// Reports that an accessor of a class that wants reports begins an access in place.
    @usableFromInline @inline(never)
    func reportAccessInPlace<Value>(to wrapped: () -> ReferenceWritableKeyPath<Self, Value>) {
        let keyPath = wrapped()
        // What its getter reads first has to be found before it is accessed and cannot be read.
        _ = firstRead(of: keyPath)
        Self._reportPropertyAccess(.read, of: self, at: keyPath, Value.self)
        Self._reportPropertyAccess(.willChange, of: self, at: keyPath, Value.self)
    }

    /// Reports an access to a property of this object whose type is not known here.
    @usableFromInline
    func reportAccess(_ access: _PropertyAccess, at keyPath: AnyKeyPath) {
        func open<Value>(_: Value.Type) {
            let root = type(of: keyPath).rootType as? any KeyValueObservable.Type ?? Self.self
            root._reportPropertyAccess(access, of: self, at: keyPath, Value.self)
        }
        _openExistential(type(of: keyPath).valueType, do: open)
    }

    /// Reports that a change is announced manually, if the class asks for that.
    ///
    /// Reads of the property are tracked under what its getter reads first.
    func reportManualChange<Value>(_ access: _PropertyAccess, at keyPath: KeyPath<Self, Value>) {
        guard Self._reportsPropertyAccesses else { return }
        reportAccess(access, at: firstRead(of: keyPath)?.property.keyPath ?? keyPath)
    }

    /// What the getter of a property reads first of its object, found once for the class by reading the property.
    ///
    /// It is the property itself, what that overrides, or what it is computed from. It is not read if it is known as a
    /// superclass writes it: it may be accessed in place now.
    ///
    /// - Returns: What is read, with its identity if it is the property itself; nil if nothing is, or if the key path has
    ///   arguments.
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
