// Controllers by name: rows A5, A14 and A16 of the features.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Key-value coding: controllers")
struct KeyValueCodingControllerTests {
    private let customer = Customer()
    private let screen = Screen()

    @Test("A5 Several key paths: one registration each, in order, distinguished by the string (#26)")
    func severalKeyPaths() throws {
        let controller = KVOController(observer: screen)
        try controller.observe(customer, keyPaths: ["age", "name", "home.city"], options: [.initial, .new]) {
            screen, _, change in
            screen.log.add(change, as: change.name)
        }
        #expect(screen.log.take() == ["age ·→0", "name ·→", "home.city ·→nil"])
        customer.age = 1
        customer.name = "x"
        #expect(screen.log.take() == ["age ·→1", "name ·→x"])
        #expect(customer.observationInfo.map(\.keyPath) == ["age", "name", "home.city"])
    }

    @Test("A5 All key paths are checked before the first is registered; an empty list is an error (#17)")
    func checkedFirst() {
        let controller = KVOController(observer: screen)
        for bad in ["agee", "constant", "", "tags.x"] {
            #expect(
                codingError {
                    try controller.observe(customer, keyPaths: ["age", bad], options: .initial) { screen, _, _ in
                        screen.log.add("half done")
                    }
                } != nil)
        }
        #expect(
            codingError { try controller.observe(customer, keyPaths: [String]()) { _, _, _ in } }?.code == .emptyKeyPath
        )
        #expect(codingError { try controller.observe(customer, keyPath: "") { _, _, _ in } }?.code == .emptyKeyPath)
        #expect(screen.log.take() == [] && customer.observationInfo.isEmpty)
    }

    @Test("A15 SJKVOController's six errors: three are thrown with a code, the others need none")
    func sixErrors() throws {
        let (customer, log) = (Customer(), Log())
        let visitor = Visitor()
        let controller = KVOController(observer: visitor)
        func code(_ keyPaths: String...) -> KeyValueCodingError.Code? {
            do {
                try controller.observe(customer, keyPaths: keyPaths) { _, _, _ in log.add("called") }
                return nil
            } catch {
                return (error as? KeyValueCodingError)?.code
            }
        }
        // No key, a key without a property, and no list of keys.
        #expect(code("") == .emptyKeyPath)
        #expect(code("nothing") == .undefinedKey)
        #expect(code() == .emptyKeyPath)
        #expect(throws: KeyValueCodingError.self) { try customer.setValue(1, forKey: "isAdult") }
        // No object, no observer, and a change that nobody observes are no errors; names are not converted.
        let nobody = KVOController(observer: Visitor())
        let noObject: Customer? = nil
        try controller.observe(noObject, keyPath: "age") { _, _, _ in log.add("called") }
        try nobody.observe(customer, keyPath: "age") { _, _, _ in log.add("called") }
        customer.age = 3
        #expect(log.take() == [] && customer.observationInfo.isEmpty)
    }

    @Test("A14 A nil object is a no-op, whatever the key path; removing never throws")
    func nilObject() throws {
        let controller = KVOController(observer: screen)
        let nobody: Customer? = nil
        try controller.observe(nobody, keyPath: "agee") { _, _, _ in }
        try controller.observe(nobody, keyPaths: [String]()) { _, _, _ in }
        controller.unobserve(nobody, keyPath: "age")
        controller.unobserve(nobody, keyPaths: ["age", ""])
        controller.unobserve(customer, keyPath: "age")
        controller.unobserve(customer, keyPaths: ["", "agee", "tags.x", "friends.@cuont", "constant"])
        #expect(customer.observationInfo.isEmpty)
    }

    @Test("A16 A property by name and by key path is the same pair; two equal strings are too")
    func duplicates() throws {
        for text in ["age", "home.city", "friends.@count", "anything.city", "office.city"] {
            let controller = KVOController(observer: screen, duplicates: .ignore)
            try controller.observe(customer, keyPath: text) { _, _, _ in }
            try controller.observe(RegularCustomer() as Customer, keyPath: text) { _, _, _ in }
            try controller.observe(customer, keyPath: text) { _, _, _ in }
            #expect(customer.observationInfo.map(\.keyPath) == [text])
            controller.unobserve(customer, keyPath: text)
            #expect(customer.observationInfo.isEmpty)
        }
        let controller = KVOController(observer: screen, duplicates: .ignore)
        controller.observe(customer, \.age) { _, _, _ in }
        try controller.observe(customer, keyPath: "age") { _, _, _ in }
        #expect(customer.observationInfo.count == 1)
        controller.unobserve(customer, keyPaths: ["age", "name"])
        #expect(customer.observationInfo.isEmpty)
        try controller.observe(customer, keyPath: "age") { _, _, _ in }
        controller.unobserve(customer, \.age)
        #expect(customer.observationInfo.isEmpty)
    }

    @Test("A16 The same string through a base class is the same pair")
    func duplicatesOfSubclass() throws {
        let regular = RegularCustomer()
        let controller = KVOController(observer: screen, duplicates: .replace)
        for text in ["age", "friends.@count"] {
            try controller.observe(regular, keyPath: text) { screen, _, _ in screen.log.add("first") }
            try controller.observe(regular as Customer, keyPath: text) { screen, _, _ in screen.log.add("second") }
        }
        regular.age = 1
        regular.friends = []
        #expect(screen.log.take() == ["second", "second"])
        controller.unobserve(regular as Customer, keyPaths: ["age", "friends.@count"])
        #expect(regular.observationInfo.isEmpty)
    }
}

private final class Visitor {}
