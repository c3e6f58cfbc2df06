// One registration at several key paths, and changes that a registration does not get: 10.1, 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.1 Several at once")
struct SeveralKeyPathsTests {
    private let log = Log()
    private let person = Person()

    @Test("10.1 A5 Each change is delivered by itself with its own key path, by one token")
    func several() {
        let token = person.observe(keyPaths: [\.age, \.name, \.address?.city], options: [.old, .new]) {
            [log] _, change in
            let name = [\Person.age: "age", \Person.name: "name", \Person.address?.city: "city"][change.keyPath]
            log.add(change, as: name)
        }
        person.age = 1
        person.name = "Ann"
        person.address = Address()
        #expect(log.take() == ["age 0→1", "name →Ann", "city nil→"])
        #expect(person.observationInfo.count == 3)
        token.invalidate()
        person.age = 2
        #expect(log.take() == [] && person.observationInfo.isEmpty && token.isInvalidated)
    }

    @Test("10.1 A list that is made at run time does the same; a key path given twice counts once")
    func list() {
        let keyPaths: [PartialKeyPath<Person>] = [\.age, \.name, \.age, \.isAdult, \.isAdult]
        let token = person.observe(keyPaths: keyPaths, options: .new) { [log] in log.add($1) }
        #expect(person.observationInfo.count == 3)
        person.age = 30
        #expect(log.take() == ["·→30", "·→true"])
        withExtendedLifetime(token) {}
    }

    @Test("10.1 A key path that a subclass writes is the same one")
    func inherited() {
        let driver = Student()
        let token = driver.observe(keyPaths: [\Student.age, \Student.age], options: .new) { [log] in log.add($1) }
        #expect(driver.observationInfo.count == 1)
        driver.age = 3
        #expect(log.take() == ["·→3"])
        withExtendedLifetime(token) {}
    }

    @Test("10.1 A change that concerns several of them is delivered once for each, in their order")
    func order() {
        let token = person.observe(keyPaths: [\.isAdult, \.age, \.summary], options: .new) { [log] in log.add($1) }
        person.age = 18
        #expect(log.take() == ["·→true", "·→18", "·→, 18"])
        withExtendedLifetime(token) {}
    }

    @Test("10.1 .initial and .prior are delivered for each")
    func options() {
        let token = person.observe(keyPaths: [\.age, \.name], options: [.initial, .new, .old, .prior]) { [log] in
            log.add($1)
        }
        #expect(log.take() == ["·→0", "·→"])
        person.age = 1
        #expect(log.take() == ["prior 0→·", "0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("10.1 An empty list traps, and all key paths are checked before the first is registered")
    func misuse() async {
        let empty = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person().observe(keyPaths: []) { _, _ in }
        }
        #expect(words("Person", "no key path", missingIn: message(of: empty)) == [])
        let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Unlisted().observe(keyPaths: [\.shown, \.plain], options: .initial) { _, _ in fatalError("called") }
        }
        #expect(words("Unlisted", "Observed", missingIn: message(of: plain)) == [])
        #expect(!message(of: plain).contains("called"))
    }

    @Test("10.1 A token for several registrations reads invalidated when its object dies")
    func death() {
        var person: Person? = Person()
        let token = person?.observe(keyPaths: [\.age, \.name]) { _, _ in }
        #expect(token?.isInvalidated == false)
        person = nil
        #expect(token?.isInvalidated == true)
    }

    @Test("10.1 A body of changeValue that throws is followed by its did all the same")
    func throwing() {
        struct Refusal: Error {}
        let token = person.observe(\.age, options: .new) { [log] in log.add($1) }
        #expect(throws: Refusal.self) {
            try person.changeValue(for: \.age) {
                person.age = 3
                throw Refusal()
            }
        }
        #expect(log.take() == ["·→3"])
        withExtendedLifetime(token) {}
    }
}

@Suite("13.3 D14 Ignoring changes")
struct IgnoringTests {
    private let log = Log()
    private let person = Person()

