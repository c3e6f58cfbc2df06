// The registrations that a change concerns.

/// The registrations that a change concerns: up to a number, without those that its thread ignored.
struct ConcernedRegistrations {
    private(set) var newest: RegistrationNumber
    /// Nil if there are none.
    let ignored: Set<RegistrationNumber>?
    /// Those that later changes concern, which ignored others.
    private var others: [ConcernedRegistrations]?

    init(
        upTo newest: RegistrationNumber,
        ignoring ignored: Set<RegistrationNumber>? = IgnoredRegistrations.innermost?.with { $0.all }
    ) {
        self.newest = newest
        self.ignored = ignored
    }

    func contains(_ number: RegistrationNumber) -> Bool {
        number <= newest && !(ignored?.contains(number) ?? false) || others?.contains { $0.contains(number) } ?? false
    }

    /// Adds those that another change concerns.
    mutating func add(_ other: ConcernedRegistrations) {
        if ignored == other.ignored { newest = max(newest, other.newest) } else { others = (others ?? []) + [other] }
    }

    /// The newest of all.
    var newestOfAll: RegistrationNumber { others?.reduce(newest) { max($0, $1.newest) } ?? newest }
}
