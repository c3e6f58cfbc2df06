// Making objects of classes one does not own observable.
public import KeyValueObserving

/// A subclass that announces the changes of the properties it overrides, so that objects of its superclass can be
/// observed.
///
/// Declare it as a final class without stored properties, and override what is to be observed:
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
/// var book = Book()           // made by others, who know nothing of this
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
    /// An object that already has this class is returned unchanged. Safe from any thread, also for one object from
    /// several threads at once. A thread that uses the object during the call runs either the original accessor or the
    /// override.
    ///
    /// In an optimized build, a function that made the object, or that set one of its properties before this call, goes on
    /// to call the original accessors through the reference that it has. There, use the reference that is returned, or
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
    /// Use it in a function that made the object, or that set one of its properties before. An optimized build looks the
    /// accessors of a class up once for a reference, and would go on to call the original ones. What is set through the
    /// variable after this call is seen, and so is what is set through the reference that is returned.
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

    /// Leads to the object's registrations, which are kept beside the object and end with it.
    public var keyValueRegistrar: KeyValueRegistrar {
        _read {
            if let beside = unsafe BesideStore.beside(self) {
                yield unsafe beside.pointee.registrar
            } else {
                // Nobody can be registered any more, and nobody is notified.
                let registrar = KeyValueRegistrar()
                yield registrar
            }
        }
    }
}
