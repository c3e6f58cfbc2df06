// onChange(of:): the old and the new value, where they differ.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

private final class Box: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var item = Item(1)
    @Observed var maybe: Item?
    @Observed var inner: Box?
    /// An object that nobody else holds once it is another one.
    var current: Item { item }
}

private final class Item: Equatable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    static func == (left: Item, right: Item) -> Bool { left.number == right.number }
}

/// The ways to be called with the old and the new value, each with what waits delivered.
private enum Way: CaseIterable {
    case token, controller, reading, readingInController, executor, controllerOnExecutor

    func onChange<Value: Equatable & Sendable>(
        of person: Person, _ keyPath: KeyPath<Person, Value>, initial: Bool = false, _ log: Log
    ) -> (keep: AnyObject, deliver: () -> Void) {
        let loop = Loop()
        let controller = KVOController(observer: log)
        let keyPath = Sent(keyPath)
        switch self {
        case .token:
            return (person.onChange(of: keyPath.value, initial: initial) { log.add("\($0)→\($1)") }, {})
        case .reading:
            return (
                person.onChange(reading: { $0[keyPath: keyPath.value] }, initial: initial) { log.add("\($0)→\($1)") },
                {}
            )
        case .controller:
            controller.onChange(of: person, keyPath.value, initial: initial) { $0.add("\($1)→\($2)") }
            return (controller, {})
        case .readingInController:
            controller.onChange(of: person, reading: { $0[keyPath: keyPath.value] }, initial: initial) {
                $0.add("\($1)→\($2)")
            }
            return (controller, {})
        case .executor:
            return (
                person.onChange(of: keyPath.value, initial: initial, on: loop) { log.add("\($0)→\($1)") }, loop.run
            )
        case .controllerOnExecutor:
            controller.onChange(of: person, keyPath.value, initial: initial, on: loop) { $0.add("\($1)→\($2)") }
            return (controller, loop.run)
        }
    }
}

/// A key path that one thread uses.
private struct Sent<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Runs its jobs when it is asked to.
private final class Loop: KeyValueChangeExecutor, @unchecked Sendable {
    private var jobs: [@Sendable () -> Void] = []

    func execute(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }
    func run() { while !jobs.isEmpty { jobs.removeFirst()() } }
}

@Suite("2.1 The old and the new value, where they differ")
struct OnChangeTests {
    private let person = Person()
    private let log = Log()

    @Test("2.1 16.1 It is called with both values, and not for an equal one", arguments: Way.allCases)
    fileprivate func values(way: Way) {
        let (keep, deliver) = way.onChange(of: person, \.age, log)
        person.age = 1
        person.age = 1
        person.age += 2
        deliver()
        #expect(log.take() == ["0→1", "1→3"])
        withExtendedLifetime(keep) {}
    }

    @Test("2.4 With initial it is called at once, with the value twice", arguments: Way.allCases)
    fileprivate func initial(way: Way) {
        person.age = 5
        let (keep, deliver) = way.onChange(of: person, \.age, initial: true, log)
        person.age = 6
        deliver()
        #expect(log.take() == ["5→5", "5→6"])
        withExtendedLifetime(keep) {}
    }

