// Asking a class what it says of itself, once.
import CKeyValueObserving

/// Lets one thread at a time ask a class.
///
/// What a class answers is code of users. It runs under no lock but this one. This lock only makes a second thread wait
/// if it would ask the same class. A thread that is asking takes no such lock again, so threads cannot wait for one
/// another in a circle.
struct ClassInquiry: ~Copyable, Sendable {
    private let lock = Lock()

    /// The answer that is known, or else the one that is given now.
    borrowing func answer<Fact>(known: () -> Fact?, ask: () -> Fact) -> Fact {
        if let known = known() { return known }
        if kvo_asks_class() { return ask() }
        return lock.withLock {
            if let known = known() { return known }
            kvo_set_asks_class(true)
            defer { kvo_set_asks_class(false) }
            return ask()
        }
    }
}

extension Guarded {
    /// What is kept for a class, made now if this is the first use.
    func entry<Entry>(of type: Any.Type, orElse make: () -> Entry) -> Entry where Value == [ObjectIdentifier: Entry] {
        withLock { entries in
            if let entry = entries[ObjectIdentifier(type)] { return entry }
            let entry = make()
            entries[ObjectIdentifier(type)] = entry
            return entry
        }
    }
}
