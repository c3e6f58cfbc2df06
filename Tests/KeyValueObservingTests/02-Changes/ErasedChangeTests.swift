// What values of any type are in a change: semantics 2.2, rows A5 and A19 of the features.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import Testing

@Suite("Changes with values of any type")
struct ErasedChangeTests {
    private let customer = Customer()

    /// What a handler received, by all the ways that lead to values of any type.
    private func changes(
        of name: String, _ keyPath: KeyPath<Customer, some Any>, during body: () -> Void
    ) throws -> [KeyValueObservedChange<Any>] {
        let observer = Collector()
        let controller = KVOController(observer: observer, duplicates: .allow)
        let token = try customer.observe(name, options: [.old, .new]) { observer.changes.append($1) }
        try controller.observe(customer, keyPath: name, options: [.old, .new]) { $0.changes.append($2) }
        try controller.observe(customer, keyPaths: [name], options: [.old, .new]) { $0.changes.append($2) }
        controller.observe(customer, keyPaths: [keyPath, \.name], options: [.old, .new]) { $0.changes.append($2) }
        controller.observe(customer, keyPath, options: [.old, .new], context: nil)
        body()
        controller.unobserveAll()
        token.invalidate()
        #expect(observer.changes.count == 5)
        return observer.changes
    }

    @Test("2.2 A5 A19 A value is never an optional: it is cast as what it is, and printed as that")
    func values() throws {
        customer.points = 2
        for change in try changes(of: "points", \.points, during: { customer.points = 3 }) {
            #expect(change.newValue as? Int == 3 && change.oldValue as? Int == 2)
            let (old, new) = (try #require(change.oldValue), try #require(change.newValue))
            #expect("\(new)" == "3" && type(of: new) == Int.self && type(of: old) == Int.self)
        }
        for change in try changes(of: "home.city", \.home?.city, during: { customer.home = Place("Oslo") }) {
            #expect("\(change.newValue!)" == "Oslo" && type(of: change.newValue!) == String.self)
        }
        for change in try changes(of: "anything", \.anything, during: { customer.anything = Int??.some(4) as Any }) {
            #expect("\(change.newValue!)" == "4" && type(of: change.newValue!) == Int.self)
        }
        for change in try changes(of: "age", \.age, during: { customer.age = 5 }) {
            #expect("\(change.newValue!)" == "5" && change.oldValue as? Int == 0)
        }
    }

    @Test("2.2 A requested nil is present, and is cast to nil")
    func presentNil() throws {
        customer.points = 2
        for change in try changes(of: "points", \.points, during: { customer.points = nil }) {
            #expect(change.newValue != nil && change.newValue as? Int == nil)
            #expect(change.newValue! as? Int? == .some(.none) && "\(change.newValue!)" == "nil")
        }
        for change in try changes(of: "home.city", \.home?.city, during: { customer.home = Place() }) {
            #expect(change.newValue != nil && change.newValue as? String == nil)
            #expect(change.oldValue != nil && change.oldValue as? String == nil)
        }
        customer.anything = 1
        for change in try changes(of: "anything", \.anything, during: { customer.anything = Int??.some(nil) as Any }) {
            #expect(change.newValue != nil && "\(change.newValue!)" == "nil")
        }
    }
}

/// Keeps what it receives.
private final class Collector: KeyValueObserver {
    var changes: [KeyValueObservedChange<Any>] = []

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        changes.append(change)
    }
}
