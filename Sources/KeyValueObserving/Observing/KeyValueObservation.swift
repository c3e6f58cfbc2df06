// The token of a registration.
import Synchronization

/// A registration, which calls its handler for as long as it lives.
///
/// Releasing the last reference, or ``invalidate()``, ends it. So `_ = person.observe(…)` ends at once, as does an
/// observation in a `weak` or `unowned` variable. It keeps no object alive, and may be used from any thread.
public final class KeyValueObservation: @unchecked Sendable {
    /// The number of the registration, or `ended`, which is stored after the removal and therefore with releasing
    /// order.
    private let number: Atomic<RegistrationNumber>
    /// The keeper of the registration, which releases the handler at its end.
    private let keeper: any RegistrationKeeper

    private static var ended: RegistrationNumber { .max }

    /// It is inlined, because each registration creates a token.
    @inline(__always)
    init(_ number: RegistrationNumber, in keeper: any RegistrationKeeper) {
        self.number = Atomic(number)
        self.keeper = keeper
    }

    /// The number of the registration; nil once it has been ended.
    private var activeNumber: RegistrationNumber? {
        let number = number.load(ordering: .acquiring)
        return number == Self.ended ? nil : number
    }

    deinit { invalidate() }

    /// Ends the registration and releases its handler.
    ///
    /// When it returns, no further delivery starts; one that is running on another thread may be finishing. It may be
    /// called any number of times, also inside the handler, in `deinit` and after the object's death.
    public func invalidate() {
        // Another thread that comes meanwhile also removes the registration, or finds that it has been removed.
        guard let activeNumber else { return }
        keeper.remove(activeNumber)
        number.store(Self.ended, ordering: .releasing)
    }

    /// Whether the registration has ended: by ``invalidate()``, or by the death of the object, of the actor that its
    /// handler is delivered on, of one of two objects that are bound both ways, or of the observer of a controller that it
    /// was stored in.
    public var isInvalidated: Bool {
        activeNumber == nil || keeper.hasEnded || registrations.contains(where: \.isOrphaned)
    }

    /// Whether the registration has ended because more changes waited than
    /// ``KeyValueBufferingPolicy/finishing(after:)`` allows; the waiting ones are still delivered.
    public var hasOverflowed: Bool { keeper.hasOverflowed }

    /// Runs `body`, and does not deliver the changes that close meanwhile to this registration.
    ///
    /// ```swift
    /// let observation = person.observe(\.age) { _, _ in print("changed") }
    /// observation.ignoringChanges { person.age = 18 }     // only other observers are notified
    /// ```
    ///
    /// Only changes that close on this thread while `body` runs are left out, now and later. Changes made before are
    /// still delivered to this registration, even if `body` runs inside a handler. A transaction inside `body` is left
    /// out; one that was open before is delivered at its end, with the changes of `body`. The old value of the next
    /// call is the value last delivered to the handler; for a stored property without `.distinct`, it is the value that
    /// the change replaced.
    @discardableResult
    public func ignoringChanges<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let numbers = ignorableNumbers
        return numbers.isEmpty ? try body() : try IgnoredRegistrations.adding(numbers, of: nil, body)
    }

    /// A label that tells this registration apart in listings and traces; nil once it has ended.
    ///
    /// ```swift
    /// let observation = person.observe(\.age) { _, change in print(change) }
    /// observation.label = "age of the first row"
    /// print(person.observationInfo[0].label!)     // prints "age of the first row"
    /// ```
    ///
    /// Listings, traces and the inspector show it. If nothing else names a computed property or an expression, it is
    /// also the ``KeyValueObservedChange/name`` of its changes. A token for several registrations labels all of them.
    public var label: String? {
        get { registrations.first?.label }
        set { for registration in registrations { registration.setLabel(newValue) } }
    }

    /// Its registrations; empty once it has ended.
    var registrations: [Registration] { activeNumber.map(keeper.registrations) ?? [] }

    /// The numbers of its registrations, which this prepares for being ignored.
    var ignorableNumbers: [RegistrationNumber] {
        registrations.map { registration in
            registration.becomeIgnorable()
            return registration.number
        }
    }

    /// Keeps the registration in `set`, which then decides how long it lives.
    ///
    /// ```swift
    /// person.observe(\.age) { person, _ in print(person.age) }.store(in: &observations)
    /// ```
    public func store(in set: inout Set<KeyValueObservation>) { set.insert(self) }

    /// Keeps the registration in an array or another collection, which then decides how long it lives.
    public func store(in collection: inout some RangeReplaceableCollection<KeyValueObservation>) {
        collection.append(self)
    }

    /// The objects that its registrations are made on; empty once it has ended.
    var objects: [AnyObject] { activeNumber == nil ? [] : keeper.objects }

    /// Makes its present and future registrations end with an observer.
    func end(with observer: ObserverLink) {
        if let activeNumber { keeper.end(activeNumber, with: observer) }
    }

    /// Identifies the property or watch of the registration; nil once it has ended.
    var target: ObjectIdentifier? { activeNumber == nil ? nil : keeper.target }

    /// The key path of the registration; nil once it has ended.
    var keyPath: AnyKeyPath? { activeNumber == nil ? nil : keeper.keyPath }
}

extension KeyValueObservation: CustomDebugStringConvertible, Hashable, CustomReflectable {
    /// Whether two references are to the same registration.
    public static func == (left: KeyValueObservation, right: KeyValueObservation) -> Bool { left === right }

    /// Hashes the registration's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The key path of the registration, such as `KeyValueObservation of age`, or that it has ended.
    public var debugDescription: String {
        guard !isInvalidated, let keyPath else { return "KeyValueObservation, ended" }
        return "KeyValueObservation of \(PropertyNames.text(of: keyPath))"
    }

    /// An empty mirror, because the parts of a registration may belong to an object that is gone.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The keeper of several registrations of one call.
private final class RegistrationGroup: RegistrationKeeper {
    private let observations: [KeyValueObservation]

    init(_ observations: [KeyValueObservation]) { self.observations = observations }

    func remove(_: RegistrationNumber) { for observation in observations { observation.invalidate() } }

    func registrations(_: RegistrationNumber) -> [Registration] { observations.flatMap(\.registrations) }

    /// The key path of the first one.
    var keyPath: AnyKeyPath? { observations.lazy.compactMap(\.keyPath).first }

    var hasEnded: Bool { observations.allSatisfy(\.isInvalidated) }

    var hasOverflowed: Bool { observations.contains(where: \.hasOverflowed) }

    var objects: [AnyObject] { observations.flatMap(\.objects) }

    func end(_: RegistrationNumber, with observer: ObserverLink) {
        for observation in observations { observation.end(with: observer) }
    }
}

extension KeyValueObservation {
    /// Creates a token for several registrations.
    convenience init(_ observations: [KeyValueObservation]) { self.init(0, in: RegistrationGroup(observations)) }
}
