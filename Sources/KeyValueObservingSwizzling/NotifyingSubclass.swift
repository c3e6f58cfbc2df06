// Making objects of classes that you don't own observable.
public import KeyValueObserving

/// A subclass that announces the changes of the properties it overrides, so that objects of its superclass can be
/// observed.
///
/// Declare it as a final class without stored properties, and override the properties to observe:
///
/// <!-- snippet: nonisolated, because Swift 6.3 rejects a subclass of any class with an implicit initializer there -->
/// ```swift
/// import KeyValueObservingSwizzling
///
/// // In another package:
/// open class Book {
///     open var title = ""
///     public init() {}
/// }
///
/// // Here:
/// final class NotifyingBook: Book, NotifyingSubclass {
///     override var title: String {
///         get {
///             accessValue(for: \.title)
///             return super.title
///         }
///         set { changeValue(for: \.title) { super.title = newValue } }
///     }
/// }
///
/// var book = Book()           // made by code that does not know this class
/// let titles = try NotifyingBook.makeObservable(&book).observe(\.title, options: .new) { print($1.requiredNewValue) }
/// book.title = "Dune"         // prints "Dune"
/// ```
///
/// Only `open` classes can be subclassed in another module, and only their `open` properties overridden. The article
/// *Objects of classes that are not yours* says which changes are seen and which are not.
public protocol NotifyingSubclass: KeyValueObservable {}

extension NotifyingSubclass {
    /// Changes the class of an object from the superclass to this class.
    ///
    /// From then on, setting an overridden property runs the override, which notifies the observers. The object keeps
    /// its address, its identity, its hash, its equality and its stored values. Only `type(of:)` and casts see the new
    /// class. This cannot be undone.
    ///
    /// An object that already has this class is returned unchanged. You may call this from any thread, and from several
    /// threads at once for one object. A thread that uses the object during the call runs either the original accessor
    /// or the override.
    ///
    /// In an optimized build, a function that made the object, or that set one of its properties before this call,
    /// keeps calling the original accessors through its reference. There, use the returned reference, or
    /// ``makeObservable(_:)-(Object)``, which changes the function's variable.
    ///
    /// - Parameter object: An object whose class is exactly this one's superclass, or this one.
    /// - Returns: The same object.
    /// - Throws: ``NotifyingSubclassError`` if this class has stored properties, or the object is of another class, has
    ///   another notifying subclass, or is being destroyed. The object is then as it was.
    /// - Complexity: O(1).
    public static func makeObservable(_ object: AnyObject) throws -> Self {
        try unsafe unsafeDowncast(NotifyingClass.of(Self.self).adopt(object), to: Self.self)
    }

    /// Changes the class of the object that a variable holds, as ``makeObservable(_:)-(AnyObject)`` does.
    ///
    /// Use it in a function that made the object, or that set one of its properties before. An optimized build looks up
    /// the accessors of a class once for a reference, and would keep calling the original ones. Observers are called
    /// for properties set through the variable after this call, or through the returned reference.
    ///
    /// ```swift
    /// import Foundation
    /// import KeyValueObservingFoundation
    ///
    /// var progress = Progress(totalUnitCount: 4)
    /// progress.completedUnitCount = 1
    /// let counts = try NotifyingProgress.makeObservable(&progress).observe(\.completedUnitCount, options: .new) {
    ///     print($1.requiredNewValue)
    /// }
    /// progress.completedUnitCount = 2         // prints "2"
    /// ```
    ///
    /// - Parameter object: A variable with such an object, of the type of one of this class's superclasses. It holds the
    ///   same object afterwards.
    /// - Returns: The same object.
    /// - Throws: ``NotifyingSubclassError``, as ``makeObservable(_:)-(AnyObject)`` does.
    /// - Complexity: O(1).
    @discardableResult
    // The optimizer must not see that the variable holds the same object again.
    @inline(never)
    @_optimize(none)
    public static func makeObservable<Object: AnyObject>(_ object: inout Object) throws -> Self {
        let made = try makeObservable(object as AnyObject)
        object = unsafe unsafeDowncast(made, to: Object.self)
        return made
    }

    /// The object's registrar, kept beside the object and ending with it.
    public var keyValueRegistrar: KeyValueRegistrar {
        _read {
            if let beside = unsafe BesideStore.beside(self) {
                yield unsafe beside.pointee.registrar
            } else {
                // The object is ending, so no registration is possible and no observer is called.
                let registrar = KeyValueRegistrar()
                yield registrar
            }
        }
    }
}
