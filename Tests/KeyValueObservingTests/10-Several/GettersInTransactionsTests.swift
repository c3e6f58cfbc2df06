// Getters that change what they read, at the end of a transaction: 10.2 and 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 Getters that change properties at the end of a transaction")
struct GettersInTransactionsTests {
    private let gauge = Gauge()
    private let log = Log()

    private func observe<Value>(_ keyPath: KeyPath<Gauge, Value>, as name: String) -> KeyValueObservation {
        gauge.observe(keyPath, options: [.old, .new]) { [log] in log.add($1, as: name) }
    }

    @Test("10.2 3.5 What a getter sets belongs to the transaction: one change, from the first value to the last")
    func ownSource() {
        let tokens = [observe(\.limited, as: "limited"), observe(\.level, as: "level")]
        withKeyValueTransaction { gauge.level = 9 }
        #expect(log.take() == ["limited 0→5", "level 0→5"])
        #expect(gauge.level == 5)
        withKeyValueTransaction {
            gauge.level = 7
            gauge.level = 3
        }
        #expect(log.take() == ["limited 5→3", "level 5→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 So does what it sets of another property that was changed before", arguments: [false, true])
    func otherSource(isFirst: Bool) {
        let tokens = [
            observe(\.level, as: "level"), observe(\.count, as: "count"), observe(\.counting, as: "counting"),
        ]
        withKeyValueTransaction {
            if isFirst { gauge.count = 100 }
            gauge.level = 2
            if !isFirst { gauge.count = 100 }
        }
        let count = "count 0→2"
        #expect(
            log.take()
                == (isFirst ? [count, "counting 0→2", "level 0→2"] : ["level 0→2", "counting 0→2", count]))
        #expect(gauge.count == 2)
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 What it sets that nothing in the transaction changed is delivered after what was")
    func untouchedSource() {
        let tokens = [
            observe(\.count, as: "count"), observe(\.counting, as: "counting"), observe(\.level, as: "level"),
        ]
        withKeyValueTransaction { gauge.level = 2 }
        #expect(log.take() == ["counting 0→2", "level 0→2", "count 0→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 5.2 A computed property is evaluated again if another one's getter sets what it has read")
    func setAfterEvaluation() {
        let tokens = [observe(\.sum, as: "sum"), observe(\.counting, as: "counting"), observe(\.count, as: "count")]
        withKeyValueTransaction { gauge.level = 2 }
        #expect(log.take() == ["sum 0→4", "counting 0→2", "count 0→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 2.4 Who registers in a getter at the end is notified of what it sets after that")
    func registeredInAGetter() {
        var tokens = [observe(\.hooked, as: "hooked")]
        withKeyValueTransaction {
            gauge.level = 1
            gauge.onRead = { [gauge, self] in
                gauge.onRead = nil
                tokens.append(observe(\.doubled, as: "doubled"))
                gauge.count = 5
            }
        }
        #expect(log.take() == ["hooked 0→1", "doubled 0→10"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 After changes of elements it is one more change, of the whole")
    func elements() {
        let tokens = [observe(\.items, as: "items"), observe(\.trimmed, as: "trimmed")]
        withKeyValueTransaction {
            gauge.mutable(\.items).append(1)
            gauge.mutable(\.items).append(2)
        }
        #expect(
            log.take() == [
                "items insertion ·→[1]", "items insertion ·→[2]", "items [1, 2]→[1]", "trimmed []→[1]",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 5.2 A getter that changes nothing is evaluated once")
    func evaluatedOnce() {
        let tokens = [observe(\.sum, as: "sum")]
        gauge.evaluations = 0
        withKeyValueTransaction {
            gauge.level = 1
            gauge.count = 2
            gauge.level = 3
        }
        #expect(log.take() == ["sum 0→5"] && gauge.evaluations == 1)
        withExtendedLifetime(tokens) {}
    }
}

private final class Gauge: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var count = 0
    @Observed var items: [Int] = []
    var evaluations = 0
    /// Changes without notice.
    var hidden = 0
    var total: Int { count + hidden }

    var doubled: Int { count * 2 }
    var onRead: (() -> Void)?
    var hooked: Int {
        onRead?()
        return level
    }

    /// Keeps the level below 6.
    var limited: Int {
        if level > 5 { level = 5 }
        return level
    }
    /// Makes the count follow the level.
    var counting: Int {
        if count != level { count = level }
        return count
    }
    /// Keeps one item.
    var trimmed: [Int] {
        if items.count > 1 { items = Array(items.prefix(1)) }
        return items
    }
    var sum: Int {
        evaluations += 1
        return level + count
    }
}
