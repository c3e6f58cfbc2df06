// Declaring observable classes, and what the wrapper and its view can do.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Declaring")
struct DeclaringTests {
    private let watcher = Watcher()
    private var log: Log { watcher.log }

    @Test("The wrapper adds no memory to a property, the registrar one word to an object")
    func memory() {
        #expect(MemoryLayout<Observed<Int>>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<Observed<String?>>.stride == MemoryLayout<String?>.stride)
        #expect(MemoryLayout<KeyValueRegistrar>.size == MemoryLayout<UInt>.size)
    }

    @Test("Generic classes, their subclasses, and subclasses that fix the argument")
    func generics() {
        func check<Value: Equatable>(_ box: Box<Value>, _ value: Value) {
            watcher.watch(box, \.value, .new)
            watcher.watch(box, \.description, .new)
            box.value = value
        }
        check(Box(1), 2)
        check(Box("a"), "b")
        check(Box<Int?>(nil), 3)
        check(IntBox(1), 4)
        #expect(log.take() == ["·→2", "·→<2>", "·→b", "·→<b>", "·→3", "·→<Optional(3)>", "·→4", "·→<4>"])
        let box = IntBox(1)
        watcher.watch(box, \IntBox.value, .new)
        #expect(box.isObserved(\IntBox.value))
        #expect((box as Box<Int>).isObserved(\.value) == RuntimeAssumption.keyPathComponents.holds)
        box.value = 5
        #expect(log.take() == ["·→5"])
    }

    @Test("Private and private(set) properties, willSet and didSet")
    func access() {
        let account = Account()
        watcher.watch(account, \.balance)
        account.deposit(5)
        #expect(log.take() == ["0→5"])
        #expect(account.events == ["willSet 5", "didSet 0"])
    }

    @Test("Values are coded as if they were not wrapped: by the coder's own strategies, alone, in a class and in lists")
    func codingStrategies() throws {
        struct Plain: Codable, Equatable {
            var date: Date
            var data: Data
            var url: URL
            var decimal: Decimal
            var parts: [String: Int]
            var maybe: Date?
        }
        var plain = Plain(
            date: Date(timeIntervalSince1970: 86_400), data: Data([1, 2, 3]), url: URL(filePath: "/a b"), decimal: 1.25,
            parts: ["a": 1], maybe: Date(timeIntervalSince1970: 0))
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        // Optionals may be absent.
        for maybe in [nil, plain.maybe] {
            plain.maybe = maybe
            let json = try encoder.encode(plain)
            let wrapped = try decoder.decode(Wrapped.self, from: json)
            #expect(try encoder.encode(wrapped) == json && wrapped.maybe == maybe)
        }
        #expect(try decoder.decode([String: Int?].self, from: Data(#"{"count":3}"#.utf8)) == ["count": 3])
        let wrapped = try decoder.decode(Wrapped.self, from: encoder.encode(plain))
        watcher.watch(wrapped, \.url.path, .new)
        wrapped.url = plain.url
        #expect(log.take() == ["·→/a b"])
        let list = try PropertyListEncoder().encode(plain)
        #expect(try PropertyListDecoder().decode(Wrapped.self, from: list).date == plain.date)
        #expect(try PropertyListDecoder().decode(Plain.self, from: PropertyListEncoder().encode(wrapped)) == plain)
        let dates = [Observed(wrappedValue: plain.date)]
        #expect(try String(decoding: encoder.encode(dates), as: UTF8.self) == #"["1970-01-02T00:00:00Z"]"#)
        #expect(try decoder.decode([Observed<Date>].self, from: encoder.encode(dates)) == dates)
    }

    @Test("The wrapper compares, hashes and describes itself as its value does")
    func wrapperConformances() {
        #expect(Observed(wrappedValue: 1) == Observed(wrappedValue: 1))
        #expect(Observed(wrappedValue: 1) != Observed(wrappedValue: 2))
        #expect(Set([Observed(wrappedValue: "a"), Observed(wrappedValue: "a")]).count == 1)
        #expect(Set((0..<10).map { Observed(wrappedValue: $0).hashValue }).count > 1)
        #expect("\(Observed(wrappedValue: 5))" == "5")
        #expect(String(reflecting: Observed(wrappedValue: "a")) == "\"a\"")
    }
}

private class Box<Value>: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value: Value
    var description: String { "<\(value)>" }

    init(_ value: Value) { self.value = value }
}

private final class IntBox: Box<Int> {}

private final class Account: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var events: [String] = []
    @Observed private(set) var balance: Int {
        willSet { events.append("willSet \(newValue)") }
        didSet { events.append("didSet \(oldValue)") }
    }

    init(balance: Int = 0) { self.balance = balance }

    func deposit(_ amount: Int) { balance += amount }
}

private final class Wrapped: KeyValueObservable, Codable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var date: Date
    @Observed var data: Data
    @Observed var url: URL
    @Observed var decimal: Decimal
    @Observed var parts: [String: Int]
    @Observed var maybe: Date?

    private enum CodingKeys: CodingKey {
        case date, data, url, decimal, parts, maybe
    }
}
