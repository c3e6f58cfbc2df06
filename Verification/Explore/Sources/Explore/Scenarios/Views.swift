// Views of shared collections that several threads use.
import KeyValueObserving

extension Scenario {
    static var views: [Scenario] {
        [
            Scenario(
                "two threads change a shared array by views and as a whole while one of two observations ends",
                "17.1 7.5 9.3"
            ) {
                let (tally, copy) = (Tally(), Box<[Int]>([]))
                let token = tally.observe(\.numbers, options: [.old, .new]) { copy.apply($1) }
                let second = tally.observe(\.numbers, options: [.old, .new]) { _, _ in userCode() }
                return Trial(
                    {
                        tally.mutable(\.numbers).append(1)
                        tally.mutable(\.numbers).replaceSubrange(0..<1, with: [4, 5])
                    },
                    { tally.numbers = [2, 3] }, { second.invalidate() },
                    check: {
                        require(
                            copy.value == tally.numbers, "7.5 replaying gives \(copy.value ?? []), not \(tally.numbers)"
                        )
                        withExtendedLifetime(second) {}
                    }
                )
                .keeping(tally, token)
            },
            Scenario("a task replays a shared array that two threads change by views", "12.1 7.5", workers: 1) {
                let (tally, copy) = (Tally(), Box<[Int]>([]))
                let iterator = Box(tally.changes(of: \.numbers).makeAsyncIterator())
                Task.detached {
                    var count = 0
                    while count < 3, let change = await iterator.next() {
                        copy.apply(change)
                        count += 1
                    }
                    iterator.empty()
                }
                return Trial(
                    {
                        tally.mutable(\.numbers).append(1)
                        tally.mutable(\.numbers).append(2)
                    }, { tally.mutable(\.numbers).insert(3, at: 0) },
                    check: {
                        require(
                            copy.value == tally.numbers, "7.5 replaying gives \(copy.value ?? []), not \(tally.numbers)"
                        )
                    })
            },
        ]
    }
}

extension Box where Value: Collection {
    /// Makes a change in the copy that is here.
    fileprivate func apply(_ change: KeyValueObservedChange<Value>) where Value == [Int] {
        if var copy = value {
            change.apply(to: &copy)
            value = copy
        }
        userCode()
    }
}

extension Box<KeyValueSequence<KeyValueObservedChange<[Int]>>.Iterator> {
    fileprivate func next() async -> KeyValueObservedChange<[Int]>? {
        guard var iterator = value else { return nil }
        return await iterator.next()
    }
}
