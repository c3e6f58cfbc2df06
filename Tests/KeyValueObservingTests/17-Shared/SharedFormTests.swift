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

/// Returns something else than is stored.
private final class SortedRack: Rack, @unchecked Sendable {
    override var books: [Int] {
        get { super.books.sorted() }
        set { super.books = newValue }
    }
}

@Suite("17 Every form of observing works with shared properties")
struct SharedFormTests {
    private let kept = Kept()
    private let tally = Tally()
    private let log = Log()

    @Test("7.4 17.1 A view of an overridden property sets it as a whole, because its changes cannot be announced")
    func overriddenView() {
        let rack = SortedRack() as Rack
        rack.observe(\.books, options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
        rack.mutable(\.books).append(2)
        rack.mutable(\.books).append(1)
        rack.mutable(\.books).remove(at: 0)
        withKeyValueTransaction {
            rack.mutable(\.books).removeAll()
            rack.mutable(\.books).append(contentsOf: [5, 4])
        }
        #expect(log.take() == ["[]→[2]", "[2]→[1, 2]", "[1, 2]→[2]", "[2]→[4, 5]"])
    }

    @Test("16.2 7.4 Expressions and views")
    func forms() throws {
        let log = log
        tally.observe(reading: { $0.count + $0.plain }, options: [.old, .new]) { log.add($1, as: "expression") }
            .store(in: kept)
        tally.count = 1
        tally.plain = 2
        tally.mutable(\.count).value += 1
        tally.mutable(\.items).append(1)
        #expect(log.take() == ["expression 0→1", "expression 1→3", "expression 3→4"])
        #expect(
            tally.mutable(\.count).value == 2 && tally.mutable(\.items).count == 1 && "\(tally.mutable(\.count))" == "2"
        )
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
        manual.observe(\.count, options: [.old, .new]) { log.add($1) }.store(in: kept)
        manual.count = 1
        #expect(log.take().isEmpty)
        manual.changeValue(for: \.count) { manual.count = 2 }
        #expect(log.take() == ["1→2"])
    }
}
