// Registrations that a thread's changes are not delivered to.
import CKeyValueObserving

/// The registrations that a thread's changes are not delivered to, while `ignoringChanges` runs on it.
///
/// Only that thread uses it.
final class IgnoredRegistrations {
    // No access lasts while code of users runs.
    @safe @exclusivity(unchecked) private(set) var numbers: Set<RegistrationNumber>
    /// The owner of ignored registrations, including those made meanwhile.
    private let owner: Unretained<AnyObject>?
    /// The registrations of an outer `ignoringChanges`, which are among the numbers.
    private let outer: IgnoredRegistrations?

    private init(_ numbers: Set<RegistrationNumber>, of owner: AnyObject? = nil, in outer: IgnoredRegistrations? = nil)
    {
        self.numbers = numbers
        self.owner = owner.map { Unretained($0) }
        self.outer = outer
    }

    /// The registrations of the innermost `ignoringChanges` on this thread, whose frame holds this object.
    static var innermost: Unretained<IgnoredRegistrations>? {
        Unretained(at: UInt(bitPattern: unsafe kvo_ignored()))
    }

    /// The numbers of the registrations that this thread currently ignores.
    static var current: Set<RegistrationNumber> { innermost?.with { $0.numbers } ?? [] }

    /// Whether a registration is ignored.
    func contains(_ number: RegistrationNumber) -> Bool { numbers.contains(number) }

    /// Runs `body`, whose changes are not delivered to the registrations with these numbers.
    ///
    /// With an owner, which the caller holds, registrations that the owner makes meanwhile are ignored, too.
    static func adding<Result, Failure: Error>(
        _ numbers: [RegistrationNumber], of owner: AnyObject?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try replacing(Self(current.union(numbers), of: owner, in: innermost?.object), body)
    }

    /// Runs `body`, ignoring exactly the registrations with these numbers.
    static func replacing(_ numbers: Set<RegistrationNumber>, _ body: () -> Void) {
        replacing(numbers.isEmpty ? nil : Self(numbers), body)
    }

    private static func replacing<Result, Failure: Error>(
        _ registrations: IgnoredRegistrations?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(registrations) {} }
        return try within(registrations.map { Unretained($0) }, body)
    }

    /// Runs `body`, ignoring the given registrations, which are held meanwhile; nil for none.
    static func within<Result, Failure: Error>(
        _ registrations: Unretained<IgnoredRegistrations>?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = unsafe kvo_ignored()
        unsafe kvo_set_ignored(registrations.map { unsafe $0.unmanaged.toOpaque() })
        defer { unsafe kvo_set_ignored(before) }
        return try body()
    }

    /// Adds registrations of an owner, if this thread ignores the owner's registrations.
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
