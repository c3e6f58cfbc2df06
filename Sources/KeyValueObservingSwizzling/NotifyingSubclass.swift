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
/// let book = Book()           // made by others, who know nothing of this
/// let titles = try NotifyingBook.makeObservable(book).observe(\.title, options: .new) { print($1.newValue!) }
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
    /// - Parameter object: An object whose class is exactly this one's superclass, or this one.
    /// - Returns: The same object.
    /// - Throws: ``NotifyingSubclassError`` if this class has stored properties, or the object is of another class, has
    ///   another notifying subclass, or is being destroyed. The object is then as it was.
    /// - Complexity: O(1).
    public static func makeObservable(_ object: AnyObject) throws -> Self {
        try unsafe unsafeDowncast(NotifyingClass.of(Self.self).adopt(object), to: Self.self)
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
