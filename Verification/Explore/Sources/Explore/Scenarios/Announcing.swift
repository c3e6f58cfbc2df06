// Announced changes and transactions while other threads register, end and change.
import KeyValueObserving

extension Scenario {
    static var announcing: [Scenario] {
        [
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
            Scenario("announcements of one property overlap on two threads, without a lock", "9.1 9.4") {
                let cell = Cell()
                let token = cell.observe(\.value, options: [.old, .new]) { _, _ in userCode() }
                // From here on there is something to be used again.
                cell.value = 3
                return Trial({ cell.value = 1 }, { cell.value = 2 }, check: {}).keeping(cell, token)
            },
            Scenario("a registration is made inside an announced change", "P5") {
                let (cell, isOpen, calls) = (Cell(), Box(false), Box(0))
                let token = cell.observe(\.value) { _, _ in userCode() }
                let late = Box<KeyValueObservation?>(nil)
                return Trial(
                    {
                        cell.willChangeValue(for: \.value)
                        isOpen.value = true
                        cell.setBehind(1)
                        cell.didChangeValue(for: \.value)
                    },
                    {
                        let isLate = isOpen.value
                        late.value = cell.observe(\.value, options: .new) { _, change in
                            calls.value? += 1
                            require(
                                isLate == false || change.newValue == 2,
                                "P5 a registration is called for a change that began before it")
                        }
                    },
                    check: {
                        let count = calls.value ?? 0
                        cell.value = 2
                        require(calls.value == count + 1, "9.1 \(calls.value ?? -1) calls after \(count)")
                    }
                )
                .keeping(cell, token, late)
            },
        ]
    }
}

/// A list behind a lock, whose insertions are announced.
final class SharedList: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let lock = UserLock()
    private var stored: [Int] = []

    var numbers: [Int] {
        get {
            accessValue(for: \.numbers)
            return lock.withLock { stored }
        }
        set { changeValue(for: \.numbers) { lock.withLock { stored = newValue } } }
    }

    private let order = UserLock()

    /// Appends, one thread at a time.
    func append(_ number: Int) { order.withLock { mutable(\.numbers).append(number) } }
}
