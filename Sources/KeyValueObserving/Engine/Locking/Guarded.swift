// A value that several threads share.

/// A value behind a lock.
///
/// No code of users runs while the lock is held.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    // The lock makes accesses exclusive.
    @safe @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
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
