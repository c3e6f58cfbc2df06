// The token that stands for a registration.
import Synchronization

/// A registration: as long as it lives, the handler is called.
///
/// Releasing the last reference, or ``invalidate()``, ends it. It keeps neither the object nor the observer alive.
/// Several registrations on the same key path are independent of one another, and each ends its own.
///
/// It may be used from any thread.
public final class KeyValueObservation: Sendable {
    private let table: ObservationTable
    private let keeper: RegistrationKeeper
    /// The registration's number, or 0 once it has ended.
    private let id: Atomic<RegistrationID>

    init(_ id: RegistrationID, in keeper: RegistrationKeeper, of table: ObservationTable) {
        self.table = table
        self.keeper = keeper
        self.id = Atomic(id)
    }

    deinit {
        invalidate()
    }

    /// Ends the registration and releases its handler.
    ///
    /// When it returns, no further delivery starts; one that is running on another thread may be finishing. It may be
    /// called any number of times, from any thread, inside the handler, in `deinit` and after the object's death.
    public func invalidate() {
        guard id.load(ordering: .relaxed) != 0 else { return }
        let id = id.exchange(0, ordering: .acquiringAndReleasing)
        if id != 0 { keeper.remove(id, from: table) }
    }

    /// Whether the registration has ended, by ``invalidate()`` or because the object died.
    public var isInvalidated: Bool {
        id.load(ordering: .acquiring) == 0 || table.hasEnded
    }
}

extension KeyValueObservation: Hashable {
    /// Whether two references are to the same registration.
    public static func == (left: KeyValueObservation, right: KeyValueObservation) -> Bool { left === right }

    /// Hashes the registration's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension KeyValueObservation {
    /// Keeps the registration in `set`, which then decides how long it lives.
    ///
    /// ```swift
    /// person.observe(\.age) { person, _ in print(person.age) }.store(in: &observations)
    /// ```
    public func store(in set: inout Set<KeyValueObservation>) {
        set.insert(self)
    }
}
