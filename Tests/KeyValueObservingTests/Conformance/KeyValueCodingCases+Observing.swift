// Conformance cases of groups 1 and 7 that are about key paths as strings.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 1: registering by name")
struct RegisteringByNameCases {
    private let customer = Customer()
    private let log = Log()

    @Test("#39 A property that does not exist is an error at once, behind an object too, and behind nil later")
    func notExisting() throws {
        #expect(codingError { try customer.observe("notExist") { _, _ in } }?.code == .undefinedKey)
        #expect(codingError { try customer.observe("office.notExist") { _, _ in } }?.objectType == "Place")
        let token = try customer.observe("home.notExist") { _, _ in }
        #expect(customer.observationInfo.count == 1)
        withExtendedLifetime(token) {}
    }

    // #165
    @Test("#40 #41 1.5 A path through a collection is refused, one to its count is accepted and removed")
    func throughCollection() throws {
        customer.friends = [Customer()]
        for (path, type) in [
            ("friends.name", "Array<Customer>"), ("circle.city", "Set<Place>"), ("guests.name", "Array<Customer>"),
            ("office.guests.name", "Array<Customer>"),
        ] {
            let host = Host()
            let object: any KeyValueCodable = path.contains("guests") ? host : customer
            let error = codingError { try register(path, on: object) }
            #expect(error?.code == .undefinedKey && error?.objectType == type, "\(path)")
        }
        let token = try customer.observe("friends.@count") { log.add($1) }
        token.invalidate()
        customer.friends = []
        #expect(log.take() == [] && customer.observationInfo.isEmpty)
    }

    private func register(_ path: String, on object: some KeyValueCodable) throws {
        _ = try object.observe(path) { _, _ in }
    }
}

@Suite("Conformance 7: to-many properties by name")
struct ToManyByNameCases {
    private let customer = Customer()

    @Test("#164 A count is set from old to new, without indexes and without a prior that was not asked for")
    func count() throws {
        var changes: [KeyValueObservedChange<Any>] = []
        let token = try customer.observe("friends.@count", options: [.old, .new]) { changes.append($1) }
        customer.friends.append(Customer())
        customer.mutable(\.friends).insert(Customer(), at: 0)
        #expect(changes.map(\.kind) == [.setting, .setting])
        #expect(changes.map { $0.oldValue as? Int } == [0, 1])
        #expect(changes.map { $0.newValue as? Int } == [1, 2])
        #expect(changes.allSatisfy { $0.indexes == nil && !$0.isPrior })
        withExtendedLifetime(token) {}
    }
}

/// Has a list that is nil, whose type says what it will be.
private final class Host: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var guests: [Customer]?
    @Observed var office: Host?

    static var keyPathsByKey: [String: AnyKeyPath] { ["guests": \Host.guests, "office": \Host.office] }
}
