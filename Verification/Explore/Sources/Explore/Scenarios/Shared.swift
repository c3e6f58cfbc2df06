// Properties that several threads change.
import KeyValueObserving

extension Scenario {
    static var shared: [Scenario] {
        [
            Scenario("two threads set a shared property", "17.2") {
                let (tally, order) = (Tally(), Chain())
                let token = tally.observe(\.x, options: [.old, .new]) { order.add($1) }
                return Trial(
                    { for value in 1...2 { tally.x = value } }, { for value in 3...4 { tally.x = value } },
                    check: { order.check(from: 0, to: tally.x, count: 4) }
                )
                .keeping(tally, token)
            },
            Scenario("two threads add to a shared property in place", "17.1 17.2") {
                let (tally, order) = (Tally(), Chain())
                let token = tally.observe(\.x, options: [.old, .new]) { order.add($1) }
                return Trial(
                    { for _ in 1...2 { tally.x += 1 } }, { for _ in 1...2 { tally.x += 1 } },
                    check: {
                        require(tally.x == 4, "17.1 it is \(tally.x)")
                        order.check(from: 0, to: 4, count: 4)
                    }
                )
                .keeping(tally, token)
            },
            Scenario("two threads set two shared properties, whose handlers set the other one", "17.2") {
                let (tally, xs, ys) = (Tally(), Chain(), Chain())
                let tokens = [
                    tally.observe(\.x, options: [.old, .new]) { tally, change in
                        xs.add(change)
                        if change.newValue == 1 { tally.y = 2 }
                    },
                    tally.observe(\.y, options: [.old, .new]) { tally, change in
                        ys.add(change)
                        if change.newValue == 1 { tally.x = 2 }
                    },
                ]
                return Trial(
                    { tally.x = 1 }, { tally.y = 1 },
                    check: {
                        xs.check(from: 0, to: tally.x, count: 2)
                        ys.check(from: 0, to: tally.y, count: 2)
                        withExtendedLifetime(tokens) {}
                    }
                )
                .keeping(tally)
            },
            Scenario("a registration that reads its initial value, while a shared property is set", "9.1 1.3 17.2") {
                let (tally, news, token) = (Tally(), News(), Box<KeyValueObservation?>(nil))
                return Trial(
                    { for value in 1...2 { tally.x = value } },
                    { token.value = tally.observe(\.x, options: [.initial, .new]) { news.add($1) } },
                    check: { news.check(to: 2) }
                )
                .keeping(tally, token)
            },
            Scenario("two threads set two shared properties that a computed one reads", "17.3") {
                let (tally, chain) = (Tally(), Chain())
                let token = tally.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { tally.x = 1 }, { tally.y = 10 },
                    check: {
                        chain.check(from: 0, to: 11)
                        require((1...2).contains(chain.count), "17.3 \(chain.count) calls")
                    }
                )
                .keeping(tally, token)
            },
            Scenario("one of two threads that set what a computed property reads ignores its changes", "13.3 17.3") {
                let (tally, one, all) = (Tally(), Chain(), Chain())
                let tokens = [
                    tally.observe(\.sum, options: [.old, .new]) { one.add($1) },
                    tally.observe(\.sum, options: [.old, .new]) { all.add($1) },
                ]
                return Trial(
                    { tally.x = 1 }, { tokens[0].ignoringChanges { tally.y = 10 } },
                    check: {
                        one.checkIgnoring(from: 0, to: [1, 11])
                        all.check(from: 0, to: 11)
                        withExtendedLifetime(tokens) {}
                    }
                )
                .keeping(tally)
            },
            Scenario("one of three threads that set what a computed property reads ignores its changes", "13.3 17.3") {
                let (tally, one) = (Tally(), Chain())
                let token = tally.observe(\.sum, options: [.old, .new]) { one.add($1) }
                return Trial(
                    { tally.x = 1 }, { token.ignoringChanges { tally.x = 2 } }, { tally.y = 10 },
                    check: {
                        require((1...2).contains(one.count), "13.3 \(one.count) calls for two changes")
                        // What is ignored may come last, but never hides what is not.
                        one.check(from: 0, toOneOf: [11, 12])
                    }
                )
                .keeping(tally, token)
            },
            Scenario("an expression is observed and ended while the shared property that it reads is set", "9.1 16.2") {
                let (tally, journal) = (Tally(), Journal())
                let token = Box(
                    journal.register("old") { call in
                        tally.observe(reading: { $0.x + 0 }, options: [.new]) { call(nil, $1.newValue) }
                    })
                let late = Box<KeyValueObservation?>(nil)
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    {
                        late.value = journal.register("late") { call in
                            tally.observe(reading: { $0.x + 0 }, options: [.new]) { call(nil, $1.newValue) }
                        }
                        journal.end("old") { token.empty() }
                    }
                )
                .keeping(tally, late)
            },
            Scenario("a shared object on a path is replaced while other threads set the old and the new one", "17.3") {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = new
                new.x = 20
                let chain = Chain()
                let token = tally.observe(\.next!.x, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                // From here on the recipients are known, and can be borrowed.
                new.x = 21
                tally.next = old
                old.x = 10
                return Trial(
                    { tally.next = new }, { old.x += 1 }, { new.x += 1 },
                    check: { chain.check(from: 20, to: 22) }
                )
                .keeping(tally, old, new, token)
            },
            Scenario("transactions on two threads change two shared properties that a computed one reads", "17.3 10.2")
            {
                let (tally, chain) = (Tally(), Chain())
                let token = tally.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { withKeyValueTransaction { tally.x = 1 } },
                    {
                        withKeyValueTransaction {
                            tally.y = 10
                            tally.x = 2
                        }
                    }, check: { chain.check(from: 0, to: tally.sum) }
                )
                .keeping(tally, token)
            },
            Scenario("two shared properties are bound both ways, and each is set by a thread", "13.2 17.2") {
                let (left, right) = (Tally(), Tally())
                let token = left.bindBothWays(\.x, to: right, \.x)
                return Trial(
                    { left.x = 2 }, { right.x = 3 },
                    check: {
                        require([2, 3].contains(left.x), "13.2 the left is \(left.x)")
                        require([2, 3].contains(right.x), "13.2 the right is \(right.x)")
                        left.x = 4
                        require(right.x == 4, "13.2 the right is \(right.x), not 4")
                    }
                )
                .keeping(left, right, token)
            },
            Scenario("a view changes nothing of a shared set on a path while another thread sets it", "17.3 7.2") {
                let (group, chain) = (Group(), Chain())
                group.names = [1]
                let token = group.observe(\.names.count, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { group.names = [1, 2] }, { group.mutable(\.names).insert(1) },
                    check: { chain.check(from: 1, to: 2) }
                )
                .keeping(group, token)
            },
            Scenario("a second registration at a computed property, while two threads set what it reads", "9.1 17.3") {
                let (tally, first, late) = (Tally(), Chain(), Chain())
                let token = tally.observe(\.sum, options: [.old, .new]) { first.add($1) }
                let second = Box<KeyValueObservation?>(nil)
                return Trial(
                    { tally.x = 1 }, { tally.y = 10 },
                    { second.value = tally.observe(\.sum, options: [.old, .new]) { late.add($1) } },
                    check: {
                        first.check(from: 0, to: 11)
                        let count = late.count
                        tally.x = 2
                        require(late.count == count + 1, "9.1 the second registration is not called")
                        first.check(from: 0, to: 12)
                        late.checkLinks(to: 12)
                    }
                )
                .keeping(tally, token, second)
            },
            Scenario("a path of shared properties is re-wired in a transaction while its ends change", "10.2 17.3") {
                let (tally, first, second) = (Tally(), Tally(), Tally())
                tally.next = first
                second.x = 2
                let chain = Chain()
                let token = tally.observe(\.next?.x, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { withKeyValueTransaction { tally.next = second } },
                    {
                        first.x = 5
                        second.x = 6
                    }, check: { chain.check(from: 0, to: 6) }
                )
                .keeping(tally, first, second, token)
            },
            Scenario("a handler of a computed property never runs on two threads at once", "17.3") {
                let (tally, running) = (Tally(), Box(0))
                let token = tally.observe(\.sum, options: .new) { _, _ in
                    running.value? += 1
                    userCode()
                    require(running.value == 1, "17.3 the handler runs twice at once")
                    running.value? -= 1
                }
                return Trial(
                    { for value in 1...2 { tally.x = value } }, { for value in 1...2 { tally.y = value } }, check: {}
                )
                .keeping(tally, token)
            },
            Scenario("a path of shared properties that was re-wired ends while its former end is set", "6.2 17.3") {
                let (tally, old, new, calls) = (Tally(), Tally(), Tally(), Box(0))
                tally.next = old
                let token = Box(tally.observe(\.next?.x) { _, _ in calls.value? += 1 })
                return Trial(
                    { tally.next = new }, { old.x = 1 }, { token.empty() },
                    check: {
                        require(calls.value ?? 0 <= 2, "6.2 \(calls.value ?? -1) calls for two changes")
                        requireAsIfNeverObserved(tally, old, new)
                    }
                )
                .keeping(tally, old, new)
            },
            Scenario("a path of shared properties ends while it is re-wired", "1.6 17.3") {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = old
                let token = tally.observe(\.next?.x, options: [.old, .new]) { _, _ in userCode() }
                return Trial(
                    { tally.next = new }, { token.invalidate() }, check: { requireAsIfNeverObserved(tally, old, new) }
                )
                .keeping(tally, old, new, token)
            },
            Scenario(
                "the last of two registrations at a path of shared properties ends while it is re-wired", "1.6 17.3"
            ) {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = old
                let tokens = (0..<2).map { _ in tally.observe(\.next?.x, options: [.old, .new]) { _, _ in } }
                return Trial(
                    { tally.next = new }, { tokens[0].invalidate() }, { tokens[1].invalidate() },
                    check: { requireAsIfNeverObserved(tally, old, new) }
                )
                .keeping(tally, old, new)
            },
        ]
    }
}

