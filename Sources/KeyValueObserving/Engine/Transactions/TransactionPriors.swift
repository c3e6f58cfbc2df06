// Who has been called before a change in a transaction.

/// The registrations of one property or path that have been called before a change.
///
/// Each is called once, before the first change that it is notified of.
struct TransactionPriors {
    /// The registrations up to this number have been called, except those that were left out.
    private var last: RegistrationNumber = 0
    /// The registrations that ignored all changes so far.
    private var leftOut: Set<RegistrationNumber> = []

    /// Notes who is called before a change that is about to be made.
    ///
    /// - Parameters:
    ///   - registrations: Those that there are.
    ///   - newest: The number of the last one that the change concerns.
    /// - Returns: Those that are to be called.
    mutating func take(from registrations: RegistrationList, upTo newest: RegistrationNumber) -> [Registration] {
        guard newest > last || !leftOut.isEmpty else { return [] }
        // Those that came since the last time stand at the end.
        let candidates = leftOut.isEmpty ? registrations.after(last) : registrations.all[...]
        let due = candidates.filter { registration in
            let number = registration.number
            return number <= newest && (number > last || leftOut.contains(number))
                && registration.site.options.contains(.prior)
        }
        last = max(last, newest)
        let ignored = IgnoredRegistrations.current
        leftOut = ignored.intersection(due.map(\.number))
        return due.filter { !leftOut.contains($0.number) }
    }

    /// Notes that those whom a change concerns have been called before it.
    ///
    /// A change that began before the transaction called them when it began.
    ///
    /// - Parameters:
    ///   - registrations: Those that there are.
    ///   - newest: The number of the last one that the change concerns.
    mutating func noteCalled(from registrations: RegistrationList, upTo newest: RegistrationNumber) {
        if newest > last { _ = take(from: registrations, upTo: newest) }
    }
}
