// Several changes that observers are notified of together.

/// Runs `body`, and delivers the changes that it makes when it has ended.
///
/// ```swift
/// withKeyValueTransaction {
///     person.age = 18
///     person.name = "Ann"
/// }
/// ```
///
/// Changes are made at once; the deliveries of this thread wait until the outermost transaction ends, and come before
/// this returns what `body` returns, or throws what it throws.
///
/// ### What is delivered
///
/// The observers of the property that changed first are called first, in the order of their registrations. Each of them
/// gets all that concerns it before the next one is called, and with `.prior` one call before its first change:
///
/// - Settings of a property that follow one another are one, with the first old and the last new value, even if both
///   are equal.
/// - Changes of elements are delivered as they were made.
/// - A computed property or a path is evaluated once, and delivered as one setting. Its place in the order is that of
///   the first property that changed and that it depends on.
///
/// A registration that is made inside gets the changes made after it. One that ends inside, or with its object, gets
/// none.
///
/// ### Threads and handlers
///
/// Other threads deliver their changes as always, so a lock that guards the objects has to be held around the whole
/// transaction; otherwise changes are delivered in another order than they were made. Changes that handlers make when
/// the transaction ends are delivered like those of any handler.
///
/// If `body` runs inside a handler and changes a property that is still being delivered, the other observers of that
/// property are called first, while the transaction is open. What they change belongs to the transaction.
///
/// - Complexity: A change costs a few allocations more than outside.
@discardableResult
public func withKeyValueTransaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try Transaction.run(body)
}