    @Test("2.1 Of a change of elements it gets the whole values", arguments: Way.allCases)
    fileprivate func elements(way: Way) {
        person.tags = ["a"]
        let (keep, deliver) = way.onChange(of: person, \.tags, log)
        person.mutable(\.tags).append("b")
        person.mutable(\.tags)[0] = "a"
        person.tags.append("c")
        person.mutable(\.tags).removeFirst()
        deliver()
        #expect(
            log.take() == [
                #"["a"]→["a", "b"]"#, #"["a", "b"]→["a", "b", "c"]"#, #"["a", "b", "c"]→["b", "c"]"#,
            ])
        withExtendedLifetime(keep) {}
    }

    @Test("10.2 A transaction is one call, and none if the value is the one from before", arguments: Way.allCases)
    fileprivate func transaction(way: Way) {
        let (keep, deliver) = way.onChange(of: person, \.age, log)
        withKeyValueTransaction {
            person.age = 1
            person.age = 2
        }
        withKeyValueTransaction {
            person.age = 7
            person.age = 2
        }
        deliver()
        #expect(log.take() == ["0→2"])
        withExtendedLifetime(keep) {}
    }

    @Test("2.3 It gets an old object that nobody else holds any more")
    func objects() {
        let box = Box()
        let tokens = [
            box.onChange(of: \.current) { [log] in log.add("\($0.number)→\($1.number)") },
            box.onChange(of: \.maybe) { [log] in log.add("\($0?.number ?? 0)→\($1?.number ?? 0)") },
        ]
        box.item = Item(2)
        box.item = Item(3)
        box.maybe = Item(4)
        box.maybe = nil
        #expect(log.take() == ["1→2", "2→3", "0→4", "4→0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P1 A path that is led elsewhere goes on from what it was called with last")
    func path() {
        let (box, inner) = (Box(), Box())
        let token = box.onChange(of: \.inner?.item.number) { [log] in log.add("\($0 ?? 0)→\($1 ?? 0)") }
        box.inner = inner
        inner.item = Item(1)
        inner.item = Item(5)
        box.inner = nil
        #expect(log.take() == ["0→1", "1→5", "5→0"])
        withExtendedLifetime(token) {}
    }

    @Test("3.4 Sets inside the action chain")
    func nested() {
        let token = person.onChange(of: \.age) { [unowned person, log] old, new in
            log.add("\(old)→\(new)")
            if new < 3 { person.age = new + 1 }
        }
        person.age = 1
        #expect(log.take() == ["0→1", "1→2", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 Two forms in one line are two registrations, each called as its own")
    func oneLine() {
        let tokens = [
            person.onChange(of: \.age) { [log] in log.add("\($0)→\($1)") },
            person.observe(\.age, options: [.old, .new, .distinct]) { [log] in log.add($1) },
        ]
        person.age = 1
        #expect(log.take() == ["0→1", "0→1"])
        #expect(person.observationInfo.map(\.deliveredCount) == [1, 1])
        withExtendedLifetime(tokens) {}
    }

    @Test("11 It is called in an actor and on the main actor")
    func actors() async {
        actor Ledger {
            private(set) var changes: [[Int]] = []
            func note(_ old: Int, _ new: Int) { changes.append([old, new]) }
        }
        let ledger = Ledger()
        let gauge = SharedGauge()
        let (there, here) = AsyncStream.makeStream(of: [Int].self)
        let tokens = [
            gauge.onChange(of: \.level, on: ledger) { ledger, old, new in
                ledger.note(old, new)
                here.yield([old, new])
            },
            gauge.onChangeOnMainActor(of: \.level) { here.yield([$0, $1]) },
            gauge.onChangeOnMainActor(reading: { $0.level * 2 }) { here.yield([$0, $1]) },
        ]
        gauge.level = 3
        var got: [[Int]] = []
        for await change in there {
            got.append(change)
            if got.count == 3 { break }
        }
        #expect(got.sorted { $0[1] < $1[1] } == [[0, 3], [0, 3], [0, 6]])
        #expect(await ledger.changes == [[0, 3]])
        withExtendedLifetime(tokens) {}
    }

    @Test("A19 A change has the property's name, and is encoded with its values")
    func encoded() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let log = log
        person.address = Address()
        func line<Value: Encodable>(_: Person, _ change: KeyValueObservedChange<Value>) {
            log.add((try? encoder.encode(change)).map { String(decoding: $0, as: UTF8.self) } ?? "error")
        }
        let tokens = [
            person.observe(\.age, options: [.old, .new, .prior], changeHandler: line),
            person.observe(\.tags, options: [.old, .new], changeHandler: line),
            person.observe(\.address?.city, options: .new, changeHandler: line),
        ]
        person.age = 18
        person.mutable(\.tags).append(contentsOf: ["x", "y"])
        person.address = nil
        #expect(
            log.take() == [
                #"{"isPrior":true,"kind":"setting","name":"age","old":0}"#,
                #"{"kind":"setting","name":"age","new":18,"old":0}"#,
                #"{"indexes":[0,1],"kind":"insertion","name":"tags","new":["x","y"]}"#,
                #"{"kind":"setting","name":"address.city","new":null}"#,
            ])
        withExtendedLifetime(tokens) {}
    }
}
