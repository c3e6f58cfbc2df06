// Objects that own the registrations they make.
public import KeyValueObserving

/// An object that observes others and owns these registrations.
///
/// ```swift
/// final class Badge: KeyValueObservationOwner {
///     let keyValueObservations = KeyValueObservationBag()     // the only line a class needs
///     var text = ""
///
///     func show(_ person: Person) {
///         observe(person, \.name) { badge, person, change in badge.text = change.newValue! }
///     }
/// }
/// ```
///
/// The owner is held weakly and passed to each handler, so handlers need no capture list. It does not retain the
/// objects that it observes, its sources: when a source dies, the registrations on it end. When the owner dies, all of
/// its registrations end at once. So there is no retain cycle, even if two owners observe each other or an owner
/// observes itself.
///
/// Any class can be an owner, observable or not. ``/KeyValueObserving/KVOController`` does the same from a separate object, and can retain
/// what it observes.
public protocol KeyValueObservationOwner: AnyObject {
    /// Keeps the registrations: a stored property, which no other owner has.
    var keyValueObservations: KeyValueObservationBag { get }
}

extension KeyValueObservationOwner {
    /// Calls a handler at every change of a key path of a source, for as long as this owner lives.
    ///
    /// Threads, order and traps, and what may be observed, are as for
    /// ``/KeyValueObserving/KeyValueObservable/observe(_:options:fileID:line:changeHandler:)-(KeyPath<Self,Value>,_,_,_,_)``.
    ///
    /// Sources are distinguished by identity, not by `==`. Registering the same source and key path again from the same
    /// line of the same file is ignored. Another line makes a registration of its own. An owner that is in its `deinit`
    /// registers nothing.
    ///
    /// - Parameters:
    ///   - source: What is observed; it is not retained.
    ///   - keyPath: What to observe, from the source.
    ///   - options: What each delivery carries; by default the old and the new value.
    ///   - fileID: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - line: Where the registration is made, for ``/KeyValueObserving/KeyValueObservable/observationInfo``.
    ///   - changeHandler: Called with this owner, the source and the change. They stay alive while it runs.
    /// - Complexity: The same however many registrations there are at other key paths.
    @inlinable
    public func observe<Source: KeyValueObservable, Value>(
        _ source: Source, _ keyPath: KeyPath<Source, Value>, options: KeyValueObservingOptions = [.old, .new],
        fileID: StaticString = #fileID, line: UInt = #line,
        changeHandler: @escaping @isolated(any) (Self, Source, KeyValueObservedChange<Value>) -> Void
    ) {
        keyValueObservations.registrations.register(
            self, source, keyPath, under: ObjectIdentifier(source), options, isolation: changeHandler.isolation, fileID,
            line,
            ControllerHandler(changeHandler).call)
    }

    /// Ends this owner's registrations of one key path of a source.
    ///
    /// Like the other forms it may be called at any time, on any thread, inside a handler and in `deinit`; nothing
    /// happens where there is nothing to end.
    public func stopObserving<Source: KeyValueObservable>(_ source: Source, _ keyPath: PartialKeyPath<Source>) {
        let (target, owner) = (RegistrationTarget.identity(ofAny: keyPath, on: source), ObjectIdentifier(self))
        keyValueObservations.registrations.remove(from: source, of: owner, at: target)
    }

    /// Ends all registrations of this owner on a source.
    public func stopObserving(_ source: some KeyValueObservable) {
        let owner = ObjectIdentifier(self)
        keyValueObservations.registrations.remove(from: source, of: owner)
    }

    /// Ends all registrations of this owner.
    public func stopObservingAll() {
        let owner = ObjectIdentifier(self)
        keyValueObservations.registrations.removeAll(of: owner)
    }
}
