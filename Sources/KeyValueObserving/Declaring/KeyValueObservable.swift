// The protocol of observable classes.

/// A class that lets you observe its `@Observed` properties and everything computed from them.
///
/// Conform by adding one line, and mark the stored properties that others may watch:
///
/// ```swift
/// class Person: KeyValueObservable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     @Observed var age = 0
///     var isAdult: Bool { age >= 18 }      // computed from an observed property: observable too
/// }
/// ```
///
/// Subclasses inherit the conformance and share the registrar. A `@MainActor` class conforms like any other; when it
/// overrides one of the static functions it conforms as `@MainActor KeyValueObservable`.
///
/// Adding and removing observations is safe from any thread. The values of the properties are as safe as the class
/// makes them: see ``Observed``.
public protocol KeyValueObservable: AnyObject {
    /// Leads to the object's registrations. Declare it as `let keyValueRegistrar = KeyValueRegistrar()`.
    var keyValueRegistrar: KeyValueRegistrar { get }

    /// Whether setting the property notifies its observers by itself.
    ///
    /// True by default, for every property. Return false for a manual property, which announces its changes with
    /// ``willChangeValue(for:)`` and ``didChangeValue(for:)``. Setting it then notifies no observer; `.initial` is
    /// still delivered. A view of it, ``mutable(_:)``, announces the elements that it changes. (Foundation calls this
    /// `automaticallyNotifiesObservers(forKey:)`.)
    ///
    /// To let subclasses decide for inherited properties, declare it as `class func` in the class that conforms.
    /// Subclasses override it and call `super` for the rest. If the class that conforms does not declare it, Swift
    /// binds its conformance to this protocol's default: a function of this name in a subclass is never called. Write
    /// `override` in subclasses: the compiler then refuses a function that would not be called.
    ///
    /// It is called once for each class and property, on the thread that first observes it, and its result is kept. For
    /// a key path with arguments it is called each time. No lock is held during the call, so several threads may call
    /// it at the same time.
    ///
    /// - Parameter keyPath: The property: a stored one as the class that declares it writes it, any other as the
    ///   observer writes it.
    /// - Returns: True if setting the property notifies.
    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool

    /// The key paths that affect the value of a property, in addition to those that its getter reads.
    ///
    /// Empty by default, and rarely needed: the library finds the properties that a getter reads. Declare a dependency
    /// that it cannot find, such as a manual property whose getter does not call ``accessValue(for:name:)``. The key
    /// paths start at this class or one it inherits from, and may lead through other objects. Cycles are allowed.
    /// (Foundation calls this `keyPathsForValuesAffectingValue(forKey:)`.)
    ///
    /// To let subclasses declare dependencies, declare it as `class func` in the class that conforms. A subclass that
    /// overrides it adds to what `super` returns. If the class that conforms does not declare it, a function of this name
    /// in a subclass is never called. Write `override` in subclasses: the compiler then refuses a function that would not
    /// be called.
    ///
    /// It is called at the same times, and with the same key path, as ``automaticallyNotifiesObservers(for:)``.
    ///
    /// - Parameter keyPath: The property.
    /// - Returns: Key paths rooted at this class or one it inherits from.
    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath>

    // The library's own products implement the following. These are requirements of this protocol, so that the
    // accessors need not look up another conformance; in an optimized build, they check a constant.

    /// Tells the compiler whether accesses may be reported; the class that conforms first decides.
    associatedtype _Reporting
    static var _reporting: _Reporting.Type { get }

    /// Whether each access to an observed property is reported.
    ///
    /// False by default. It then costs nothing: an optimized build removes the check. One that is true is a constant, too.
    static var _reportsPropertyAccesses: Bool { get }

    /// Called for each access to an observed property, if accesses are reported.
    ///
    /// It is called on the thread of the access: before a read, before a change, and after the observers of a change
    /// were called. The key path is the same one for all accesses to a property, as the class that declares the
    /// property writes it. It does nothing by default.
    ///
    /// - Parameters:
    ///   - access: What happens to the property.
    ///   - object: The object, an instance of this class.
    ///   - keyPath: Identifies the property: a `KeyPath<Self, Stored>`.
    ///   - type: The type that the key path leads to.
    static func _reportPropertyAccess<Stored>(
        _ access: _PropertyAccess, of object: AnyObject, at keyPath: AnyKeyPath, _ type: Stored.Type)
}

extension KeyValueObservable {
    /// Every property notifies by itself.
    public static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { true }

    /// No property has declared dependencies.
    public static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }
}

extension KeyValueObservable where Self: Actor {
    /// Not available: Swift makes no key paths to the properties of an actor, so no key path could name the property to
    /// observe.
    @available(
        *, unavailable,
        message: """
            an actor cannot be observed, because there are no key paths to its properties; let it own an object that \
            can, or isolate a class to a global actor
            """
    )
    public static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }
}
