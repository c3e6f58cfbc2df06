// What a change contains: section 2 of the contract.
import KeyValueObserving
import Testing

@Suite("2 What a change contains")
struct ContentTests {
    private let person = Person()
    private let log = Log()

    @Test("2.1 Only what was asked for is there, for each registration (#67)")
    func optionsDoNotLeak() {
        let both = person.observe(\.age, options: [.old, .new]) { log.add($1, as: "both") }
        let new = person.observe(\.age, options: .new) { log.add($1, as: "new") }
        let none = person.observe(\.age) { log.add($1, as: "none") }
        person.age = 1
        #expect(log.take() == ["both 0→1", "new ·→1", "none ·→·"])
        withExtendedLifetime((both, new, none)) {}
    }
}
