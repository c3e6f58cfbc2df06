// Registrations that take no part in changes of a thread.
import CKeyValueObserving

/// The registrations that changes made on a thread are not delivered to, while `ignoringChanges` runs there.
///
/// Only that thread uses it.
final class IgnoredRegistrations {
    // No access lasts while code of others runs.
    @safe @exclusivity(unchecked) private(set) var numbers: Set<RegistrationNumber>
    /// Whose registrations are ignored, including those that are made meanwhile.
    private let owner: Unretained<AnyObject>?
    /// Those of an `ignoringChanges` around this one, which are among the numbers.
    private let outer: IgnoredRegistrations?

    private init(_ numbers: Set<RegistrationNumber>, of owner: AnyObject? = nil, in outer: IgnoredRegistrations? = nil)
    {
        self.numbers = numbers
        self.owner = owner.map { Unretained($0) }
        self.outer = outer
    }

    /// What the innermost `ignoringChanges` on this thread ignores; its frame holds the object.
    static var innermost: Unretained<IgnoredRegistrations>? {
        Unretained(at: UInt(bitPattern: unsafe kvo_ignored()))
    }

    /// The numbers of the registrations that this thread ignores now.
    static var current: Set<RegistrationNumber> { innermost?.with { $0.numbers } ?? [] }

    /// Whether a registration is left out.
    func contains(_ number: RegistrationNumber) -> Bool { numbers.contains(number) }

    /// Runs `body`, whose changes are not delivered to the registrations with these numbers.
    ///
    /// With an owner, which the caller holds, registrations that it makes meanwhile are ignored, too.
    static func adding<Result, Failure: Error>(
        _ numbers: [RegistrationNumber], of owner: AnyObject?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try replacing(Self(current.union(numbers), of: owner, in: innermost?.object), body)
    }

    /// Runs `body`, in which none but the registrations with these numbers are left out.
    static func replacing(_ numbers: Set<RegistrationNumber>, _ body: () -> Void) {
        replacing(numbers.isEmpty ? nil : Self(numbers), body)
    }

    private static func replacing<Result, Failure: Error>(
        _ registrations: IgnoredRegistrations?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(registrations) {} }
        return try within(registrations.map { Unretained($0) }, body)
    }

    /// Runs `body` inside what some `ignoringChanges` ignores, which is held meanwhile; nil for none.
    static func within<Result, Failure: Error>(
        _ registrations: Unretained<IgnoredRegistrations>?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = unsafe kvo_ignored()
        unsafe kvo_set_ignored(registrations.map { unsafe $0.unmanaged.toOpaque() })
        defer { unsafe kvo_set_ignored(before) }
        return try body()
    }

    /// Adds registrations of an owner, if this thread ignores those of that owner.
    static func add(_ numbers: () -> [RegistrationNumber], of owner: AnyObject) {
        var lists: [IgnoredRegistrations] = []
        var outermost = 0
        var next = innermost?.object
        while let list = next {
            lists.append(list)
            if list.owner?.object === owner { outermost = lists.count }
            next = list.outer
        }
        if outermost == 0 { return }
        let added = numbers()
        for list in lists.prefix(outermost) { list.numbers.formUnion(added) }
    }
}
