// The controller, with the registrations of one observer on any number of objects.

/// Keeps the registrations of one observer on any number of objects, and ends them when either dies.
///
/// ```swift
/// final class Screen {
///     private(set) lazy var kvo = KVOController(observer: self)
///
///     func show(_ person: Person) {
///         kvo.observe(person, \.age, options: [.initial, .new]) { screen, person, change in
///             screen.draw(age: change.requiredNewValue)
///         }
///     }
///
///     private func draw(age: Int) { print(age) }
/// }
/// ```
///
/// The observer is held weakly and handed to each handler, so handlers need no capture list. While a handler runs, the
/// observer, the controller, the object and the registration stay alive.
///
/// ### Lifetime
///
/// Releasing the controller ends all its registrations. Nothing is delivered after the observer has died, and the
/// registrations are gone at the latest after the next change. By default, the controller retains an object as long as
/// it observes it, except the observer itself, so observing oneself makes no cycle. With `retainsObserved: false`, the
/// controller retains nothing, and an object that dies takes its registrations with it.
///
/// ### Observing and removing
///
/// Every form of `observe`, `onChange` and `perform` takes an object; with nil, nothing happens. `options` selects the
/// values of each delivery, and `fileID` and `line` are for the listing. Handlers get the observer first. Add
/// registrations made in other ways with ``KeyValueObservation/store(in:)-(KVOController<AnyObject>)``.
///
/// Every form of `unobserve` may be called inside a handler, and for objects and key paths that were never observed.
/// All are thread-safe.
public final class KVOController<Observer: AnyObject> {
    /// The observer, as long as it lives.
    public private(set) weak var observer: Observer?
    @usableFromInline package let registrations: ControllerRegistrations

    /// The policy for observing the same key path of the same object again.
    @nonexhaustive public enum DuplicatePolicy: Sendable {
        /// A repeated call, from the same line of the same file, replaces the earlier one: the newest handler counts,
        /// and comes last in the order. Another call makes a registration of its own, and `unobserve` removes both.
        ///
        /// In a loop that registers several handlers for one key path of one object, only the last one stays, and
        /// ``KeyValueDiagnostics/noteHandler`` is called, once for each line. Use ``allow`` there.
        case replaceRepeated
        /// The first registration stays, wherever the second one is made; a note says so once for each pair of lines.
        case ignore
        /// The new registration is made, last in the order, and then the earlier one is removed.
        case replace
        /// Both are kept; `unobserve` removes both.
        case allow
    }

    /// Creates a controller for an observer.
    ///
    /// - Parameters:
    ///   - observer: Handed to the handlers, and held weakly.
    ///   - retainsObserved: Whether observed objects are kept alive while they are observed.
    ///   - duplicates: The policy for observing the same key path of the same object again.
    public convenience init(
        observer: Observer, retainsObserved: Bool = true, duplicates: DuplicatePolicy = .replaceRepeated
    ) {
        let policy: KVOController<AnyObject>.DuplicatePolicy =
            switch duplicates {
            case .replaceRepeated: .replaceRepeated
            case .ignore: .ignore
            case .replace: .replace
            case .allow: .allow
            }
        let registrations = ControllerRegistrations(retainsObserved: retainsObserved, duplicates: policy)
        self.init(observer: observer, registrations: registrations)
    }

    /// Creates a controller with registrations that it may share with other controllers of the same object.
    init(observer: Observer?, registrations: ControllerRegistrations) {
        self.observer = observer
        self.registrations = registrations
    }

    /// Ends the registration of one key path of one object.
    public func unobserve<Object: KeyValueObservable>(_ object: Object?, _ keyPath: PartialKeyPath<Object>) {
        guard let object else { return }
        registrations.remove(from: object, at: Registering.identity(ofAny: keyPath, on: object))
    }

    /// Ends all registrations on one object.
    public func unobserve<Object: KeyValueObservable>(_ object: Object?) {
        if let object { registrations.remove(from: object) }
    }

    /// Ends all registrations.
    public func unobserveAll() { registrations.removeAll() }

    /// Runs `body`, and does not deliver the changes that close meanwhile to the registrations of this controller.
    ///
    /// ```swift
    /// kvo.ignoringChanges { person.age = 18 }     // only other observers are notified
    /// ```
    ///
    /// These are all that the controller has when a change closes, on whichever object. Everything else is as for
    /// ``KeyValueObservation/ignoringChanges(_:)``.
    @discardableResult
    public func ignoringChanges<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try registrations.ignoringChanges(body)
    }
}

extension KVOController: CustomDebugStringConvertible {
    /// The observer's type, and the key paths it observes with their options, such as
    /// `KVOController of Screen, observing Person at age [new, old]`; safe from any thread.
    public var debugDescription: String {
        let name = TypeName.text(of: Observer.self)
        let owner = observer == nil ? "KVOController, whose \(name) is gone" : "KVOController of \(name)"
        let entries = registrations.all.map { entry in
            for type in entry.objectTypes { PropertyNames.noteNames(of: type) }
            return "\(entry.objectText) at \(entry.keyPathText) \(entry.options)"
        }
        return "\(owner), observing \(entries.isEmpty ? "nothing" : entries.joined(separator: "; "))"
    }
}
