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
            Scenario("ending two of three from two threads while the property is set", "9.3 9.1") {
                let node = Node()
                let journal = Journal()
                let tokens = (0..<3).map { journal.observe("\($0)", node, \.x, on: "x") }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { node.x = 1 } },
                    { journal.end("0") { tokens[0].invalidate() } }, { journal.end("2") { tokens[2].invalidate() } },
                    check: {
                        journal.change(from: 1, to: 2) { node.x = 2 }
                        journal.check()
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
            Scenario("registering and ending again while another property is set", "9.1 9.3") {
                let node = Node()
                let journal = Journal()
                let first = journal.observe("first", node, \.x, on: "x")
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { node.x = value } } },
                    {
                        let token = journal.observe("short", node, \.y, on: "y")
                        journal.end("short") { token.invalidate() }
                        withExtendedLifetime(first) {}
                    })
            },
            Scenario("a set in a handler while another thread ends", "3.3 9.3") {
                let node = Node()
                let journal = Journal()
                let chain = Box(
                    node.observe(\.x) { node, _ in
                        if node.y == 0 { journal.change("y", from: 0, to: 7) { node.y = 7 } }
                    })
                let token = journal.observe("one", node, \.y, on: "y")
                return Trial(
                    journal, { node.x = 1 }, { journal.end("one") { token.invalidate() } }, { chain.empty() })
            },
            Scenario("an end releases what ends another registration", "9.3 9.4") {
                let node = Node()
                let journal = Journal()
                let second = journal.observe("second", node, \.x, on: "x")
                let visitor = Visitor { journal.end("second") { second.invalidate() } }
                let first = Box(node.observe(\.y) { _, _ in withExtendedLifetime(visitor) {} })
                let held = Box(visitor)
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { node.x = 1 } },
                    {
                        held.empty()
                        first.empty()
                    })
            },
            Scenario("a call is not begun for one that ended under a lock of the program", "9.3 9.1") {
                let node = Node()
                let journal = Journal()
                let token = journal.register("one") { call in
                    node.observe(\.x, options: [.old, .new]) { node, change in
                        node.lock.withLock { call(change.oldValue, change.newValue) }
                    }
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { node.x = 1 } },
                    { node.lock.withLock { journal.end("one") { token.invalidate() } } })
            },
            Scenario("ending while elements change in place", "9.3 7.1") {
                let node = Node()
                let calls = Box(0)
                let tokens = (0..<2).map { _ in
                    node.observe(\.numbers, options: [.old, .new]) { _, change in
                        require(change.kind == .insertion, "7.1 an insertion arrives as \(change.kind)")
                        calls.value = (calls.value ?? 0) + 1
                        userCode()
                    }
                }
                return Trial(
                    { node.mutable(\.numbers).append(1) }, { tokens[0].invalidate() },
                    check: {
                        require((1...2).contains(calls.value ?? 0), "9.1 \(calls.value ?? 0) calls")
                        withExtendedLifetime(tokens) {}
                    })
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
            Scenario("changes that one registration ignores while another thread ends it", "13.3 9.3") {
                let cell = Cell()
                let journal = Journal()
                let ignoring = journal.observe("ignoring", cell, \.value, on: "other")
                let second = journal.observe("second", cell, \.value, on: "x")
                return Trial(
                    journal,
                    { ignoring.ignoringChanges { journal.change(from: 0, to: 1) { cell.value = 1 } } },
                    { journal.end("ignoring") { ignoring.invalidate() } },
                    check: { withExtendedLifetime(second) {} })
            },
            Scenario("two threads change a watched object's property for the first time", "9.1 9.2") {
                let (tally, journal) = (Tally(), Journal())
                let token = journal.register("one", hasNoValues: true) { call in
                    tally.observeAnyProperty { _, _ in call(nil, nil) }
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { tally.x = 1 } },
                    { journal.change(from: 0, to: 2) { tally.x = 2 } },
                    check: { require(journal.count("one") == 2, "9.2 \(journal.count("one")) calls instead of two") }
                )
                .keeping(tally, token)
            },
            Scenario("two threads change a watched object's property while a third one ends that", "9.3") {
                let (tally, journal) = (Tally(), Journal())
                let token = journal.register("one", hasNoValues: true) { call in
                    tally.observeAnyProperty { _, _ in call(nil, nil) }
                }
                return Trial(
                    // Each of its own property: a change that is handed over to another thread may end before its calls.
                    journal, { journal.change(from: 0, to: 1) { tally.x = 1 } },
                    { journal.change(from: 0, to: 2) { tally.y = 2 } },
                    { journal.end("one") { token.invalidate() } },
                    check: { require(tally.observationInfo.isEmpty, "1.6 something is left") })
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

/// Runs something when it goes.
final class Visitor: Counted, @unchecked Sendable {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}
