// Observers with one callback for everything, as in Cocoa.
public import KeyValueObserving

/// An observer that receives all its changes in one place.
///
/// An observer without the method does not compile. ``/KeyValueObserving/KVOController`` calls it for registrations made
/// with a context.
///
/// ```swift
/// final class Panel: KeyValueObserver {
///     func observeValue(
///         forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
///         context: AnyHashable?
///     ) { print(change, context ?? "no context") }
/// }
///
/// let panel = Panel()
/// let kvo = KVOController(observer: panel)
/// kvo.observe(person, \.name, options: .new, context: "title")
/// person.name = "Ada"     // prints "setting of name, → "Ada" title"
/// ```
public protocol KeyValueObserver: AnyObject {
    /// Receives a change, as a handler does: on the thread that makes the change, before the change returns.
    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?)
}

extension KVOController where Observer: KeyValueObserver {
    /// Calls the observer's own `observeValue(forKeyPath:of:change:context:)` at every change of a key path.
    ///
    /// Everything else is as for ``observe(_:_:options:fileID:line:changeHandler:)``. If the observer's conformance to
    /// ``/KeyValueObservingStyles/KeyValueObserver`` belongs to an actor, a change made outside that actor traps.
    public func observe<Object: KeyValueObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line, context: AnyHashable?
    ) {
        observe(object, keyPath, options: options, fileID: fileID, line: line) { observer, object, change in
            checkIsolation(of: observer, change.keyPath)
            observer.observeValue(forKeyPath: change.keyPath, of: object, change: change.erased, context: context)
        }
    }
}

/// Traps if the observer conforms on an actor that the calling code does not run on.
///
/// Swift checks the actor of a conformance only where it looks up the conformance, not where the type states it.
@inline(never)
private func checkIsolation(of observer: Any, _ keyPath: AnyKeyPath) {
    if observer is any KeyValueObserver { return }
    fatalError(
        """
        \(PropertyNames.text(of: keyPath)) was changed outside the actor that \(TypeName.of(observer)) conforms to \
        KeyValueObserver on. Change the object on that actor, or have changes(of:) delivered there, \
        by deliverOnMainActor(_:) or deliver(to:_:).
        """)
}
