// The values of a change, when they are noted, and what they are of: 19.1.
import KeyValueObserving
import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 Values")
    struct ValueTests {
        @Test("19.1 A change is printed once, with both values, also if observers are called before it")
        func printedOnce() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let cart = Cart()
                let token = cart.observe(\.count, options: [.prior, .old, .new]) { _, _ in }
                KeyValueTrace.start(valueLength: 10, printsChanges: true)
                cart.count = 1
                withExtendedLifetime(token) {}
            }
            let lines = message(of: result).split(separator: "\n").filter { $0.contains("count of Cart") }
            #expect(lines == ["KeyValueObserving: count of Cart: 0 → 1"])
        }

        @Test(
            "19.1 The values of a change of elements are elements, also where a getter changes the property meanwhile")
        func elements() {
            let shelf = Shelf()
            let log = Log()
            let token = shelf.observe(\.items, options: [.old, .new]) { log.add($1) }
            let events = traced {
                shelf.willChange(.replacement, valuesAt: RangeSet(0..<1), for: \.items)
                shelf.place("b")
                shelf.didChange(.replacement, valuesAt: RangeSet(0..<1), for: \.items)
            }.of(shelf).of(.change)
            #expect(log.lines == [#"["a"]→["b", "sorted"]"#])
            #expect(events.map(\.elements) == ["replacement at 0..<1"])
            #expect(events.map(\.oldValue) == [#"["a"]"#])
            #expect(events.map(\.newValue) == [nil])
            withExtendedLifetime(token) {}
        }
    }
}

/// A list that is put in order when it is read.
private final class Shelf: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var stored = ["a"]
    private var isInOrder = true

    var items: [String] {
        accessValue(for: \.items)
        if !isInOrder {
            isInOrder = true
            changeValue(for: \.items) { stored.append("sorted") }
        }
        return stored
    }

    func place(_ item: String) {
        stored[0] = item
        isInOrder = false
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }
}
