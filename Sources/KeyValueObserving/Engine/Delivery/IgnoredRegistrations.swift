// Registrations that are not notified of what a thread changes.
import CKeyValueObserving

/// The registrations that changes made on this thread are not delivered to, while `ignoringChanges` runs.
struct IgnoredRegistrations {
    private let numbers: Set<RegistrationNumber>

    /// Where they are listed, for changes made meanwhile; the frame that runs `ignoringChanges` holds them.
    @safe struct List {
        private let pointer: UnsafeMutableRawPointer

        /// That of this thread; nil if there is none.
        static var current: List? { unsafe kvo_ignored().map { unsafe List(pointer: $0) } }

        fileprivate var registrations: IgnoredRegistrations {
            unsafe pointer.assumingMemoryBound(to: IgnoredRegistrations.self).pointee
        }

        /// Whether a registration is left out.
        func contains(_ number: RegistrationNumber) -> Bool { registrations.numbers.contains(number) }
    }

    /// Those of this thread now.
    static var current: Set<RegistrationNumber> { List.current?.registrations.numbers ?? [] }

    /// Runs `body`, whose changes are not delivered to the registrations with these numbers.
    static func adding<Result, Failure: Error>(
        _ numbers: some Sequence<RegistrationNumber>, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outer = unsafe kvo_ignored()
        var all = Self(numbers: current.union(numbers))
        return try unsafe withUnsafeMutablePointer(to: &all) { (all) throws(Failure) -> Result in
            unsafe kvo_set_ignored(all)
            defer { unsafe kvo_set_ignored(outer) }
            return try body()
        }
    }
}
