// Views of shared collections that several threads use.
import KeyValueObserving

extension Scenario {
    static var views: [Scenario] {
        [
            Scenario(
                "two threads change a shared set by views while one of two observations ends", "17.1 7.2 7.5 9.3"
            ) {
                let (group, copy, ending) = (Group(), Box<Set<Int>>([]), Box<Set<Int>>([]))
                let token = group.observe(\.names, options: [.old, .new]) { copy.apply($1) }
                let second = group.observe(\.names, options: [.old, .new]) { ending.apply($1) }
                return Trial(
                    { group.mutable(\.names).insert(1) },
                    {
                        group.mutable(\.names).formUnion([2, 3])
                        group.mutable(\.names).remove(2)
                    },
                    { second.invalidate() },
                    check: {
                        require(group.names == [1, 3], "17.1 it is \(group.names)")
                        require(copy.value == [1, 3], "7.5 replaying gives \(copy.value ?? [])")
                        require(
                            ending.value?.isSubset(of: [1, 2, 3]) ?? false, "7.5 replaying gives \(ending.value ?? [])")
                        withExtendedLifetime(second) {}
                    }
                )
                .keeping(group, token)
            },
            Scenario("paths to a shared array are observed with .initial while a view changes that", "17.3 7.5") {
                let (root, tally, chained, copy) = (Tally(), Tally(), Box<[Int]>([]), Box<[Int]>([]))
                root.next = tally
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    {
                        tokens.value = [
                            root.observe(\.next!.numbers, options: [.initial, .old, .new]) { chained.apply($1) },
                            root.observe(\.next!.numbers, options: [.initial, .new]) { copy.apply($1) },
                        ]
                    },
                    { for value in 1...3 { tally.mutable(\.numbers).append(value) } },
                    check: {
                        require(chained.value == [1, 2, 3], "7.5 replaying gives \(chained.value ?? [])")
                        require(copy.value == [1, 2, 3], "7.5 replaying without old values gives \(copy.value ?? [])")
                    }
                )
                .keeping(root, tally, tokens)
            },
            Scenario(
                "two threads change a shared dictionary by views while one of two observations ends", "17.1 7.5 9.3"
            ) {
                let (group, copy) = (Group(), Box<[Int: Int]>([:]))
                let token = group.observe(\.ages, options: [.old, .new]) { copy.apply($1) }
                let second = group.observe(\.ages, options: [.old, .new]) { _, _ in userCode() }
                return Trial(
                    {
                        group.mutable(\.ages)[1] = 1
                        group.mutable(\.ages)[1] = nil
                    },
                    {
                        group.mutable(\.ages)[2] = 2
                        group.mutable(\.ages).updateValue(3, forKey: 2)
                    },
                    { second.invalidate() },
                    check: {
                        require(group.ages == [2: 3], "17.1 it is \(group.ages)")
                        require(copy.value == [2: 3], "7.5 replaying gives \(copy.value ?? [:])")
                        withExtendedLifetime(second) {}
                    }
                )
                .keeping(group, token)
            },
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
            Scenario(
                "an actor gets the newest of a shared array that two threads change by views", "11.4", workers: 1
            ) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = tally.observe(
                    \.numbers, options: [.old, .new], on: receiver, bufferingPolicy: .newest(1)
                ) { receiver, change in
                    receiver.add(change.kind == .setting ? change.newValue?.count : change.newValue?.first)
                }
                return Trial(
                    { tally.mutable(\.numbers).append(11) }, { tally.mutable(\.numbers).append(12) },
                    check: {
                        let last = tally.numbers.last
                        require(
                            receiver.values.last == last || receiver.values == [2],
                            "11.4 the actor got \(receiver.values)")
                        withExtendedLifetime(token) {}
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

    fileprivate func apply(_ change: KeyValueObservedChange<Value>) where Value == Set<Int> {
        if var copy = value {
            change.apply(to: &copy)
            value = copy
        }
        userCode()
    }

    fileprivate func apply(_ change: KeyValueObservedChange<Value>) where Value == [Int: Int] {
        if var copy = value {
            change.apply(to: &copy)
            value = copy
        }
        userCode()
    }
}

extension Box<KeyValueChanges<[Int]>.Iterator> {
    fileprivate func next() async -> KeyValueObservedChange<[Int]>? {
        guard var iterator = value else { return nil }
        return await iterator.next()
    }
}
