// Changes as text, and the sentences about values that were not asked for: A6, 2.1.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Changes as text")
struct ChangeTextTests {
    private typealias Change = KeyValueObservedChange<Int>

    private let person = Person()
    private let log = Log()

    // D21
    @Test(
        "A6 A19 12.1 A change is one JSON line with its name and values; a value that cannot be encoded is named",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func encoding() async throws {
        let (log, encoder) = (log, JSONEncoder())
        person.address = Address()
        encoder.outputFormatting = .sortedKeys
        func line<Value: Encodable>(_: Person, _ change: KeyValueObservedChange<Value>) {
            log.add((try? encoder.encode(change)).map { String(decoding: $0, as: UTF8.self) } ?? "error")
        }
        var iterator = person.changes(of: \.age, \.address?.zip, \.frame).makeAsyncIterator()
        let tokens = [
            person.observe(\.name, options: [.old, .new, .prior], changeHandler: line),
            person.observe(\.tags, options: [.old, .new], changeHandler: line),
            person.observe(keyPaths: [\.age, \.address?.zip]) {
                log.add(String(decoding: (try? encoder.encode($1)) ?? Data(), as: UTF8.self))
            },
        ]
        person.age = 1
        person.address?.zip = 7
        person.frame.width = 2
        let lines = [
            #"{"kind":"setting","name":"age","new":1,"old":0}"#,
            #"{"kind":"setting","name":"address.zip","new":7,"old":null}"#,
        ]
        #expect(log.take() == lines)
        for line in lines {
            let change = try #require(await iterator.next())
            #expect(String(decoding: try encoder.encode(change), as: UTF8.self) == line)
        }
        let last = try #require(await iterator.next())
        let error = #expect(throws: EncodingError.self) { _ = try encoder.encode(last) }
        #expect(words("old", "frame", "Frame", "not Encodable", missingIn: "\(error!)") == [])
        person.name = "x"
        person.mutable(\.tags).append(contentsOf: ["x", "y"])
        #expect(
            log.take() == [
                #"{"isPrior":true,"kind":"setting","name":"name","old":""}"#,
                #"{"kind":"setting","name":"name","new":"x","old":""}"#,
                #"{"kind":"insertion","name":"tags","new":["x","y"],"positions":[0,1]}"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("A6 A change describes itself in one line, with the requested values", .enabled(if: hasReflectionMetadata))
    func settings() {
        let tokens = [
            person.observe(\.age, options: [.old, .new, .prior]) { [log] in log.add("\($1)") },
            person.observe(\.age, options: .new) { [log] in log.add("\($1)") },
            person.observe(\.age, options: .old) { [log] in log.add("\($1)") },
            person.observe(\.age, options: []) { [log] in log.add("\($1)") },
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
            kind: .setting, oldValue: 3, newValue: .some(.some(nil)), keyPath: \Person.age)
        #expect("\(change)".hasSuffix(", 3 → nil"))
        let erased = KeyValueObservedChange<Any>(
            kind: .setting, oldValue: "a", newValue: String?.none as Any, keyPath: \Person.age)
        #expect("\(erased)".hasSuffix(#", "a" → nil"#))
    }

    @Test("A6 A change of elements names their positions", .enabled(if: hasReflectionMetadata))
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
        let change = Change(kind: .setting, oldValue: 1, newValue: 2, keyPath: \Person.age)
        #expect(change.requiredNewValue == 2 && change.requiredOldValue == 1)
    }

    /// Values that a change does not have, and what the sentence says.
    private static let missing: [(read: @Sendable () -> Any, words: [String])] = [
        ({ Change(kind: .setting, oldValue: 1, keyPath: \Person.age).requiredNewValue }, [".new"]),
        ({ Change(kind: .setting, newValue: 1, keyPath: \Person.age).requiredOldValue }, [".old"]),
        ({ Change(kind: .removal, oldValue: 1, keyPath: \Person.age).requiredNewValue }, ["a removal has none"]),
        ({ Change(kind: .insertion, newValue: 1, keyPath: \Person.age).requiredOldValue }, ["an insertion has none"]),
        (
            { Change(kind: .setting, oldValue: 1, isPrior: true, keyPath: \Person.age).requiredNewValue },
            ["still to be made"]
        ),
    ]

    @Test(
        "2.1 A value that a change does not have traps with the option that asks for it, or the reason",
        arguments: 0..<5)
    func missing(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            _ = Self.missing[index].read()
        }
        #expect(Self.missing[index].words.flatMap { words($0, missingIn: message(of: result)) } == [])
    }
}
