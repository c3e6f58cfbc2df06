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
            Scenario("three threads set a shared property that two observe", "17.2") {
                let (tally, first, second) = (Tally(), Chain(), Chain())
                let tokens = [
                    tally.observe(\.x, options: [.old, .new]) { first.add($1) },
                    tally.observe(\.x, options: [.old, .new]) { second.add($1) },
                ]
                return Trial(
                    { tally.x = 1 }, { tally.x = 2 }, { tally.x = 3 },
                    check: {
                        first.check(from: 0, to: tally.x, count: 3)
                        second.check(from: 0, to: tally.x, count: 3)
                        withExtendedLifetime(tokens) {}
                    }
                )
                .keeping(tally)
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
            Scenario("a handler of a shared property sets it, while another thread does", "17.2 3.4") {
                let (tally, order) = (Tally(), Chain())
                let token = tally.observe(\.x, options: [.old, .new]) { tally, change in
                    order.add(change)
                    if change.newValue == 1 { tally.x = 10 }
                }
                return Trial(
                    { tally.x = 1 }, { tally.x = 2 }, check: { order.check(from: 0, to: tally.x, count: 3) }
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
            Scenario("a registration is made and another one ended while a shared property is set", "9.1 9.3 17.2") {
                let (tally, journal) = (Tally(), Journal())
                let token = Box(
                    journal.register("old") { call in
                        tally.observe(\.x, options: [.new]) { call(nil, $1.newValue) }
                    })
                let late = Box<KeyValueObservation?>(nil)
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    {
                        late.value = journal.register("late") { call in
                            tally.observe(\.x, options: [.new]) { call(nil, $1.newValue) }
                        }
                        journal.end("old") { token.empty() }
                    }
                )
                .keeping(tally, late)
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
            Scenario("a computed property is observed with its initial value, while what it reads is set", "9.1 17.3") {
                let (tally, news, late) = (Tally(), News(), Box<KeyValueObservation?>(nil))
                let token = tally.observe(\.doubled, options: [.old, .new]) { _, _ in }
                return Trial(
                    { for value in 1...2 { tally.x = value } },
                    { late.value = tally.observe(\.sum, options: [.initial, .new]) { news.add($1) } },
                    check: { news.check(to: 2, skipping: true) }
                )
                .keeping(tally, token, late)
            },
            Scenario("two threads set a shared property that a computed one reads", "17.3") {
                let (tally, chain) = (Tally(), Chain())
                let token = tally.observe(\.doubled, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { tally.x = 1 }, { tally.x = 2 },
                    check: {
                        chain.check(from: 0, to: 2 * tally.x)
                        require((1...2).contains(chain.count), "17.3 \(chain.count) calls")
                    }
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
            Scenario("two threads set two shared properties that an expression reads", "16.2 17.3") {
                let (tally, chain) = (Tally(), Chain())
                let token = tally.observe(reading: { $0.x > 0 ? $0.x + $0.y : $0.x }, options: [.old, .new]) {
                    chain.add($1.oldValue, $1.newValue)
                }
                return Trial({ tally.x = 1 }, { tally.y = 10 }, check: { chain.check(from: 0, to: 11) })
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
            Scenario("a shared object on a path is replaced while another thread sets the new one", "17.3") {
                let (tally, other) = (Tally(), Tally())
                let chain = Chain()
                let token = tally.observe(\.next?.x, options: [.old, .new]) { _, change in
                    chain.add(change.oldValue.map { $0 ?? -1 }, change.newValue.map { $0 ?? -1 })
                }
                return Trial(
                    { tally.next = other }, { other.x = 1 }, check: { chain.check(from: -1, to: 1) }
                )
                .keeping(tally, other, token)
            },
            Scenario("a shared object on a path is replaced while another thread sets the old one", "17.3") {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = old
                new.x = 5
                let chain = Chain()
                let token = tally.observe(\.next!.x, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                // From here on the recipients are known, and can be borrowed.
                old.x = 2
                return Trial({ tally.next = new }, { old.x = 1 }, check: { chain.check(from: 0, to: 5) })
                    .keeping(tally, old, new, token)
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
            Scenario("a shared object on a path leaves and comes back while another thread sets it", "17.3") {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = old
                new.x = 5
                let chain = Chain()
                let token = tally.observe(\.next!.x, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    {
                        tally.next = new
                        tally.next = old
                    }, { old.x = 1 }, check: { chain.check(from: 0, to: 1) }
                )
                .keeping(tally, old, new, token)
            },
            Scenario("three threads replace and change the shared objects of a path, again and again", "17.3") {
                let (tally, one, two) = (Tally(), Tally(), Tally())
                two.x = 100
                tally.next = one
                let chain = Chain()
                let token = tally.observe(\.next!.x, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    {
                        tally.next = two
                        tally.next = one
                        tally.next = two
                    },
                    {
                        one.x += 1
                        two.x += 1
                        one.x += 1
                    },
                    {
                        two.x += 1
                        one.x += 1
                        two.x += 1
                    }, check: { chain.check(from: 0, to: two.x) }
                )
                .keeping(tally, one, two, token)
            },
            Scenario("a transaction changes a shared property while another thread sets it", "17.3 10.2") {
                let (tally, order) = (Tally(), Chain())
                let token = tally.observe(\.x, options: [.old, .new]) { order.add($1) }
                return Trial(
                    {
                        withKeyValueTransaction {
                            tally.x = 1
                            tally.x = 2
                        }
                    },
                    { tally.x = 3 }, check: { order.check(from: 0, to: tally.x) }
                )
                .keeping(tally, token)
            },
            Scenario("transactions on two threads change one shared property", "17.2 10.2") {
                let (tally, order) = (Tally(), Chain())
                let token = tally.observe(\.x, options: [.old, .new]) { order.add($1) }
                func change(to first: Int) {
                    withKeyValueTransaction {
                        tally.x = first
                        tally.x = first + 1
                    }
                }
                return Trial(
                    { change(to: 1) }, { change(to: 11) }, check: { order.check(from: 0, to: tally.x) }
                )
                .keeping(tally, token)
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
            Scenario("what one thread ignores of a shared property while another one sets it", "13.3 17.2") {
                let tally = Tally()
                let values = Box<[Int]>([])
                let tokens = [
                    tally.observe(\.x, options: .new) { _, change in
                        values.value?.append(change.newValue ?? -1)
                        userCode()
                    },
                    tally.observe(\.x) { _, _ in userCode() },
                ]
                return Trial(
                    { tokens[0].ignoringChanges { for value in [1, 2] { tally.x = value } } },
                    { for value in [11, 12] { tally.x = value } },
                    check: { require(values.value == [11, 12], "13.3 \(values.value ?? []) instead of [11, 12]") }
                )
                .keeping(tally, tokens[0], tokens[1])
            },
            Scenario("what one thread ignores of a computed property while another one changes it", "13.3 17.3") {
                let tally = Tally()
                let calls = Box(0)
                let token = tally.observe(\.sum) { _, _ in
                    calls.value? += 1
                    userCode()
                }
                return Trial(
                    { token.ignoringChanges { tally.x = 1 } }, { tally.y = 10 },
                    check: { require(calls.value == 1, "13.3 \(calls.value ?? -1) calls instead of one") }
                )
                .keeping(tally, token)
            },
            Scenario("a shared property is bound to another one while two threads set it", "13.1 17.2") {
                let (source, target) = (Tally(), Tally())
                let token = source.bind(\.x, to: target, \.x)
                return Trial(
                    { for value in 1...2 { source.x = value } }, { source.x = 3 },
                    check: { require(target.x == source.x, "13.1 \(target.x) is bound to \(source.x)") }
                )
                .keeping(source, target, token)
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
            Scenario("one end of a two-way binding of shared properties dies while the other one changes", "13.2 9.4") {
                let (left, right) = (Tally(), Box(Tally()))
                guard let tally = right.value else { return Trial({}, check: {}) }
                let token = left.bindBothWays(\.x, to: tally, \.x)
                return Trial(
                    { left.x = 2 }, { right.empty() },
                    check: {
                        require(left.observationInfo.isEmpty, "13.2 the other direction has not ended")
                        left.x = 3
                        require(token.isInvalidated, "13.2 the binding has not ended")
                    }
                )
                .keeping(left)
            },
            Scenario("a path through a shared array that is changed in place while another thread sets it", "17.1 17.3")
            {
                let (tally, chain) = (Tally(), Chain())
                let token = tally.observe(\.numbers.count, options: [.old, .new]) {
                    chain.add($1.oldValue, $1.newValue)
                }
                return Trial(
                    { tally.numbers.append(1) }, { tally.numbers = [1, 2, 3] },
                    { tally.mutable(\.numbers).append(4) },
                    check: { chain.check(from: 0, to: tally.numbers.count) }
                )
                .keeping(tally, token)
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
            Scenario(
                "a handler of a shared property takes its object out of a path while another thread sets it", "17.3 3.4"
            ) {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = old
                new.x = 7
                let chain = Chain()
                let tokens = [
                    old.observe(\.x) { _, _ in tally.next = new },
                    tally.observe(\.next!.x, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) },
                ]
                return Trial({ old.x = 1 }, { new.x = 8 }, check: { chain.check(from: 0, to: 8) })
                    .keeping(tally, old, new, tokens[0], tokens[1])
            },
            Scenario("two threads append to a shared array by views", "17.1 7.5") {
                let tally = Tally()
                let copy = Box<[Int]>([])
                let token = tally.observe(\.numbers, options: [.old, .new]) { _, change in
                    if var value = copy.value {
                        change.apply(to: &value)
                        copy.value = value
                    }
                    userCode()
                }
                return Trial(
                    { tally.mutable(\.numbers).append(1) },
                    {
                        tally.mutable(\.numbers).insert(2, at: 0)
                        tally.numbers.append(3)
                    },
                    check: {
                        require(tally.numbers.count == 3, "17.1 there are \(tally.numbers)")
                        require(
                            copy.value == tally.numbers, "7.5 replaying gives \(copy.value ?? []), not \(tally.numbers)"
                        )
                    }
                )
                .keeping(tally, token)
            },
            Scenario("a path of shared properties is observed twice, and two threads re-wire and change it", "17.3") {
                let (tally, old, new) = (Tally(), Tally(), Tally())
                tally.next = old
                new.x = 5
                let (first, second) = (Chain(), Chain())
                let tokens = [
                    tally.observe(\.next?.x, options: [.old, .new]) { first.add($1) },
                    tally.observe(\.next?.x, options: [.old, .new]) { second.add($1) },
                ]
                return Trial(
                    { tally.next = new }, { old.x = 1 },
                    check: {
                        first.check(from: 0, to: 5)
                        second.check(from: 0, to: 5)
                        require(first.count == second.count, "17.3 \(first.count) and \(second.count) calls")
                    }
                )
                .keeping(tally, old, new, tokens[0], tokens[1])
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
            Scenario("a computed property is first observed while two threads set what it reads", "9.1 17.3") {
                let (tally, chain, token) = (Tally(), Chain(), Box<KeyValueObservation?>(nil))
                return Trial(
                    { tally.x = 1 }, { tally.y = 10 },
                    { token.value = tally.observe(\.sum, options: [.old, .new]) { chain.add($1) } },
                    check: {
                        tally.x = 2
                        chain.checkLinks(to: 12)
                    }
                )
                .keeping(tally, token)
            },
            Scenario("a computed property ends and is observed again while what it reads is set", "1.6 17.3") {
                let (tally, chain) = (Tally(), Chain())
                let first = Box(tally.observe(\.sum, options: [.old, .new]) { _, _ in userCode() })
                let second = Box<KeyValueObservation?>(nil)
                return Trial(
                    { tally.x = 1 }, { first.empty() },
                    { second.value = tally.observe(\.sum, options: [.old, .new]) { chain.add($1) } },
                    check: {
                        tally.x = 2
                        chain.checkLinks(to: 2)
                        second.empty()
                        require(tally.observationInfo.isEmpty, "1.6 something is left")
                    }
                )
                .keeping(tally)
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
                        require(tally.observationInfo.isEmpty, "1.6 something is left")
                    }
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

extension Chain {
    func add(_ change: KeyValueObservedChange<Int>) { add(change.oldValue, change.newValue) }
}
