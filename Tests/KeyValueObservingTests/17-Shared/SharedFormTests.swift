// The forms of observing, with shared properties.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

private class Rack: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var books: [Int] = []
}

private final class HighRack: Rack, @unchecked Sendable {}

/// Returns something else than is stored.
private final class SortedRack: Rack, @unchecked Sendable {
    override var books: [Int] {
        get { super.books.sorted() }
        set { super.books = newValue }
    }
}

@Suite("17 Every form of observing works with shared properties")
struct SharedFormTests {
    private let tally = Tally()
    private let log = Log()

    @Test("A1 C1 Options as with plain properties")
    func options() {
        let log = log
        let tokens = [
            tally.observe(\.count, options: [.initial, .new]) { log.add($1, as: "initial") },
            tally.observe(\.count, options: [.old]) { log.add($1, as: "old") },
            tally.observe(\.count) { log.add($1, as: "none") },
            tally.observe(\.count, options: [.distinct, .old, .new]) { log.add($1, as: "distinct") },
            tally.observe(\.nothing) { log.add($1, as: "nothing") },
        ]
        tally.count = 1
        tally.count = 1
        tally.count += 1
        tally.nothing = ()
        #expect(
            log.take() == [
                "initial ·→0", "initial ·→1", "old 0→·", "none ·→·", "distinct 0→1", "initial ·→1", "old 1→·",
                "none ·→·", "initial ·→2", "old 1→·", "none ·→·", "distinct 1→2", "nothing ·→·",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("7.4 17.1 A view of an inherited property changes it, on several threads at a time")
    func inheritedView() {
        let rack = HighRack() as Rack
        let token = rack.observe(\.books, options: [.old, .new]) { [log] _, _ in log.add("changed") }
        onThreads(4) { thread in
            for index in 0..<50 { rack.mutable(\.books).append(thread * 50 + index) }
        }
        #expect(rack.books.sorted() == Array(0..<200))
        #expect(log.take().count == 200)
        withExtendedLifetime(token) {}
    }

    @Test("7.4 17.1 A view of an overridden property sets it as a whole, for nobody can announce its changes")
    func overriddenView() {
        let rack = SortedRack() as Rack
        let token = rack.observe(\.books, options: [.old, .new]) { [log] in log.add($1) }
        rack.mutable(\.books).append(2)
        rack.mutable(\.books).append(1)
        rack.mutable(\.books).remove(at: 0)
        withKeyValueTransaction {
            rack.mutable(\.books).removeAll()
            rack.mutable(\.books).append(contentsOf: [5, 4])
        }
        #expect(log.take() == ["[]→[2]", "[2]→[1, 2]", "[1, 2]→[2]", "[2]→[4, 5]"])
        withExtendedLifetime(token) {}
    }

    @Test("16.2 16.3 Expressions, any property, views and names")
    func forms() throws {
        let log = log
        let tokens = [
            tally.observe(reading: { $0.count + $0.plain }, options: [.old, .new]) { log.add($1, as: "expression") },
            tally.observeAnyProperty { log.add($1 == \Tally.count ? "any count" : "any other") },
        ]
        tally.count = 1
        tally.plain = 2
        tally.mutable(\.count).value += 1
        tally.mutable(\.items).append(1)
        #expect(
            log.take() == [
                "expression 0→1", "any count", "expression 1→3", "any other", "expression 3→4", "any count",
                "any other",
            ])
        #expect(
            tally.mutable(\.count).value == 2 && tally.mutable(\.items).count == 1 && "\(tally.mutable(\.count))" == "2"
        )
        withExtendedLifetime(tokens) {}
    }

    @Test("1.6 After the last removal nobody is notified, and listings name the property before that")
    func removal() {
        let log = log
        let token = tally.observe(\.count) { log.add($1) }
        #expect(tally.observationInfo.map(\.keyPath) == ["count"])
        token.invalidate()
        tally.count = 1
        #expect(log.take().isEmpty && tally.observationInfo.isEmpty)
    }

    @Test("12.1 11.2 A sequence and an actor get every change of several threads once, in one chain")
    func elsewhere() async {
        let tally = tally
        let changes = tally.changes(of: \.count)
        var iterator = changes.makeAsyncIterator()
        await Task.detached {
            onThreads(4) { _ in
                for _ in 0..<100 { tally.count += 1 }
            }
        }.value
        var chain = ValueChain()
        for _ in 0..<400 {
            let change = await iterator.next()
            chain.add(change?.oldValue, change?.newValue)
        }
        #expect(chain.isWhole && chain.last == 400)
    }

    @Test("13.1 13.2 Bindings follow shared properties and set them")
    func bindings() {
        let other = Tally()
        let token = tally.bind(\.count, to: other, \.plain)
        let both = tally.bindBothWays(\.other, to: other, \.other)
        tally.count = 3
        tally.other = 4
        #expect(other.plain == 3 && other.other == 4)
        other.other = 5
        #expect(tally.other == 5)
        withExtendedLifetime((token, both)) {}
    }

    @Test("D1 A shared property is coded as if it were not wrapped, an optional too")
    func coding() throws {
        final class Saved: KeyValueObservable, Codable, @unchecked Sendable {
            let keyValueRegistrar = KeyValueRegistrar()
            @ObservedShared var name = "a"
            @ObservedShared var note: String?
            private enum CodingKeys: CodingKey { case name, note }
        }
        let saved = try JSONDecoder().decode(Saved.self, from: Data(#"{"name": "b"}"#.utf8))
        #expect(saved.name == "b" && saved.note == nil)
        let text = String(decoding: try JSONEncoder().encode(saved), as: UTF8.self)
        #expect(text == #"{"name":"b"}"#)
    }

    @Test("4.2 A class may say that a shared property notifies manually")
    func manual() {
        final class Manual: KeyValueObservable, @unchecked Sendable {
            let keyValueRegistrar = KeyValueRegistrar()
            @ObservedShared var count = 0
            static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Manual.count }
        }
        let manual = Manual()
        let log = log
        let token = manual.observe(\.count, options: [.old, .new]) { log.add($1) }
        manual.count = 1
        #expect(log.take().isEmpty)
        manual.changeValue(for: \.count) { manual.count = 2 }
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(token) {}
    }
}
