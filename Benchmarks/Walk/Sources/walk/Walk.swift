// One change of each kind, made after the same change has been made a few times.
import KeyValueObserving

final class Node: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var other = 0
    @Observed var next: Node?
    @Observed var items: [Int] = []
    var sum: Int { number + other }
    private var raw = 0
    var level: Int {
        get {
            accessValue(for: \.level)
            return raw
        }
        set { raw = newValue }
    }
}

@main
enum Walk {
    static func main() { makeChanges() }

    // What stands in `main` belongs to the main actor, and its handlers would be checked at each call.
    static func makeChanges() {
        let (start, middle, end) = (Node(), Node(), Node())
        let (adder, list, single, spare) = (Node(), Node(), Node(), Node())
        (start.next, middle.next) = (middle, end)
        var calls = 0
        var tokens = [
            start.observe(\.next?.next?.number, options: [.old, .new]) { _, _ in calls += 1 },
            start.observe(\.sum, options: [.old, .new]) { _, _ in calls += 1 },
            start.observe(\.level, options: [.old, .new]) { _, _ in calls += 1 },
            adder.observe(\.sum, options: [.old, .new]) { _, _ in calls += 1 },
            end.observe(\.other, options: [.old, .new]) { _, _ in calls += 1 },
            list.observe(\.items, options: [.old, .new]) { _, _ in calls += 1 },
            single.observe(\.other) { _, _ in calls += 1 },
        ]

        walk("first", after: 0) { single.other = $0 }
        walk("set") { end.other = $0 }
        walk("in place") { end.other += $0 }
        walk("replaced") { middle.next = $0.isMultiple(of: 2) ? end : spare }
        walk("leaf") { end.number = $0 }
        walk("dependent") { adder.number = $0 }
        walk("transaction") { number in
            withKeyValueTransaction {
                start.number = number
                start.other = number
            }
        }
        walk("pair") { _ in
            start.willChangeValue(for: \.level)
            start.didChangeValue(for: \.level)
        }
        walk("view") { list.mutable(\.items).append($0) }
        let expected = calls
        walk("register") { _ in tokens.append(single.observe(\.number) { _, _ in }) }
        precondition(calls == expected && calls == 1 + 8 * 5)
    }

    /// Makes a change a few times, and then once more while it is watched.
    static func walk(_ name: String, after rounds: Int = 4, _ change: (Int) -> Void) {
        for round in 0..<rounds { change(round) }
        print(name)
        watched(change, rounds)
    }

    /// Scripts/walk counts what runs in this.
    @inline(never)
    static func watched(_ change: (Int) -> Void, _ round: Int) { change(round) }
}
