// Observers with one callback for everything, as in Cocoa.
public import KeyValueObserving

/// An observer that receives all its changes in one place.
///
/// It is what Cocoa's `observeValue(forKeyPath:of:change:context:)` is, with the difference that an observer without
/// the method does not compile. ``/KeyValueObserving/KVOController`` calls it for registrations made with a context.
///
/// ```swift
/// final class Panel: KeyValueObserver {
///     private(set) lazy var kvo = KVOController(observer: self)
///
///     func observeValue(
///         forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
///         context: AnyHashable?
///     ) {
///         switch keyPath {
///         case \Person.age: print("age", change.newValue as? Int ?? 0)
///         default: print(change, context ?? "no context")
///         }
///     }
/// }
///
/// let panel = Panel()
/// panel.kvo.observe(person, \.age, options: .new, context: nil)
/// panel.kvo.observe(person, \.name, options: .new, context: "title")
/// person.age = 18         // prints "age 18"
/// person.name = "Ada"     // prints "setting of name, → "Ada" title"
/// ```
public protocol KeyValueObserver: AnyObject {
    /// Receives a change.
    ///
    /// It is called like a handler: on the thread that makes the change, before the change returns.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the registration.
    ///   - object: The object that was registered.
    ///   - change: The change, with values of any type.
    ///   - context: What was given at registration.
    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?)
}

extension KVOController where Observer: KeyValueObserver {
    /// Calls the observer's own `observeValue(forKeyPath:of:change:context:)` at every change of a key path.
    ///
    /// Order, threads, lifetime and traps are those of ``observe(_:_:options:fileID:line:changeHandler:)``. If the observer's
    /// conformance to ``/KeyValueObservingStyles/KeyValueObserver`` belongs to an actor, a change that is made elsewhere traps.
    ///
    /// - Parameters:
    ///   - object: The object; with nil nothing happens.
    ///   - keyPath: What to observe, from the object.
    ///   - options: What each delivery carries; with none, only that something changed.
    ///   - fileID: Where the registration is made, for the listing.
    ///   - line: Where the registration is made, for the listing.
    ///   - context: Handed back with each change.
    @inlinable
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [],
        fileID: StaticString = #fileID, line: UInt = #line, context: AnyHashable?
    ) {
        observe(object, keyPath, options: options, fileID: fileID, line: line) { observer, object, change in
            Self.checkIsolation(observer, change.keyPath)
            observer.observeValue(forKeyPath: change.keyPath, of: object, change: change.erased, context: context)
        }
    }

    /// Traps if the observer conforms on an actor that the calling code does not run on.
    ///
    /// Swift knows the actor of a conformance only where it looks for it.
    @usableFromInline
    static func checkIsolation(_ observer: Any, _ keyPath: AnyKeyPath) {
        guard !(observer is any KeyValueObserver) else { return }
        fatalError(
            """
            \(PropertyNames.text(of: keyPath)) was changed outside the actor that \(TypeName.of(observer)) conforms \
            to KeyValueObserver on. Change the object on that actor, or register with observeOnMainActor(_:) or \
            observe(_:on:), which call the handler there.
            """)
    }
}
