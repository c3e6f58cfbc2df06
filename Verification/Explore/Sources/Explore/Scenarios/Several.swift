// Several key paths in one call, and views of shared collections that several threads use.
import KeyValueObserving

extension Scenario {
    static let several = [
        Scenario("two threads end several key paths while a third one sets them", "10.1 9.3") {
            let (tally, journal) = (Tally(), Journal())
            let token = journal.register("x") { callX in
                journal.register("y", on: "y") { callY in
                    tally.observe(keyPaths: [\.x, \.y]) { _, change in
                        let call = change.keyPath == \Tally.x ? callX : callY
                        call(change.oldValue as? Int, change.newValue as? Int)
                    }
                }
            }
            func end() { journal.end("x") { journal.end("y") { token.invalidate() } } }
            func set() {
                journal.change("x", from: 0, to: 1) { tally.x = 1 }
                journal.change("y", from: 0, to: 2) { tally.y = 2 }
            }
            return Trial(journal, [set, end, end]) { require(token.isInvalidated, "9.3 the token has not ended") }
        },
        Scenario("two threads set two shared properties, which one list observes", "P3 17.2") {
            let (tally, isInside, values) = (Tally(), Shared(false), Shared<[Int]>([]))
            let token = tally.observe(keyPaths: [\.x, \.y], options: .new) { _, change in
                require(!isInside.value, "P3 the handler is called while it runs")
                isInside.value = true
                userCode()
                values.value.append(change.newValue as? Int ?? -1)
                isInside.value = false
            }
            func setX() { for value in 1...2 { tally.x = value } }
            func setY() { for value in 3...4 { tally.y = value } }
            return Trial(keeping: token, [setX, setY]) {
                require(values.value.sorted() == [1, 2, 3, 4], "17.2 the list got \(values.value)")
                require(values.value.filter { $0 > 2 } == [3, 4], "17.2 the list got \(values.value)")
            }
        },
        Scenario(
            "several key paths with .initial on an actor while another thread sets them", "10.1 11.1", workers: 1
        ) {
            let (tally, receiver, token) = (Tally(), Receiver(), Box<KeyValueObservation>())
            func observe() {
                token.value = tally.changes(of: \.x, \.y, options: [.initial, .new]).deliver(to: receiver) {
                    $0.add($1.newValue as? Int)
                }
            }
            return Trial(keeping: token, [observe, { (tally.x, tally.y) = (1, 2) }]) {
                require(Set(receiver.values).isSuperset(of: [1, 2]), "11.1 the actor got \(receiver.values)")
            }
        },
        Scenario(
            "two threads change a shared array by views and as a whole while one of two observations ends",
            "17.1 7.5 9.3"
        ) {
            let (root, tally, copy, other) = (Tally(), Tally(), Shared<[Int]>([]), Shared<[Int]>([]))
            root.next = tally
            let token = tally.observe(\.numbers) { copy.apply($1) }
            let end = root.observe(\.next!.numbers) { other.apply($1) }
            let last = tally.observe(\.numbers) { _, _ in userCode() }
            func changeByViews() {
                tally.mutable(\.numbers).append(1)
                tally.mutable(\.numbers).replaceSubrange(0..<1, with: [4, 5])
            }
            let threads = [changeByViews, { tally.numbers = [2, 3] }, { last.invalidate() }]
            return Trial(keeping: (token, end, root), threads) {
                require(copy.value == tally.numbers, "7.5 replaying gives \(copy.value), not \(tally.numbers)")
                require(other.value == tally.numbers, "7.5 17.3 it gives \(other.value) at the end of a path")
            }
        },
        Scenario("a task replays a shared array that two threads change by views", "12.1 7.5", workers: 1) {
            let (tally, copy) = (Tally(), Shared<[Int]>([]))
            iterate(tally.changes(of: \.numbers), atMost: 3) { copy.apply($0) }
            func append() { for number in 1...2 { tally.mutable(\.numbers).append(number) } }
            return Trial([append, { tally.mutable(\.numbers).insert(3, at: 0) }]) {
                require(copy.value == tally.numbers, "7.5 replaying gives \(copy.value), not \(tally.numbers)")
            }
        },
        Scenario("a view changes nothing of a shared set on a path while another thread sets it", "17.3 7.2") {
            let group = Group()
            let chain = Chain(group, \.names.count)
            return Trial([{ group.names = [1, 2] }, { group.mutable(\.names).insert(1) }]) {
                chain.check(from: 1, to: 2)
            }
        },
    ]
}

extension Shared<[Int]> {
    /// Makes a change in the copy that is here.
    fileprivate func apply(_ change: KeyValueObservedChange<[Int]>) {
        var copy = value
        change.apply(to: &copy)
        value = copy
        userCode()
    }
}
