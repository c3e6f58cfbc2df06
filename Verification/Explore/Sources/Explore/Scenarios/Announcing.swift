// Announced changes and transactions while other threads register, end and change.
import KeyValueObserving

extension Scenario {
    static let announcing = [
        Scenario("a did on another thread than its will", "3.5") {
            let (cell, journal) = (Cell(), Journal())
            journal.observe("one", cell, \.value)
            return Trial(
                journal, [{ journal.changes(to: 1) { cell.announce($0) } }, { cell.didChangeValue(for: \.value) }])
        },
        Scenario("elements are announced by two threads", "7.1 9.1") {
            let (cell, lock, kinds) = (Cell(), UserLock(), Shared<[String]>([]))
            let token = cell.observe(\.numbers, options: .new) { _, change in
                kinds.value.append("\(change.kind) \(change.newValue?.count ?? -1)")
                userCode()
            }
            func append(_ number: Int) { lock.withLock { cell.mutable(\.numbers).append(number) } }
            return Trial(keeping: token, [{ append(1) }, { append(2) }]) {
                require(kinds.value == ["insertion 1", "insertion 1"], "7.1 \(kinds.value) for two insertions")
            }
        },
        Scenario("a registration is made while a transaction is open elsewhere", "10.3 9.1") {
            let (node, journal) = (Node(), Journal())
            journal.observe("first", node, \.x)
            func change() {
                withKeyValueTransaction {
                    node.x = 1
                    node.x = 2
                }
            }
            return Trial(
                journal,
                [{ journal.change(from: 0, to: 2, change) }, { journal.observe("other", node, \.y, on: "y") }])
        },
        Scenario("announcements of one property overlap on two threads, without a lock", "9.1 9.4") {
            let cell = Cell()
            let token = cell.observe(\.value) { _, _ in userCode() }
            // From here on there is something to be used again.
            cell.value = 3
            return Trial(keeping: token, [{ cell.value = 1 }, { cell.value = 2 }])
        },
        Scenario("a registration is made inside an announced change", "P5 3.5") {
            let (cell, isOpen, calls, late) = (Cell(), Shared(false), Shared(0), Box<KeyValueObservation>())
            let token = cell.observe(\.value) { _, _ in userCode() }
            func register() {
                let isLate = isOpen.value
                late.value = cell.observe(\.value, options: .new) { _, change in
                    calls.value += 1
                    let isMeant = !isLate || change.newValue == 2
                    require(isMeant, "P5 a registration is called for a change that began before it")
                }
            }
            return Trial(keeping: (token, late), [{ cell.announce(1) { isOpen.value = true } }, register]) {
                let count = calls.value
                cell.value = 2
                require(calls.value == count + 1, "9.1 \(calls.value) calls after \(count)")
            }
        },
    ]
}
