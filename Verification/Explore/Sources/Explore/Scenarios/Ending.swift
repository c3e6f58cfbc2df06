// Ending registrations while other threads change, end and deliver.
import KeyValueObserving

extension Scenario {
    static let ending = [
        Scenario("ending while the property is set", "9.3") {
            let (node, journal) = (Node(), Journal())
            journal.observe("one", node, \.x)
            return Trial(journal, [{ journal.changes { node.x = $0 } }, { journal.end("one") }])
        },
        Scenario("two threads end one registration while a third one sets", "9.3") {
            let (node, journal) = (Node(), Journal())
            journal.observe("one", node, \.x)
            func end() { journal.end("one") }
            return Trial(journal, [{ journal.changes(to: 1) { node.x = $0 } }, end, end])
        },
        Scenario("a token is released while the property is set", "9.3 9.4") {
            let (node, journal, captured) = (Node(), Journal(), Counted())
            let token = Box(
                journal.register("one") { call in
                    node.observe(\.x) { _, change in
                        withExtendedLifetime(captured) { call(change.oldValue, change.newValue) }
                    }
                })
            func set() { journal.changes { node.x = $0 } }
            return Trial(journal, [set, { journal.end("one") { token.empty() } }])
        },
        Scenario("ending the middle one of three while the property is set", "9.3 3.2") {
            let (node, journal, calls) = (Node(), Journal(), Shared<[Int]>([]))
            for index in 0..<3 {
                journal.observe("\(index)") { call in
                    node.observe(\.x) {
                        calls.value.append(index)
                        call($1.oldValue, $1.newValue)
                    }
                }
            }
            return Trial(journal, [{ journal.changes(to: 1) { node.x = $0 } }, { journal.end("1") }]) {
                require([[0, 1, 2], [0, 2]].contains(calls.value), "3.2 called in the order \(calls.value)")
            }
        },
        Scenario("a handler ends its own registration while another thread does", "9.3 1.6") {
            let (node, journal) = (Node(), Journal())
            journal.observe("one") { call in
                node.observe(\.x) { [unowned journal] _, change in
                    call(change.oldValue, change.newValue)
                    journal.end("one")
                }
            }
            return Trial(journal, [{ journal.changes { node.x = $0 } }, { journal.end("one") }])
        },
        Scenario("ending while the property is accessed in place", "9.3 3.5") {
            let (node, journal) = (Node(), Journal())
            journal.observe("one", node, \.x)
            func change(_ value: inout Int) {
                userCode()
                value += 1
            }
            func setInPlace() { journal.changes(to: 1) { _ in change(&node.x) } }
            func observeOther() { withExtendedLifetime(node.observe(\.y) { _, _ in }) {} }
            return Trial(journal, [setInPlace, { journal.end("one") }, observeOther])
        },
        Scenario("what one thread ignores another one delivers", "13.3") {
            let (node, values) = (Node(), Shared<[Int]>([]))
            let token = node.observe(\.x) { _, change in
                values.value.append(change.newValue ?? -1)
                userCode()
            }
            func set(_ value: Int) { node.lock.withLock { node.x = value } }
            return Trial([{ token.ignoringChanges { set(1) } }, { set(2) }]) {
                require(values.value == [2], "13.3 \(values.value) instead of [2]")
            }
        },
    ]
}
