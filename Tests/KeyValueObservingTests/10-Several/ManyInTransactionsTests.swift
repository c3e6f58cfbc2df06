// Transactions that change or concern more than a few things, which are found in another way: 10.2 and 10.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 Transactions that change many properties, or one that many others depend on")
struct ManyInTransactionsTests {
    private let log = Log()

    @Test("10.2 Each of many properties is delivered once, in the order of their first changes")
    func manyProperties() {
        let tables = (0..<40).map { _ in Table() }
        let tokens = tables.enumerated().map { index, table in
            table.observe(\.factor, options: [.old, .new]) { [log] in log.add($1, as: "\(index)") }
        }
        withKeyValueTransaction {
            for table in tables { table.factor = 2 }
            for table in tables.reversed() { table.factor = 3 }
            // In place it is no simple set.
            for table in tables { table.factor += 1 }
        }
        #expect(log.take() == tables.indices.map { "\($0) 1→4" })
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 A property that was set, and then changes in place, stays where its first change was")
    func setThenInPlace() {
        let (first, second) = (Table(), Table())
        let tokens = [
            first.observe(\.factor, options: [.old, .new]) { [log] in log.add($1, as: "first") },
            second.observe(\.factor, options: [.old, .new]) { [log] in log.add($1, as: "second") },
        ]
        withKeyValueTransaction {
            first.factor = 2
            second.factor = 2
            first.factor += 1
        }
        #expect(log.take() == ["first 1→3", "second 1→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 Who registers at one of many that depend on a property is notified of what follows", arguments: 0..<20)
    func lateAtOneOfMany(index: Int) {
        let table = Table()
        var tokens = (0..<20).map { number in
            table.observe(\.[number], options: .new) { [log] in log.add($1, as: "\(number)") }
        }
        withKeyValueTransaction {
            table.factor = 2
            tokens.append(table.observe(\.[index], options: [.old, .new]) { [log] in log.add($1, as: "late") })
            table.factor = 3
        }
        let expected = (0..<20).map { "\($0) ·→\($0 * 3)" } + ["late \(index * 2)→\(index * 3)"]
        #expect(log.take() == expected)
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 10.2 A property that a subclass overrides is followed after an announced change of it")
    func overridden() {
        let table: Table = DoubledTable()
        let token = table.observe(\.factor, options: [.old, .new]) { [log] in log.add($1) }
        withKeyValueTransaction {
            table.changeValue(for: \.factor) { table.factor = 2 }
            table.factor = 3
        }
        #expect(log.take() == ["2→6"])
        withExtendedLifetime(token) {}
    }
}

private class Table: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var factor = 1

    subscript(number: Int) -> Int { number * factor }
}

private final class DoubledTable: Table {
    override var factor: Int {
        get { super.factor * 2 }
        set { super.factor = newValue }
    }
}