/// The values that an observer is called with from its initial call on, up to the last one.
final class News: @unchecked Sendable {
    private var values: [Int] = []

    func add(_ change: KeyValueObservedChange<Int>) {
        values.append(change.newValue ?? -1)
        userCode()
    }

    /// Values of what is evaluated may be skipped.
    func check(to last: Int, skipping isSkipping: Bool = false) {
        require(values.last == last, "9.1 \(values) does not end with \(last)")
        require(values == values.sorted(), "17.2 \(values) are not in order")
        let first = values.first ?? -1
        require(isSkipping || values == Array(first...last), "9.1 \(values) has a gap")
    }
}

/// Requires that nothing is left of who observed objects.
func requireAsIfNeverObserved(_ tallies: Tally...) {
    for (index, tally) in tallies.enumerated() {
        require(tally.observationInfo.isEmpty, "1.6 something is left")
        require(tally.isAsIfNeverObserved, "1.6 something still depends on object \(index)")
    }
}

extension Chain {
    /// One call, from the first value to one of several: other changes were ignored.
    func checkIgnoring(from first: Int, to values: [Int]) {
        require(count == 1, "13.3 \(count) calls for one change")
        check(from: first, toOneOf: values)
    }

    func add(_ change: KeyValueObservedChange<Int>) { add(change.oldValue, change.newValue) }
}
