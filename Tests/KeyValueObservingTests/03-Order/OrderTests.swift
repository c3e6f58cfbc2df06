// Order, counts and re-entrancy: section 3 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3 Order, counts, re-entrancy")
struct OrderTests {
    private let person = Person()
    private let log = Log()

    // #6 #8 #70
    @Test("3.2 C8 Deliveries come in the order of registration, priors and paths too")
    func registrationOrder() {
        person.address = Address(city: "Oslo")
        let options: KeyValueObservingOptions = .prior
        let tokens = [
            person.observe(\.age, options: options) { log.add($1.isPrior ? "prior 1" : "1") },
            person.observe(\.isAdult, options: options) { log.add($1.isPrior ? "prior 2" : "2") },
            person.observe(\.age, options: options) { log.add($1.isPrior ? "prior 3" : "3") },
            person.observe(\.summary, options: options) { log.add($1.isPrior ? "prior 4" : "4") },
            person.observe(\.isAdult, options: options) { log.add($1.isPrior ? "prior 5" : "5") },
        ]
        person.age = 1
        #expect(log.take() == ["prior 1", "prior 2", "prior 3", "prior 4", "prior 5", "1", "2", "3", "4", "5"])
        tokens[2].invalidate()
        let last = person.observe(\.age) { _, _ in log.add("6") }
        person.age = 2
        #expect(log.take().filter { !$0.hasPrefix("prior") } == ["1", "2", "4", "5", "6"])
        withExtendedLifetime((tokens, last)) {}
    }

    @Test("3.2 Order holds between roots that share an object on their way")
    func orderAcrossRoots() {
        let shared = Address()
        let other = Person()
        (person.address, other.address) = (shared, shared)
        let tokens = [
            other.observe(\.address?.city) { _, _ in log.add("1") },
            shared.observe(\.city) { _, _ in log.add("2") },
            person.observe(\.address?.city) { _, _ in log.add("3") },
            other.observe(\.address?.city) { _, _ in log.add("4") },
        ]
        shared.city = "Oslo"
        #expect(log.take() == ["1", "2", "3", "4"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P3 3.4 A change of another property, or of another object, is delivered before the rest of the outer one")
    func nestedOtherProperty() {
        let other = Person()
        let tokens = [
            person.observe(\.age) { person, _ in
                log.add("age 1")
                person.name = "x"
                other.age = 1
            },
            person.observe(\.name) { _, _ in log.add("name 1") },
            other.observe(\.age) { _, _ in log.add("other 1") },
            person.observe(\.age) { _, _ in log.add("age 2") },
            person.observe(\.name) { _, _ in log.add("name 2") },
        ]
        person.age = 1
        #expect(log.take() == ["age 1", "name 1", "name 2", "other 1", "age 2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P3 3.4 Another property set in a prior handler is a change of its own, before the remaining priors")
    func setOfAnotherPropertyInPrior() {
        let tokens = [
            person.observe(\.age, options: [.prior, .old, .new]) { person, change in
                log.add(change, as: "1")
                if change.isPrior { person.name = "x" }
            },
            person.observe(\.name, options: [.prior, .old, .new]) { log.add($1, as: "name") },
            person.observe(\.age, options: [.prior, .old, .new]) { log.add($1, as: "2") },
        ]
        person.age = 1
        #expect(
            log.take() == ["1 prior 0→·", "name prior →·", "name →x", "2 prior 0→·", "1 0→1", "2 0→1"])
        withExtendedLifetime(tokens) {}
    }

    // #324
    @Test("3.6 B11 Removing and observing again inside a handler is legal")
    func removeAndObserveAgain() {
        var observation: KeyValueObservation?
        func observe() {
            observation = person.observe(\.age, options: .new) { _, change in
                log.add(change)
                observe()
            }
        }
        observe()
        for age in 1...3 { person.age = age }
        #expect(log.take() == ["·→1", "·→2", "·→3"])
        #expect(person.observationInfo.count == 1)
        // Its handler holds the person, by way of this function's variables.
        observation?.invalidate()
    }

    // #320
    @Test("3.7 C12 A handler may release anything, the object included, which lives as long as observers are called")
    func releaseInside() {
        for endsAll in [true, false] {
            var person: Person? = Person()
            weak let weakPerson = person
            func assign(_ person: Person) { person.age = 1 }
            var tokens: [KeyValueObservation] = []
            tokens.append(
                person!.observe(\.age) { _, _ in
                    if endsAll { tokens.removeAll() }
                    person = nil
                    log.add("first")
                })
            tokens.append(person!.observe(\.age) { told, _ in log.add("second \(told.age) \(weakPerson != nil)") })
            assign(person!)
            #expect(log.take() == (endsAll ? ["first"] : ["first", "second 1 true"]))
            #expect(weakPerson == nil && tokens.allSatisfy(\.isInvalidated))
        }
    }
}
