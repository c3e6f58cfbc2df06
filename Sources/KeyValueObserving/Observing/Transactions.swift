// Notifying observers of several changes together.

/// Runs `body`, and delivers the changes it makes when it has ended.
///
/// ```swift
/// withKeyValueTransaction {
///     person.age = 18
///     person.name = "Ann"
/// }
/// ```
///
/// Changes are made at once; the deliveries of this thread wait until the outermost transaction ends. They come before
/// this function returns the result of `body` or throws its error.
///
/// ### What is delivered
///
/// Each registration is called once for each property, path or expression that changed, with the first old and the last
/// new value, even if both are equal. The observers of the property that changed first are called first, in the order
/// of their registrations. A registration with `.prior` is called once, before its first change.
///
/// - A computed property or a path is evaluated once. Its place in the order is that of the first changed property that
///   it depends on.
/// - One change of elements keeps its kind.
/// - Several changes of elements are a setting of the whole, with these changes as its
///   ``KeyValueObservedChange/steps``, in order. There are no steps if the property was also set as a whole.
///
/// ```swift
/// let token = person.observe(\.tags) { _, change in
///     for step in change.steps { print(step.kind) }
/// }
/// withKeyValueTransaction {
///     person.mutable(\.tags).append("new")
///     person.mutable(\.tags).remove(at: 0)
/// }       // prints "insertion", then "removal"
/// ```
///
/// A registration that is made inside gets the changes made after it, as settings without steps. One that ends inside, or
/// with its object, is not called.
///
/// ### Threads and handlers
///
/// Other threads deliver their changes as always, so hold a lock that guards the objects around the whole transaction;
/// otherwise changes are delivered in another order than they were made. Changes that handlers make when the
/// transaction ends are delivered like those of any handler. ``KeyValueObservation/ignoringChanges(_:)`` around a
/// transaction ignores it; inside one it ignores nothing.
///
/// If `body` runs inside a handler and changes a property that is still being delivered, the other observers of that
/// property are called first, while the transaction is open. Changes they make belong to the transaction.
///
/// - Complexity: A change costs a few allocations more than outside.
@discardableResult
public func withKeyValueTransaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try Transaction.run(body)
}
