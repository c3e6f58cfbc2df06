// Announced changes and transactions that overlap on several threads.
import KeyValueObserving

extension Scenario {
    static var announcing: [Scenario] {
        [
            Scenario("announcements of one property overlap on two threads", "3.5 9.1") {
                let cell = Cell()
                let values = Box<[Int]>([])
                let token = cell.observe(\.value, options: .new) { _, change in
                    values.value?.append(change.newValue ?? -1)
                    userCode()
                }
                return Trial(
                    { cell.value = 1 }, { cell.value = 2 },
                    check: {
                        require(values.value?.count == 2, "9.2 \(values.value ?? []) instead of two calls")
                        let last = cell.value
                        require(values.value?.contains(last) ?? false, "3.5 nobody was called with \(last)")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("announcements of one property on two threads, observed through a path", "3.5 6.1 9.1") {
                let end = Cell()
                let root = Cell(0, next: end)
                let values = Box<[Int]>([])
                let token = root.observe(\.next?.value, options: .new) { _, change in
                    values.value?.append(change.newValue.flatMap { $0 } ?? -1)
                    userCode()
                }
                return Trial(
                    { end.value = 1 }, { end.value = 2 },
                    check: {
                        require(values.value?.count == 2, "9.2 \(values.value ?? []) instead of two calls")
                        let last = end.value
                        require(values.value?.contains(last) ?? false, "3.5 nobody was called with \(last)")
                        withExtendedLifetime((root, token)) {}
                    })
            },
            Scenario("a did on another thread than its will", "3.5") {
                let cell = Cell()
                let journal = Journal()
                let token = journal.observe("one", cell, \.value, on: "x")
                return Trial(
                    {
                        journal.change(from: 0, to: 1) {
                            cell.willChangeValue(for: \.value)
                            cell.setBehind(1)
                            cell.didChangeValue(for: \.value)
                        }
                    }, { cell.didChangeValue(for: \.value) },
                    check: {
                        require(journal.count("one") == 1, "3.5 \(journal.count("one")) calls, not one")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a path is led to a property between its will and its did", "3.5 6.1") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let chain = Chain()
                let token = root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    {
                        second.willChangeValue(for: \.value)
                        second.setBehind(3)
                        userCode()
                        second.didChangeValue(for: \.value)
                    }, { root.next = second },
                    check: {
                        chain.check(from: 1, to: 3)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("two threads announce changes while a third one leads a path there", "3.5 6.1 9.1") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let values = Box<[Int]>([])
                let token = root.observe(\.next?.value, options: .new) { _, change in
                    values.value?.append(change.newValue.flatMap { $0 } ?? -1)
                }
                return Trial(
                    { second.value = 3 }, { second.value = 4 }, { root.next = second },
                    check: {
                        let last = second.value
                        require(values.value?.contains(last) ?? false, "3.5 nobody was called with \(last)")
                        withExtendedLifetime((root, token)) {}
                    })
            },
            Scenario("an announced change ends while another thread registers", "3.5 2.4") {
                let cell = Cell()
                let late = Box<[KeyValueObservation]>([])
                return Trial(
                    {
                        cell.willChangeValue(for: \.value)
                        cell.setBehind(1)
                        cell.didChangeValue(for: \.value)
                        let calls = Box(0)
                        let token = cell.observe(\.value) { _, _ in calls.value? += 1 }
                        cell.value = 2
                        require(calls.value == 1, "3.5 \(calls.value ?? -1) calls for a change after the announced one")
                        withExtendedLifetime(token) {}
                    }, { late.value?.append(cell.observe(\.value) { _, _ in userCode() }) },
                    check: { withExtendedLifetime(late) {} })
            },
            Scenario("one property is announced after another one while another thread registers", "3.5 2.4") {
                let cell = Cell()
                let late = Box<[KeyValueObservation]>([])
                return Trial(
                    {
                        cell.willChangeValue(for: \.next)
                        cell.didChangeValue(for: \.next)
                        cell.willChangeValue(for: \.value)
                        cell.setBehind(1)
                        cell.didChangeValue(for: \.value)
                        let calls = Box(0)
                        let token = cell.observe(\.next) { _, _ in calls.value? += 1 }
                        cell.next = nil
                        require(calls.value == 1, "3.5 \(calls.value ?? -1) calls for a change after both")
                        withExtendedLifetime(token) {}
                    }, { late.value?.append(cell.observe(\.value) { _, _ in userCode() }) },
                    check: { withExtendedLifetime(late) {} })
            },
            Scenario("an expression reads what two threads announce", "16.2 3.5 9.1") {
                let (cell, other) = (Cell(1), Cell(10))
                let chain = Chain()
                let token = cell.observe(reading: { $0.value + ($0.next?.value ?? 0) }, options: [.old, .new]) {
                    chain.add($1.oldValue, $1.newValue)
                }
                return Trial({ cell.next = other }, { other.value = 20 }, check: { chain.check(from: 1, to: 21) })
                    .keeping(cell, other, token)
            },
            Scenario("an object dies while another thread ends what is announced of it", "3.5 9.4") {
                let cell = Box(Cell())
                guard let kept = cell.value else { return Trial({}, check: {}) }
                let token = Box(kept.observe(\.value, options: [.old, .new]) { _, _ in userCode() })
                let announced = Box(kept)
                return Trial(
                    {
                        announced.value?.value = 1
                        announced.empty()
                    }, { cell.empty() }, { token.empty() }, check: {})
            },
            Scenario("two threads announce changes of one property in transactions", "10.2 3.5") {
                let (cell, calls) = (Cell(), Box(0))
                let tokens = [
                    cell.observe(\.value, options: [.old, .new]) { _, _ in
                        calls.value? += 1
                        userCode()
                    },
                    cell.observe(\.chosen, options: [.old, .new]) { _, _ in userCode() },
                ]
                func change(to first: Int) {
                    withKeyValueTransaction {
                        cell.value = first
                        cell.value = first + 1
                    }
                }
                return Trial(
                    { change(to: 1) }, { change(to: 11) },
                    check: { require(calls.value == 2, "10.2 \(calls.value ?? -1) calls instead of two") }
                )
                .keeping(cell, tokens[0], tokens[1])
            },
            Scenario("a will without a did is ended by the end of the registration", "3.5 9.4") {
                let cell = Cell()
                let token = Box(cell.observe(\.next, options: [.old, .new]) { _, _ in })
                return Trial(
                    {
                        cell.willChangeValue(for: \.next)
                        userCode()
                    }, { token.empty() }, { cell.value = 1 }, check: {})
            },
            Scenario("elements are announced by two threads", "7.1 9.1") {
                let list = SharedList()
                let kinds = Box<[String]>([])
                let token = list.observe(\.numbers, options: .new) { _, change in
                    kinds.value?.append("\(change.kind) \(change.newValue?.count ?? -1)")
                    userCode()
                }
                return Trial(
                    { list.append(1) }, { list.append(2) },
                    check: {
                        require(
                            kinds.value == ["insertion 1", "insertion 1"], "7.1 \(kinds.value ?? []) for two insertions"
                        )
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("transactions overlap on two threads", "10.1 10.2 9.1") {
                let (first, second) = (Cell(), Cell())
                let journal = Journal()
                let tokens = [
                    journal.observe("first", first, \.value, on: "first"),
                    journal.observe("second", second, \.value, on: "second"),
                ]
                return Trial(
                    journal,
                    {
                        journal.change("first", from: 0, to: 2) {
                            withKeyValueTransaction {
                                first.value = 1
                                first.value = 2
                            }
                        }
                    },
                    {
                        journal.change("second", from: 0, to: 4) {
                            withKeyValueTransaction {
                                second.value = 3
                                second.value = 4
                            }
                        }
                    }, check: { withExtendedLifetime(tokens) {} })
            },
            Scenario("transactions on two threads change what one computed property reads", "10.1 5.1 9.1") {
                let root = Cell(1, next: Cell(10))
                let chain = Chain()
                let token = root.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    {
                        withKeyValueTransaction {
                            root.value = 2
                            root.value = 3
                        }
                    }, { withKeyValueTransaction { root.next?.value = 20 } },
                    check: {
                        chain.check(from: 11, to: 23)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a path is re-wired in a transaction while its ends change", "10.1 6.1 9.1") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let chain = Chain()
                let token = root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { withKeyValueTransaction { root.next = second } },
                    {
                        first.value = 5
                        second.value = 6
                    },
                    check: {
                        chain.check(from: 1, to: 6)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a registration ends while a transaction concerns it", "10.1 9.3") {
                let node = Node()
                let journal = Journal()
                let token = journal.observe("one", node, \.x, on: "x")
                return Trial(
                    journal,
                    {
                        journal.change(from: 0, to: 2) {
                            withKeyValueTransaction {
                                node.x = 1
                                node.x = 2
                            }
                        }
                    }, { journal.end("one") { token.invalidate() } })
            },
            Scenario("a registration is made while a transaction is open elsewhere", "10.3 9.1") {
                let node = Node()
                let journal = Journal()
                let first = journal.observe("first", node, \.x, on: "x")
                let tokens = Box([first])
                return Trial(
                    journal,
                    {
                        journal.change(from: 0, to: 2) {
                            withKeyValueTransaction {
                                node.x = 1
                                node.x = 2
                            }
                        }
                    }, { tokens.value?.append(journal.observe("other", node, \.y, on: "y")) })
            },
            Scenario("an access in place contains a change on another thread of what a path reads", "3.5 9.1") {
                let end = Node()
                let root = NodeAndCell(end, Cell(10))
                let chain = Chain()
                let token = root.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                func change(_ value: inout Int) {
                    userCode()
                    value += 1
                }
                return Trial(
                    { change(&end.x) }, { root.cell.value = 20 },
                    check: {
                        chain.check(from: 10, to: 21)
                        withExtendedLifetime(token) {}
                    })
            },
        ]
    }
}

/// A list behind a lock, whose insertions are announced.
final class SharedList: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let lock = UserLock()
    private var stored: [Int] = []

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { false }

    var numbers: [Int] {
        accessValue(for: \.numbers)
        return lock.withLock { stored }
    }

    private let order = UserLock()

    /// Appends, one thread at a time: an announcement names a position, which must hold until the change is made.
    func append(_ number: Int) {
        order.withLock {
            let end = numbers.count
            let positions = RangeSet(end..<end + 1)
            willChange(.insertion, valuesAt: positions, for: \.numbers)
            lock.withLock { stored.append(number) }
            didChange(.insertion, valuesAt: positions, for: \.numbers)
        }
    }
}

/// Reads an object's plain property and one behind a lock.
final class NodeAndCell: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let node: Node
    let cell: Cell

    init(_ node: Node, _ cell: Cell) {
        self.node = node
        self.cell = cell
    }

    var sum: Int { node.x + cell.value }
}
