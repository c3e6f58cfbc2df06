// A change that is written by one process and applied by another one.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.8 D21 A change as JSON, and back")
struct DecodedChangeTests {
    private func copied<Value: Codable>(_ change: KeyValueObservedChange<Value>) throws -> KeyValueObservedChange<Value>
    {
        try JSONDecoder().decode(KeyValueObservedChange<Value>.self, from: JSONEncoder().encode(change))
    }

    private func decode(_ text: String) throws -> KeyValueObservedChange<[String]> {
        try JSONDecoder().decode(KeyValueObservedChange<[String]>.self, from: Data(text.utf8))
    }

    @Test(
        "2.8 What a client decodes and applies to its copy is what the property has, for elements and for wholes",
        .enabled(if: hasReflectionMetadata))
    func copies() throws {
        let (tank, log) = (Tank(), Log())
        var (tags, members, level) = (tank.tags, tank.members, tank.level)
        let tokens = [
            tank.observe(\.tags) { _, change in
                guard let change = log.unwrap({ try copied(change) }) else { return }
                change.apply(to: &tags)
                log.add("\(change.name) \(change.kind) \(change.positions) \(change.steps.count)")
            },
            tank.observe(\.members) { _, change in log.unwrap { try copied(change) }?.apply(to: &members) },
            tank.observe(\.level, options: [.old, .new, .prior]) { _, change in
                guard let change = log.unwrap({ try copied(change) }) else { return }
                change.apply(to: &level)
                log.add("\(change)")
            },
        ]
        tank.tags = ["a", "b", "c"]
        tank.mutable(\.tags).removeSubranges(RangeSet([0..<1, 2..<3]))
        withKeyValueTransaction {
            tank.mutable(\.tags).insert("x", at: 0)
            tank.mutable(\.tags).append("y")
        }
        tank.mutable(\.members).formUnion([1, 2])
        tank.mutable(\.members).subtract([1])
        tank.level = 3
        #expect(tags == ["x", "b", "y"] && members == [2] && level == 3)
        #expect(
            log.take() == [
                "tags setting [] 0", "tags removal [0, 2] 0", "tags setting [] 2", "before the setting of level, 0 →",
                "setting of level, 0 → 3",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.8 Optionals that are nil, dictionaries, and changes by hand keep what they have")
    func values() throws {
        let change = KeyValueObservedChange<Int?>(kind: .setting, oldValue: .some(nil), newValue: 3, keyPath: \Int.self)
        let copy = try copied(change)
        #expect(copy.oldValue == .some(nil) && copy.newValue == 3 && copy.keyPath == \Int?.self)
        let entries = KeyValueObservedChange<[String: Int]>(kind: .insertion, newValue: ["a": 1], keyPath: \Int.self)
        var dictionary = ["b": 2]
        try copied(entries).apply(to: &dictionary)
        #expect(dictionary == ["a": 1, "b": 2])
        let none = try copied(KeyValueObservedChange<Int>(kind: .setting, keyPath: \Int.self))
        #expect(none.oldValue == nil && none.newValue == nil && none.positions == [] && !none.isPrior)
    }

    @Test(
        "2.8 What is missing or does not fit is named",
        arguments: [
            (#"{"name":"tags"}"#, "kind"), (#"{"kind":"setting"}"#, "name"),
            (#"{"kind":"change","name":"tags"}"#, "change is no kind"),
            (#"{"kind":"insertion","name":"tags","new":["a"],"positions":[0,1]}"#, "2 positions for 1 elements"),
            (#"{"kind":"removal","name":"tags","old":["a"],"positions":[-1]}"#, "not negative"),
            (#"{"kind":"insertion","name":"tags","new":["a","b"],"positions":[1,1]}"#, "different"),
            (#"{"kind":"setting","name":"tags","new":[1]}"#, "String"),
        ])
    func errors(text: String, part: String) throws {
        let error = #expect(throws: DecodingError.self) { _ = try decode(text) }
        #expect("\(error!)".contains(part), "\(error!)")
    }
}

extension Log {
    /// The result of a function that must not throw in a handler.
    fileprivate func unwrap<Result>(_ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            Issue.record(error)
            return nil
        }
    }
}
