// Classes that are declared in one line, at run time.
#if Macros
import KeyValueObserving
import KeyValueObservingMacros
import Testing

@Suite("Classes declared by macro")
struct DeclaredClassTests {
    private let person = Person(name: "Ada")

    @Test("20.1 A20 Stored variables are observed, with their old and new values")
    func plainProperty() {
        var changes: [String] = []
        let token = person.observe(\.age, options: [.old, .new]) { _, change in
            changes.append("\(change.oldValue!) → \(change.newValue!)")
        }
        person.age = 18
        person.age += 1
        token.invalidate()
        #expect(changes == ["0 → 18", "18 → 19"])
    }

    @Test("20.2 Old value, priors, willSet, the store, didSet, new value, observers: in this order")
    func order() {
        let token = person.observe(\.name, options: [.old, .new, .prior]) { [person] _, change in
            let values = change.isPrior ? "prior \(change.oldValue!)" : "\(change.oldValue!) → \(change.newValue!)"
            person.log.append(values)
        }
        person.name = " Grace "
        token.invalidate()
        #expect(person.log == ["prior Ada", "willSet Ada to  Grace ", "didSet Ada to  Grace ", "Ada → Grace"])
        #expect(person.name == "Grace")
    }
}

@KeyValueObservable
final class Person {
    var age = 0
    var name: String {
        willSet { log.append("willSet \(name) to \(newValue)") }
        didSet {
            log.append("didSet \(oldValue) to \(name)")
            name = String(name.drop { $0 == " " }.prefix { $0 != " " })
        }
    }
    @NotObserved var log: [String] = []

    init(name: String) { self.name = name }
}
#endif
