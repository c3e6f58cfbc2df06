// Registrations in the order in which they were recorded.

/// Registrations in the order of their numbers, which is that in which they were recorded.
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

    /// Those that were recorded after the one with a number.
    func after(_ number: RegistrationNumber) -> ArraySlice<Registration> {
        var late: ArraySlice<Registration> = []
        switch storage {
        case .none: break
        case .one(let registration):
            if registration.number > number { late = [registration] }
        case .many(let registrations):
            late += registrations.reversed().prefix { $0.number > number }.reversed()
        }
        return late
    }

    /// Calls `body` with those that were recorded after the one with a number.
    func forEach(after number: RegistrationNumber, _ body: (Registration) -> Void) {
        guard let last, last.number > number else { return }
        if case .one = storage { body(last) } else { after(number).forEach(body) }
    }

    /// Which values they need together.
    var needs: KeyValueObservingOptions {
        var needs: KeyValueObservingOptions = []
        for registration in all {
            needs.formUnion(registration.site.needs)
            // As a rule the first needs both.
            if needs.isSuperset(of: [.old, .new]) { break }
        }
        return needs
    }

    /// The whole value of what they observe, if one of them needs that after a change of elements.
    func whole(of object: AnyObject) -> BoxedValue? { all.lazy.compactMap { $0.whole(of: object) }.first }

    /// Adds a registration that has just been given its number.
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

    /// Adds a registration in the place that its number has, unless that is taken.
    mutating func insert(_ registration: Registration) {
        guard let last, last.number >= registration.number else { return append(registration) }
        var registrations = all
        let position = Self.position(of: registration.number, in: registrations)
        if registrations[position].number == registration.number { return }
        registrations.insert(registration, at: position)
        storage = .many(registrations)
    }

    /// Removes a registration and ends it; nil if it is not there.
    ///
    /// - Returns: The registration, to be released without a lock.
    mutating func remove(_ number: RegistrationNumber) -> Registration? {
        var removed: Registration?
        switch take() {
        case .none:
            return nil
        case .one(let registration):
            if registration.number == number { removed = registration } else { storage = .one(registration) }
        case .many(var registrations):
            let position = Self.position(of: number, in: registrations)
            if position < registrations.endIndex, registrations[position].number == number {
                removed = registrations.remove(at: position)
            }
            if !registrations.isEmpty { storage = .many(registrations) }
        }
        removed?.end()
        return removed
    }

    /// Notes that there are changes that are not to be delivered to a registration.
    ///
    /// - Returns: Its number; empty if it is not there.
    func becomeIgnorable(_ number: RegistrationNumber) -> [RegistrationNumber] {
        guard let registration = all.first(where: { $0.number == number }) else { return [] }
        registration.becomeIgnorable()
        return [number]
    }

    /// Takes what is stored, so that an array is changed in place.
    private mutating func take() -> Storage {
        var taken = Storage.none
        swap(&taken, &storage)
        return taken
    }

    /// Where a number stands or would stand, by binary search.
    private static func position(
        of number: RegistrationNumber, in registrations: ContiguousArray<Registration>
    ) -> Int {
        // The newest is the first to go, most often.
        var (low, high) = (registrations.startIndex, registrations.endIndex)
        if low < high, registrations[high - 1].number == number { return high - 1 }
        while low < high {
            let middle = low + (high - low) / 2
            if registrations[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
