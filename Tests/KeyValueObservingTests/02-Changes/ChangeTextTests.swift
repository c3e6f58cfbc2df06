// Changes as text, and the sentences about values that were not asked for: A6, 2.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Changes as text")
struct ChangeTextTests {
    private let person = Person()
    private let log = Log()

    @Test("A6 A change describes itself in one line, with what was asked for")
    func settings() {
        let tokens = [
            person.observe(\.age, options: [.old, .new, .prior]) { [log] in log.add("\($1)") },
            person.observe(\.age, options: .new) { [log] in log.add("\($1)") },
            person.observe(\.age, options: .old) { [log] in log.add("\($1)") },
            person.observe(\.age) { [log] in log.add("\($1)") },
            person.observe(\.name, options: [.old, .new]) { [log] in log.add("\($1)") },
        ]
        person.age = 18
        person.name = "Ann"
        #expect(
            log.take() == [
                "before the setting of age, 0 →", "setting of age, 0 → 18", "setting of age, → 18",
                "setting of age, 0 →",
                "setting of age", #"setting of name, "" → "Ann""#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("A6 An optional is written as what is in it, or as nil")
    func optionals() {
        let change = KeyValueObservedChange<Int??>(
            kind: .setting, newValue: .some(.some(nil)), oldValue: 3, keyPath: \Person.age)
        #expect("\(change)".hasSuffix(", 3 → nil"))
        let erased = KeyValueObservedChange<Any>(
            kind: .setting, newValue: String?.none as Any, oldValue: "a", keyPath: \Person.age)
        #expect("\(erased)".hasSuffix(#", "a" → nil"#))
    }

    @Test("A6 A change of elements names their positions")
    func elements() {
        let token = person.observe(\.tags, options: [.old, .new]) { [log] in log.add("\($1)") }
        let tags = person.mutable(\.tags)
        tags.append(contentsOf: ["a", "b", "c", "d"])
        tags.removeSubranges(RangeSet([0..<1, 2..<4]))
        tags[0] = "x"
        #expect(
            log.take() == [
                #"insertion in tags at 0–3: ["a", "b", "c", "d"]"#, #"removal in tags at 0, 2–3: ["a", "c", "d"]"#,
                #"replacement in tags at 0, ["b"] → ["x"]"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("2.1 The required values are those of the change")
    func required() {
        let change = KeyValueObservedChange(kind: .setting, newValue: 2, oldValue: 1, keyPath: \Person.age)
        #expect(change.requiredNewValue == 2 && change.requiredOldValue == 1)
    }

    @Test("2.1 A value that was not asked for traps with the option that asks for it")
    func missing() async {
        let new = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = KeyValueObservedChange(kind: .setting, oldValue: 1, keyPath: \Person.age).requiredNewValue
        }
        #expect(words("setting", ".new", missingIn: message(of: new)) == [])
        let old = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = KeyValueObservedChange(kind: .setting, newValue: 1, keyPath: \Person.age).requiredOldValue
        }
        #expect(words("setting", ".old", missingIn: message(of: old)) == [])
    }

    @Test("2.1 A value that a change cannot have traps with the reason")
    func impossible() async {
        let removal = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = KeyValueObservedChange(kind: .removal, oldValue: [1], keyPath: \Person.age).requiredNewValue
        }
        #expect(words("a removal has none", missingIn: message(of: removal)) == [])
        let insertion = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = KeyValueObservedChange(kind: .insertion, newValue: [1], keyPath: \Person.age).requiredOldValue
        }
        #expect(words("an insertion has none", missingIn: message(of: insertion)) == [])
        let prior = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ =
                KeyValueObservedChange(kind: .setting, oldValue: 1, isPrior: true, keyPath: \Person.age)
                .requiredNewValue
        }
        #expect(words("still to be made", missingIn: message(of: prior)) == [])
    }
}
