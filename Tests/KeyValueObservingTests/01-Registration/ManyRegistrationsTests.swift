// Many registrations of one controller: rows A1 to A5 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.7 Many registrations of one controller")
struct ManyRegistrationsTests {
    private let count = 20_000
    private let counter = Counter()

    private final class Counter {
        var calls = 0
        var last = 0
        var isInOrder = true
    }

    private final class Shelves: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var number = 0
        @Observed var other = 0
        @Observed var places: [Int]

        init(count: Int) { places = Array(0..<count) }
    }

    @Test("1.7 1.8 With 20,000 at one key path of an object, each takes as long as the first")
    func oneKeyPath() {
        let shelves = Shelves(count: 0)
        let controller = KVOController(observer: counter, duplicates: .allow)
        for number in 1...count {
            controller.observe(shelves, \.number) { counter, _, _ in
                counter.calls += 1
                if number <= counter.last { counter.isInOrder = false }
                counter.last = number
            }
        }
        shelves.number = 1
        controller.ignoringChanges { shelves.number = 2 }
        #expect(counter.calls == count && counter.isInOrder)
        for _ in 0..<count {
            controller.observe(shelves, \.other) { counter, _, _ in counter.calls += 1 }
            controller.unobserve(shelves, \.other)
        }
        shelves.other = 1
        controller.unobserve(shelves, \.number)
        shelves.number = 3
        #expect(counter.calls == count && shelves.observationInfo.isEmpty)
    }

    @Test("1.7 1.8 With 20,000 key paths of an object, each is found and ended as fast as the first")
    func manyKeyPaths() {
        let shelves = Shelves(count: count)
        let controller = KVOController(observer: counter)
        let keyPaths = (0..<count).map { \Shelves.places[$0] }
        for _ in 0..<2 {
            for keyPath in keyPaths { controller.observe(shelves, keyPath) { counter, _, _ in counter.calls += 1 } }
        }
        // Every other one, from both sides.
        for index in 0..<count / 2 {
            controller.unobserve(shelves, keyPaths[index.isMultiple(of: 2) ? index : count - index])
        }
        #expect(shelves.observationInfo.count == count / 2)
        shelves.places[0] = -1
        #expect(counter.calls == count / 2)
        controller.unobserve(shelves)
        #expect(shelves.observationInfo.isEmpty)
    }

    @Test(
        "A3 A5 20,000 registrations end with their controller; those that replace each other leave the last one",
        arguments: [false, true])
    func ending(isReplacing: Bool) {
        let shelves = Shelves(count: 0)
        var controller: KVOController? = KVOController(observer: counter, duplicates: isReplacing ? .replace : .allow)
        for number in 1...count { controller?.observe(shelves, \.number) { counter, _, _ in counter.last = number } }
        shelves.number = 1
        #expect(counter.last == count && shelves.observationInfo.count == (isReplacing ? 1 : count))
        controller = nil
        #expect(shelves.observationInfo.isEmpty)
    }
}
