// Registrations that are not notified of what a thread changes.
import CKeyValueObserving

/// The registrations that changes made on this thread are not delivered to, while `ignoringChanges` runs.
@safe struct IgnoredRegistrations {
    private let numbers: Set<RegistrationNumber>

    /// Those of this thread now.
    static var current: Set<RegistrationNumber> {
        unsafe kvo_ignored().map { unsafe $0.assumingMemoryBound(to: Self.self).pointee.numbers } ?? []
    }

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

    /// Whether a registration is left out of a change that was made while this list was the thread's.
    @unsafe static func contains(_ number: RegistrationNumber, in list: UnsafeMutableRawPointer?) -> Bool {
        guard let list = unsafe list else { return false }
        return unsafe list.assumingMemoryBound(to: Self.self).pointee.numbers.contains(number)
    }
}
