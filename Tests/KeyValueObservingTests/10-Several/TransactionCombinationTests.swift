// Transactions together with priors, ignored changes, manual changes and handlers: 10.2, 10.3 and 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 10.3 Transactions among other things")
struct TransactionCombinationTests {
    private let log = Log()
    private let depot = Depot()

    private func observe<Value>(
        _ keyPath: KeyPath<Depot, Value>, as name: String, _ options: KeyValueObservingOptions = [.old, .new]
    ) -> KeyValueObservation {
        depot.observe(keyPath, options: options) { [log] in log.add($1, as: name) }
    }

    @Test("10.3 13.3 The one prior comes before the first change that is not ignored")
    func priorAfterIgnoring() {
        let count = observe(\.count, as: "count", [.old, .new, .prior])
        let twice = observe(\.twice, as: "twice", [.old, .new, .prior])
        withKeyValueTransaction {
            count.ignoringChanges { twice.ignoringChanges { depot.count = 1 } }
            #expect(log.take() == [])
            depot.count = 2
            #expect(log.take() == ["count prior 1→·", "twice prior 0→·"])
            depot.count = 3
        }
        #expect(log.take() == ["count 1→3", "twice 0→6"])
    }

    @Test("10.3 13.3 One that is made inside, and ignores a change, is not called before that")
    func latePriorIgnoring() {
        let first = observe(\.twice, as: "first", .new)
        var tokens: [KeyValueObservation] = []
        withKeyValueTransaction {
            depot.count = 1
            tokens = [observe(\.twice, as: "late", [.old, .new, .prior])]
            tokens[0].ignoringChanges { depot.count = 2 }
            #expect(log.take() == [])
            depot.count = 3
            #expect(log.take() == ["late prior 2→·"])
        }
        #expect(log.take() == ["first ·→6", "late 2→6"])
        withExtendedLifetime(first) {}
    }

    @Test("3.6 10.3 One that a handler makes before a change is not part of that change")
    func madeInPrior() {
        var late: [KeyValueObservation] = []
        let first = depot.observe(\.count, options: .prior) { [self] _, change in
            guard change.isPrior, late.isEmpty else { return }
            late = [observe(\.count, as: "count"), observe(\.twice, as: "twice")]
        }
        let path = observe(\.twice, as: "first")
        withKeyValueTransaction { depot.count = 1 }
        #expect(log.take() == ["first 0→2"])
        late = []
        withKeyValueTransaction {
            depot.count = 2
            depot.count = 3
        }
        #expect(log.take() == ["first 2→6", "count 2→3", "twice 2→6"])
        withExtendedLifetime((first, path)) {}
    }

    @Test("10.3 A change that is announced twice has one prior")
    func announcedTwice() {
        let token = observe(\.twice, as: "twice", [.old, .new, .prior])
        withKeyValueTransaction {
            for count in 1...2 { depot.changeValue(for: \.twice) { depot.count = count } }
        }
        #expect(log.take() == ["twice prior 0→·", "twice 0→4"])
        withExtendedLifetime(token) {}
    }

    @Test("2.1 10.3 There is one prior, with its old value, where its handler ends a change that was announced earlier")
    func endedInPrior() {
        depot.willChangeValue(for: \.count)
        var isOpen = true
        // It is made after that change has begun.
        let token = depot.observe(\.total, options: [.old, .new, .prior]) { [log] depot, change in
            log.add(change)
            guard isOpen else { return }
            isOpen = false
            depot.didChangeValue(for: \.count)
        }
        withKeyValueTransaction { depot.items = [1] }
        #expect(log.take() == ["prior 0→·", "0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("2.1 10.3 13.3 A prior call that ignored changes have put off has an old value, though the path is announced")
    func announcedAndIgnored() {
        let token = observe(\.total, as: "total", [.old, .new, .prior])
        depot.willChangeValue(for: \.total)
        withKeyValueTransaction {
            token.ignoringChanges { depot.count = 1 }
            depot.items = [1]
        }
        depot.didChangeValue(for: \.total)
        #expect(log.take() == ["total prior 0→·", "total 0→2"])
    }

    @Test(
        "3.3 10.2 What others change, who are called for an earlier change, does not wait for a handler's transaction")
    func othersInAHandler() {
        let tokens = [
            depot.observe(\.count) { depot, _ in withKeyValueTransaction { depot.label = "one" } },
            depot.observe(\.count) { [log] depot, _ in
                depot.items = [1]
                log.add("after the set")
            },
            observe(\.items, as: "items"), observe(\.label, as: "label"),
        ]
        depot.count = 1
        #expect(log.take() == ["items []→[1]", "after the set", "label →one"])
        withExtendedLifetime(tokens) {}
    }

    @Test("13.3 What others change, who are called for an earlier change, is not ignored")
    func othersWhileIgnoring() {
        let items = observe(\.items, as: "items")
        let tokens = [
            depot.observe(\.count) { depot, _ in items.ignoringChanges { depot.label = "one" } },
            depot.observe(\.count) { depot, _ in depot.items = [1] }, observe(\.label, as: "label"),
        ]
        depot.count = 1
        #expect(log.take() == ["items []→[1]", "label →one"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Depot: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var label = ""
    @Observed var items: [Int] = []
    var twice: Int { count * 2 }
    var total: Int { count + items.count }
    var doubled: [Int] { items.map { $0 * 2 } }
}
