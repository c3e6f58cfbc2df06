// Ending registrations while other threads change, end and deliver.
import KeyValueObserving

extension Scenario {
    static var ending: [Scenario] {
        [
            Scenario("ending while the property is set", "9.3") {
                let node = Node()
                let journal = Journal()
                let token = journal.observe("one", node, \.x, on: "x")
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { node.x = value } } },
                    { journal.end("one") { token.invalidate() } })
            },
            Scenario("two threads end one registration while a third one sets", "9.3") {
                let node = Node()
                let journal = Journal()
                let token = journal.observe("one", node, \.x, on: "x")
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { node.x = 1 } },
                    { journal.end("one") { token.invalidate() } }, { journal.end("one") { token.invalidate() } })
            },
            Scenario("a token is released while the property is set", "9.3 9.4") {
                let node = Node()
                let journal = Journal()
                let captured = Counted()
                let token = Box(
                    journal.register("one") { call in
                        node.observe(\.x, options: [.old, .new]) { _, change in
                            withExtendedLifetime(captured) { call(change.oldValue, change.newValue) }
                        }
                    })
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { node.x = value } } },
                    { journal.end("one") { token.empty() } })
            },
            Scenario("ending the middle one of three while the property is set", "9.3 3.2") {
                let node = Node()
                let journal = Journal()
                let calls = Box<[Int]>([])
                let tokens = (0..<3).map { index in
                    journal.register("\(index)") { call in
                        node.observe(\.x, options: [.old, .new]) {
                            calls.value?.append(index)
                            call($1.oldValue, $1.newValue)
                        }
                    }
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { node.x = 1 } },
                    { journal.end("1") { tokens[1].invalidate() } },
                    check: {
                        require(
                            [[0, 1, 2], [0, 2]].contains(calls.value), "3.2 called in the order \(calls.value ?? [])")
                    })
            },
            Scenario("a handler ends its own registration while another thread does", "9.3 1.6") {
                let node = Node()
                let journal = Journal()
                let token = Box<KeyValueObservation?>(nil)
                token.value = journal.register("one") { call in
                    node.observe(\.x, options: [.old, .new]) { _, change in
                        call(change.oldValue, change.newValue)
                        journal.end("one") { token.value??.invalidate() }
                    }
                }
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { node.x = value } } },
                    { journal.end("one") { token.value??.invalidate() } }, check: { token.empty() })
            },
            Scenario("ending while the property is accessed in place", "9.3 3.5") {
                let node = Node()
                let journal = Journal()
                let token = journal.observe("one", node, \.x, on: "x")
                func change(_ value: inout Int) {
                    userCode()
                    value += 1
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { change(&node.x) } },
                    { journal.end("one") { token.invalidate() } },
                    { withExtendedLifetime(node.observe(\.y) { _, _ in }) {} })
            },
            Scenario("what one thread ignores another one delivers", "13.3") {
                let (node, values) = (Node(), Box<[Int]>([]))
                let token = node.observe(\.x, options: .new) { _, change in
                    values.value?.append(change.newValue ?? -1)
                    userCode()
                }
                return Trial(
                    { token.ignoringChanges { node.lock.withLock { node.x = 1 } } },
                    { node.lock.withLock { node.x = 2 } },
                    check: { require(values.value == [2], "13.3 \(values.value ?? []) instead of [2]") }
                )
                .keeping(node, token)
            },
        ]
    }
}
