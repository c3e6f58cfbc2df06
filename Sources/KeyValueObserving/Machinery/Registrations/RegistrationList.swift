// Registrations in the order in which they were made.

/// Registrations in the order of their numbers, which is that in which they were made.
///
/// Most lists hold one, which takes no memory of its own.
struct RegistrationList {
    private enum Storage {
        case none
        case one(Registration)
        case many(ContiguousArray<Registration>)
    }

    private var storage = Storage.none

    var count: Int {
        switch storage {
        case .none: 0
        case .one: 1
        case .many(let registrations): registrations.count
        }
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
    var registrations: ContiguousArray<Registration> {
        switch storage {
        case .none: []
        case .one(let registration): [registration]
        case .many(let registrations): registrations
        }
    }

    /// What they need together.
    var needs: KeyValueObservingOptions {
        switch storage {
        case .none: []
        case .one(let registration): registration.origin.needs
        case .many(let registrations): registrations.reduce(into: []) { $0.formUnion($1.origin.needs) }
        }
    }

    /// Those who registered no later than a certain registration.
    func limited(to last: RegistrationID) -> RegistrationList {
        var limited = RegistrationList()
        for registration in registrations where registration.id <= last { limited.insert(registration) }
        return limited
    }

    /// Inserts a registration, nearly always at the end: only another thread can have been quicker with a later one.
    mutating func insert(_ registration: Registration) {
        switch take() {
        case .none:
            storage = .one(registration)
        case .one(let other):
            storage = .many(other.id < registration.id ? [other, registration] : [registration, other])
        case .many(var registrations):
            if registrations[registrations.endIndex - 1].id < registration.id {
                registrations.append(registration)
            } else {
                registrations.insert(registration, at: Self.position(of: registration.id, in: registrations))
            }
            storage = .many(registrations)
        }
    }

    /// Removes a registration; nil if it is not there.
    mutating func remove(_ id: RegistrationID) -> Registration? {
        switch take() {
        case .none:
            return nil
        case .one(let registration):
            if registration.id == id { return registration }
            storage = .one(registration)
            return nil
        case .many(var registrations):
            defer { if !registrations.isEmpty { storage = .many(registrations) } }
            // The newest is the first to go, most often.
            if registrations[registrations.endIndex - 1].id == id { return registrations.popLast() }
            let position = Self.position(of: id, in: registrations)
            guard position < registrations.endIndex, registrations[position].id == id else { return nil }
            return registrations.remove(at: position)
        }
    }

    /// Takes what is stored, so that an array is changed in place.
    private mutating func take() -> Storage {
        var taken = Storage.none
        swap(&taken, &storage)
        return taken
    }

    /// Where a number stands or would stand, by binary search.
    private static func position(of id: RegistrationID, in registrations: ContiguousArray<Registration>) -> Int {
        var low = registrations.startIndex
        var high = registrations.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if registrations[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
