// Registrations in the order in which they were recorded.

/// Registrations in the order of their numbers, which is the order in which they were recorded.
///
/// Most lists hold one, which takes no memory of its own.
struct RegistrationList {
    private enum Storage {
        case none
        case one(Registration)
        case many(ContiguousArray<Registration>)
    }

    private var storage = Storage.none

    init() {}

    /// Registrations in their order.
    init(_ registrations: [Registration]) {
        for registration in registrations { append(registration) }
    }

    var isEmpty: Bool {
        if case .none = storage { true } else { false }
    }

    var last: Registration? {
        switch storage {
        case .none: nil
        case .one(let registration): registration
        case .many(let registrations): registrations.last
        }
    }

    /// All of them.
    var all: ContiguousArray<Registration> {
        switch storage {
        case .none: []
        case .one(let registration): [registration]
        case .many(let registrations): registrations
        }
    }

    /// Calls `body` with each in turn, without an array for a single one.
    func visit(_ body: (Registration) -> Void) {
        switch storage {
        case .none: break
        case .one(let registration): body(registration)
        case .many(let registrations): registrations.forEach(body)
        }
    }

    /// The values that they need together.
    var needs: ValueNeeds {
        var needs: ValueNeeds = []
        visit { needs.formUnion($0.site.needs) }
        return needs
    }

    /// Adds a registration that has just got its number.
    mutating func append(_ registration: Registration) {
        switch take() {
        case .none:
            storage = .one(registration)
        case .one(let other):
            storage = .many([other, registration])
        case .many(var registrations):
            registrations.append(registration)
            storage = .many(registrations)
        }
    }

    /// Removes a registration and ends it; nil if it is not there.
    ///
    /// - Returns: The registration, to release without a lock.
    mutating func remove(_ number: RegistrationNumber) -> Registration? {
        var removed: Registration?
        switch take() {
        case .none:
            return nil
        case .one(let registration):
            if registration.number == number { removed = registration } else { storage = .one(registration) }
        case .many(var registrations):
            if let position = Self.position(of: number, in: registrations) {
                removed = registrations.remove(at: position)
            }
            if !registrations.isEmpty { storage = .many(registrations) }
        }
        removed?.end()
        return removed
    }

    /// The registration with a number; empty if it is not there.
    func registrations(_ number: RegistrationNumber) -> [Registration] {
        let all = all
        return Self.position(of: number, in: all).map { [all[$0]] } ?? []
    }

    /// Takes the storage out, so that an array is changed in place.
    private mutating func take() -> Storage {
        var taken = Storage.none
        swap(&taken, &storage)
        return taken
    }

    /// The position of a number, by binary search; nil if it is not there.
    private static func position(
        of number: RegistrationNumber, in registrations: ContiguousArray<Registration>
    ) -> Int? {
        // Most often, the newest one is removed first.
        if let last = registrations.last, last.number == number { return registrations.endIndex - 1 }
        var (low, high) = (registrations.startIndex, registrations.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if registrations[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < registrations.endIndex && registrations[low].number == number ? low : nil
    }
}
