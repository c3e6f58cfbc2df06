// Properties that several threads change.
import KeyValueObserving

extension Scenario {
    static let shared = [
        Scenario("two threads set a shared property", "17.2") {
            let tally = Tally()
            let chain = Chain(tally, \.x)
            return Trial([{ for value in 1...2 { tally.x = value } }, { for value in 3...4 { tally.x = value } }]) {
                chain.check(from: 0, to: tally.x, count: 4)
            }
        },
        Scenario("two threads add to a shared property in place", "17.1 17.2") {
            let tally = Tally()
            let chain = Chain(tally, \.x)
            func add() { for _ in 1...2 { tally.x += 1 } }
            return Trial([add, add]) { chain.check(from: 0, to: 4, count: 4) }
        },
        Scenario("two threads set a shared property whose distinct values are observed", "16.1 17.2") {
            let tally = Tally()
            let chain = Chain(tally, \.x, options: [.old, .new, .distinct]) { _, change in
                require(change.oldValue != change.newValue, "16.1 \(change) is no change")
            }
            return Trial([{ for value in [1, 2] { tally.x = value } }, { for value in [1, 0] { tally.x = value } }]) {
                chain.check(from: 0, to: tally.x)
            }
        },
        Scenario("two threads set two shared properties, whose handlers set the other one", "17.2") {
            let tally = Tally()
            let xs = Chain(tally, \.x) { if $1.newValue == 1 { $0.y = 2 } }
            let ys = Chain(tally, \.y) { if $1.newValue == 1 { $0.x = 2 } }
            return Trial([{ tally.x = 1 }, { tally.y = 1 }]) {
                xs.check(from: 0, to: tally.x, count: 2)
                ys.check(from: 0, to: tally.y, count: 2)
            }
        },
        Scenario("a registration that reads its initial value, while a shared property is set", "9.1 1.3 17.2") {
            let (tally, tokens) = (Tally(), Shared<[KeyValueObservation]>([]))
            let (values, sums) = (Shared<[Int]>([]), Shared<[Int]>([]))
            func observe(_ keyPath: KeyPath<Tally, Int>, _ values: Shared<[Int]>) {
                let token = tally.observe(keyPath, options: [.initial, .new]) {
                    values.value.append($1.newValue ?? -1)
                    userCode()
                }
                tokens.value.append(token)
            }
            func set() { for value in 1...2 { tally.x = value } }
            return Trial(keeping: tokens, [set, { observe(\.x, values) }, { observe(\.sum, sums) }]) {
                let possible = [[0, 1, 2], [1, 2], [2]]
                require(possible.contains(values.value), "17.2 \(values.value) is not one of \(possible)")
                let areInOrder = sums.value == sums.value.sorted() && sums.value.last == 2
                require(areInOrder, "17.3 \(sums.value) are the sums")
            }
        },
        Scenario("two threads set two shared properties that a computed one reads", "17.3") {
            let tally = Tally()
            let chain = Chain(tally, \.sum)
            return Trial([{ tally.x = 1 }, { tally.y = 10 }]) {
                chain.check(from: 0, to: 11)
                require((1...2).contains(chain.count), "17.3 \(chain.count) calls")
            }
        },
        Scenario("one of two threads that set what a computed property reads ignores its changes", "13.3 17.3") {
            let tally = Tally()
            let (one, all) = (Chain(tally, \.sum), Chain(tally, \.sum))
            return Trial([{ tally.x = 1 }, { one.token.ignoringChanges { tally.y = 10 } }]) {
                require(one.count == 1, "13.3 \(one.count) calls for one change")
                one.check(from: 0, toOneOf: [1, 11])
                all.check(from: 0, to: 11)
            }
        },
        Scenario("one of three threads that set what a computed property reads ignores its changes", "13.3 17.3") {
            let tally = Tally()
            let one = Chain(tally, \.sum)
            return Trial([{ tally.x = 1 }, { one.token.ignoringChanges { tally.x = 2 } }, { tally.y = 10 }]) {
                require((1...2).contains(one.count), "13.3 \(one.count) calls for two changes")
                // What is ignored may come last, but never hides what is not.
                one.check(from: 0, toOneOf: [11, 12])
            }
        },
        Scenario("an expression is observed and ended while the shared property that it reads is set", "9.1 16.2") {
            let (tally, journal) = (Tally(), Journal())
            func observe(_ name: String) {
                journal.observe(name) { call in
                    // Of two changes, the first may be delivered with the value of the second (17.3): twice the same.
                    tally.observe(reading: { $0.x + 0 }, options: [.new, .distinct]) { call(nil, $1.newValue) }
                }
            }
            func exchange() {
                observe("late")
                journal.end("old")
            }
            observe("old")
            return Trial(journal, [{ journal.changes { tally.x = $0 } }, exchange])
        },
        Scenario("a shared object on a path is replaced while other threads set the old and the new one", "17.3") {
            let (old, new) = (Tally(), Tally(20))
            let tally = Tally(next: new)
            let chain = Chain(tally, \.next!.x)
            // From here on the recipients are known, and can be borrowed.
            new.x = 21
            tally.next = old
            old.x = 10
            return Trial([{ tally.next = new }, { old.x += 1 }, { new.x += 1 }]) { chain.check(from: 20, to: 22) }
        },
        Scenario("transactions on two threads change two shared properties that a computed one reads", "17.3 10.2") {
            let tally = Tally()
            let chain = Chain(tally, \.sum)
            func setBoth() { withKeyValueTransaction { (tally.y, tally.x) = (10, 2) } }
            return Trial([{ withKeyValueTransaction { tally.x = 1 } }, setBoth]) {
                chain.check(from: 0, to: tally.sum)
            }
        },
        Scenario("a second registration at a computed property, while two threads set what it reads", "9.1 17.3") {
            let (tally, late) = (Tally(), Box<Chain>())
            let first = Chain(tally, \.sum)
            return Trial([{ tally.x = 1 }, { tally.y = 10 }, { late.value = Chain(tally, \.sum) }]) {
                first.check(from: 0, to: 11)
                let count = late.value?.count ?? 0
                tally.x = 2
                require(late.value?.count == count + 1, "9.1 the second registration is not called")
                first.check(from: 0, to: 12)
                late.value?.checkLinks(to: 12)
            }
        },
        Scenario("a path of shared properties is re-wired in a transaction while its ends change", "10.2 17.3") {
            let (first, second) = (Tally(), Tally(2))
            let tally = Tally(next: first)
            let chain = Chain(tally, \.next?.x)
            func rewire() { withKeyValueTransaction { tally.next = second } }
            return Trial([rewire, { (first.x, second.x) = (5, 6) }]) { chain.check(from: 0, to: 6) }
        },
        Scenario("a handler of a computed property never runs on two threads at once", "17.3") {
            let tally = Tally()
            let chain = Chain(tally, \.sum)
            return Trial([{ for value in 1...2 { tally.x = value } }, { for value in 1...2 { tally.y = value } }]) {
                chain.check(from: 0, to: 4)
            }
        },
        Scenario("a handler sets what a computed property reads while another thread does", "P3 P1 17.3") {
            let tally = Tally()
            let first = Chain(tally, \.sum) { tally, _ in if tally.x == 1 { tally.x = 2 } }
            let second = Chain(tally, \.sum)
            return Trial([{ tally.x = 1 }, { tally.y = 10 }]) {
                first.check(from: 0, to: 12)
                second.check(from: 0, to: 12)
            }
        },
        Scenario("two threads deliver to a handler that ends its observation", "9.3 17.3") {
            let (tally, chain) = (Tally(), Box<Chain>())
            chain.value = Chain(tally, \.sum) { [unowned chain] _, _ in chain.value?.token.invalidate() }
            return Trial([{ for value in 1...2 { tally.x = value } }, { for value in 3...4 { tally.y = value } }]) {
                let count = chain.value?.count ?? 0
                require(count == 1, "17.3 \(count) calls instead of one")
                requireAsIfNeverObserved(tally)
            }
        },
        Scenario("a computed property ends while two threads set what it reads", "1.6 17.3") {
            let tally = Tally()
            return whatEnds(tally, tally.observe(\.sum) { _, _ in userCode() })
        },
        Scenario("an expression ends while two threads set what it reads", "1.6 17.3") {
            let tally = Tally()
            return whatEnds(tally, tally.observe(reading: { $0.x + $0.y }) { _, _ in userCode() })
        },
        Scenario("a path of shared properties that was re-wired ends while its former end is set", "6.2 17.3") {
            let (old, new, calls) = (Tally(), Tally(), Shared(0))
            let tally = Tally(next: old)
            let token = Box(tally.observe(\.next?.x, options: []) { _, _ in calls.value += 1 })
            return Trial([{ tally.next = new }, { old.x = 1 }, { token.empty() }]) {
                require(calls.value <= 2, "6.2 \(calls.value) calls for two changes")
                requireAsIfNeverObserved(tally, old, new)
            }
        },
        Scenario(
            "the last of two registrations at a path of shared properties ends while it is re-wired", "1.6 17.3"
        ) {
            let (old, new) = (Tally(), Tally())
            let tally = Tally(next: old)
            let tokens = (0..<2).map { _ in tally.observe(\.next?.x) { _, _ in } }
            return Trial([{ tally.next = new }, { tokens[0].invalidate() }, { tokens[1].invalidate() }]) {
                requireAsIfNeverObserved(tally, old, new)
            }
        },
    ]
}

/// Two threads set what is read, while a third one ends what reads it.
private func whatEnds(_ tally: Tally, _ token: KeyValueObservation) -> Trial {
    Trial([{ tally.x = 1 }, { tally.y = 10 }, { token.invalidate() }]) { requireAsIfNeverObserved(tally) }
}
