// The registrations that a change concerns.

/// The registrations that a change concerns: up to a number, without those that its thread ignored.
struct ConcernedRegistrations {
    private(set) var newest: RegistrationNumber
    /// Nil if there are none.
    private(set) var ignored: Set<RegistrationNumber>?

    init(
        upTo newest: RegistrationNumber,
        ignoring ignored: Set<RegistrationNumber>? = IgnoredRegistrations.innermost?.with { $0.all }
    ) {
        self.newest = newest
        self.ignored = ignored
    }

    func contains(_ number: RegistrationNumber) -> Bool {
        number <= newest && !(ignored?.contains(number) ?? false)
    }

    /// Whether a setting that concerns others goes on with one that concerns these.
    func include(_ newest: RegistrationNumber, ignoring ignored: Set<RegistrationNumber>?) -> Bool {
        newest <= self.newest && ignored == self.ignored
    }

    /// Leaves out some.
    mutating func ignore(_ numbers: [RegistrationNumber]) { ignored = (ignored ?? []).union(numbers) }

    /// Adds those that another change concerns.
    mutating func add(_ other: ConcernedRegistrations) {
        if ignored != nil || other.ignored != nil {
            let (one, both) = (self, (ignored ?? []).union(other.ignored ?? []))
            ignored = both.filter { !one.contains($0) && !other.contains($0) }
        }
        newest = max(newest, other.newest)
    }
}