    @Test("13.3 Changes made inside are not delivered to the registration, and to all others")
    func ignores() {
        let token = person.observe(\.age, options: [.old, .new, .prior]) { [log] in log.add($1, as: "ignoring") }
        let other = person.observe(\.age, options: [.old, .new]) { [log] in log.add($1, as: "other") }
        let result = token.ignoringChanges {
            person.age = 1
            return 5
        }
        #expect(result == 5 && log.take() == ["other 0→1"])
        person.age = 2
        #expect(log.take() == ["ignoring prior 1→·", "ignoring 1→2", "other 1→2"])
        withExtendedLifetime((token, other)) {}
    }

    @Test("13.3 Paths, computed properties and several key paths can ignore, too; blocks nest")
    func kinds() {
        person.friend = Person()
        let path = person.observe(\.friend?.age, options: .new) { [log] in log.add($1, as: "path") }
        let several = person.observe(keyPaths: [\.age, \.isAdult], options: .new) { [log] in log.add($1, as: "several")
        }
        path.ignoringChanges {
            person.friend?.age = 1
            several.ignoringChanges {
                person.age = 20
                person.friend?.age = 2
            }
            #expect(log.take() == [])
            person.age = 30
        }
        #expect(log.take() == ["several ·→30", "several ·→true"])
        person.friend?.age = 3
        #expect(log.take() == ["path ·→3"])
        withExtendedLifetime((path, several)) {}
    }

    @Test("13.3 A change made before it is delivered inside it, to the registration as well")
    func completedInside() {
        var second: KeyValueObservation?
        let first = person.observe(\.age, options: .new) { [log] person, change in
            log.add(change, as: "first")
            if change.newValue == 1 { second?.ignoringChanges { person.age = 2 } }
        }
        second = person.observe(\.age, options: .new) { [log] in log.add($1, as: "second") }
        person.age = 1
        #expect(log.take() == ["first ·→1", "second ·→1", "first ·→2"])
        withExtendedLifetime(first) {}
    }

    @Test("13.3 Other threads are not concerned")
    func otherThreads() {
        let lines = Questions()
        let token = person.observe(\.age, options: .new) { _, change in lines.add("\(change.newValue!)") }
        let shared = Unchecked(value: person)
        token.ignoringChanges { onThreads(1) { _ in shared.value.age = 5 } }
        #expect(lines.take() == ["5"])
    }

    @Test(
        "13.3 In a transaction they leave a property's first old and last new value as they are; what is computed is evaluated at its end"
    )
    func transaction() {
        let token = person.observe(\.age, options: [.old, .new]) { [log] in log.add($1, as: "age") }
        let other = person.observe(\.age, options: [.old, .new]) { [log] in log.add($1, as: "other") }
        let months = person.observe(\.months, options: [.old, .new]) { [log] in log.add($1, as: "months") }
        withKeyValueTransaction {
            person.age = 1
            token.ignoringChanges { months.ignoringChanges { person.age = 2 } }
        }
        #expect(log.take() == ["age 0→1", "other 0→2", "months 0→24"])
        withKeyValueTransaction {
            token.ignoringChanges { months.ignoringChanges { person.age = 3 } }
            person.age = 4
            token.ignoringChanges { months.ignoringChanges { person.age = 5 } }
        }
        #expect(log.take() == ["age 3→4", "other 2→5", "months 24→60"])
        withKeyValueTransaction { token.ignoringChanges { months.ignoringChanges { person.age = 6 } } }
        #expect(log.take() == ["other 5→6"])
        withExtendedLifetime((token, other, months)) {}
    }

    @Test("13.3 An error passes, and a token that has ended runs the body")
    func errors() {
        struct Refusal: Error {}
        let token = person.observe(\.age) { [log] in log.add($1) }
        #expect(throws: Refusal.self) { try token.ignoringChanges { throw Refusal() } }
        token.invalidate()
        #expect(token.ignoringChanges { 3 } == 3)
    }
}

private final class Unlisted: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var shown = 0
    var plain = 0
}
