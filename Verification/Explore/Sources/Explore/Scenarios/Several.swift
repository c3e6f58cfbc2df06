// Several key paths in one call, distinct values, and a handler that ends its own observation.
import KeyValueObserving

extension Scenario {
    static var several: [Scenario] {
        [
            Scenario("several key paths end while two threads set them", "10.1 9.3") {
                let (tally, journal) = (Tally(), Journal())
                let token = journal.observeBoth(tally)
                return Trial(
                    journal, { journal.change("x", from: 0, to: 1) { tally.x = 1 } },
                    { journal.change("y", from: 0, to: 2) { tally.y = 2 } }, { journal.endBoth { token.invalidate() } },
                    check: { require(tally.observationInfo.isEmpty, "1.6 something is left") })
            },
            Scenario("two threads end several key paths while a third one sets them", "10.1 9.3") {
                let (tally, journal) = (Tally(), Journal())
                let token = journal.observeBoth(tally)
                return Trial(
                    journal,
                    {
                        journal.change("x", from: 0, to: 1) { tally.x = 1 }
                        journal.change("y", from: 0, to: 2) { tally.y = 2 }
                    },
                    { journal.endBoth { token.invalidate() } }, { journal.endBoth { token.invalidate() } },
                    check: { require(token.isInvalidated, "9.3 the token has not ended") })
            },
            Scenario("the token of several key paths is released while another thread sets them", "10.1 9.3 9.4") {
                let (cell, journal) = (Cell(), Journal())
                let captured = Counted()
                let token = Box(
                    journal.register("one", hasNoValues: true) { call in
                        cell.observe(keyPaths: [\.value, \.next]) { _, _ in
                            withExtendedLifetime(captured) { call(nil, nil) }
                        }
                    })
                return Trial(
                    journal,
                    {
                        journal.change(from: 0, to: 1) { cell.value = 1 }
                        journal.change(from: 0, to: 2) { cell.next = nil }
                    }, { journal.end("one") { token.empty() } })
            },
            Scenario("several key paths on an actor end while they are set", "10.1 11.2", workers: 1) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = tally.observe(\.x, \.y, options: .new, on: receiver) { $0.add($1.newValue as? Int) }
                return Trial(
                    {
                        tally.x = 1
                        tally.y = 2
                    }, { token.invalidate() },
                    check: {
                        // What waits of one key path may be gone when the other one has not ended yet.
                        require(
                            [[], [1], [2], [1, 2]].contains(receiver.values), "11.2 the actor got \(receiver.values)")
                        require(tally.observationInfo.isEmpty, "1.6 something is left")
                    })
            },
            Scenario("several key paths are set by two threads and delivered on an actor", "10.1 11.1", workers: 1) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = tally.observe(\.x, \.y, options: .new, on: receiver) { $0.add($1.newValue as? Int) }
                return Trial(
                    { tally.x = 1 },
                    {
                        tally.y = 2
                        tally.y = 3
                    },
                    check: {
                        require(
                            receiver.values.sorted() == [1, 2, 3] && receiver.values.filter { $0 > 1 } == [2, 3],
                            "11.1 the actor got \(receiver.values)")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario(
                "several key paths with .initial on an actor while another thread sets them", "10.1 11.1", workers: 1
            ) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = Box<KeyValueObservation?>(nil)
                return Trial(
                    {
                        token.value = tally.observe(\.x, \.y, options: [.initial, .new], on: receiver) {
                            $0.add($1.newValue as? Int)
                        }
                    },
                    {
                        tally.x = 1
                        tally.y = 2
                    },
                    check: {
                        let values = Set(receiver.values)
                        require(values.isSuperset(of: [1, 2]), "11.1 the actor got \(receiver.values)")
                    }
                )
                .keeping(token)
            },
            Scenario("a task iterates over several key paths that two threads set", "10.1 12.1", workers: 1) {
                let tally = Tally()
                let values = Box<[Int]>([])
                iterate(tally.changes(of: \.x, \.y, options: .new), into: values, count: 2)
                return Trial(
                    { tally.x = 1 }, { tally.y = 2 },
                    check: {
                        require(values.value?.sorted() == [1, 2], "12.1 the task got \(values.value ?? [])")
                        require(tally.observationInfo.isEmpty, "12.3 something is left")
                    })
            },
            Scenario(
                "an iteration over several key paths is cancelled while two threads set them", "12.2", workers: 1
            ) {
                let tally = Tally()
                let values = Box<[Int]>([])
                let task = iterate(tally.changes(of: \.x, \.y, options: .new), into: values, count: 3)
                return Trial(
                    { tally.x = 1 }, { tally.y = 2 }, { Scheduler.current?.atOnce { task.cancel() } },
                    check: {
                        require(
                            [[], [1], [2], [1, 2]].contains(values.value?.sorted()),
                            "12.2 the task got \(values.value ?? [])")
                        require(tally.observationInfo.isEmpty, "12.2 something is left")
                    })
            },
            // MARK: Distinct values

            Scenario("two threads set a shared property whose distinct values are observed", "16.1 17.2") {
                let (tally, order) = (Tally(), Chain())
                let token = tally.observe(\.x, options: [.old, .new, .distinct]) { _, change in
                    require(change.oldValue != change.newValue, "16.1 \(change) is no change")
                    order.add(change)
                }
                return Trial(
                    { for value in [1, 2] { tally.x = value } }, { for value in [1, 0] { tally.x = value } },
                    check: { order.check(from: 0, to: tally.x) }
                )
                .keeping(tally, token)
            },
            Scenario("distinct values are first observed while another thread sets", "16.1 9.1") {
                let (tally, journal) = (Tally(), Journal())
                let token = Box<KeyValueObservation?>(nil)
                return Trial(
                    journal,
                    {
                        journal.change(from: 0, to: 1) { tally.x = 1 }
                        journal.change(from: 1, to: 0) { tally.x = 0 }
                    },
                    {
                        token.value = journal.register("one") { call in
                            tally.observe(\.x, options: [.old, .new, .distinct]) { call($1.oldValue, $1.newValue) }
                        }
                    }
                )
                .keeping(tally, token)
            },
            Scenario("distinct values are first observed with .initial while another thread sets", "16.1 1.3") {
                let tally = Tally()
                let (news, token) = (Box<[Int]>([]), Box<KeyValueObservation?>(nil))
                return Trial(
                    { for value in 1...2 { tally.x = value } },
                    {
                        token.value = tally.observe(\.x, options: [.initial, .new, .distinct]) { _, change in
                            news.value?.append(change.newValue ?? -1)
                            userCode()
                        }
                    },
                    check: {
                        // The initial call is made by the thread that registers, and may start late.
                        require(news.value?.contains(2) ?? false, "1.3 \(news.value ?? []), and it is 2")
                    }
                )
                .keeping(tally, token)
            },
            Scenario("distinct values with .initial on an actor while another thread sets", "16.1 11.1", workers: 1) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = Box<KeyValueObservation?>(nil)
                return Trial(
                    { for value in 1...2 { tally.x = value } },
                    {
                        token.value = tally.observe(
                            \.x, options: [.initial, .new, .distinct], on: receiver
                        ) { $0.add($1.newValue) }
                    },
                    check: {
                        let values = receiver.values
                        require(values.last == 2, "11.1 the actor got \(values)")
                        require(zip(values, values.dropFirst()).allSatisfy(!=), "16.1 the actor got \(values)")
                    }
                )
                .keeping(token)
            },
            Scenario(
                "distinct values on an actor are first observed while another thread sets", "16.1 11.1", workers: 1
            ) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = Box<KeyValueObservation?>(nil)
                let isRegistered = Box(false)
                let mustCome = Box(false)
                return Trial(
                    {
                        tally.x = 1
                        mustCome.value = isRegistered.value
                        tally.x = 0
                    },
                    {
                        token.value = tally.observe(\.x, options: [.new, .distinct], on: receiver) {
                            $0.add($1.newValue)
                        }
                        isRegistered.value = true
                    },
                    check: {
                        let values = receiver.values
                        require([[], [0], [1, 0]].contains(values), "16.1 the actor got \(values)")
                        require(!(mustCome.value ?? false) || values.last == 0, "9.1 the actor got \(values)")
                    }
                )
                .keeping(token)
            },
            Scenario("two threads set what an actor gets the distinct values of", "16.1 11.1", workers: 1) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = tally.observe(\.x, options: [.new, .distinct], on: receiver) { $0.add($1.newValue) }
                return Trial(
                    { for value in [1, 2] { tally.x = value } }, { tally.x = 1 },
                    check: {
                        let values = [0] + receiver.values
                        require(values.last == tally.x, "11.1 the actor got \(values), and it is \(tally.x)")
                        require(zip(values, values.dropFirst()).allSatisfy(!=), "16.1 the actor got \(values)")
                        withExtendedLifetime(token) {}
                    })
            },

            Scenario("two threads deliver to a handler that ends its observation", "9.3 17.3") {
                let (tally, calls, token) = (Tally(), Box(0), Box<KeyValueObservation?>(nil))
                token.value = tally.observe(\.sum, options: [.old, .new]) { [unowned token] _, _ in
                    calls.value? += 1
                    userCode()
                    token.value??.invalidate()
                }
                return Trial(
                    { for value in 1...2 { tally.x = value } }, { for value in 3...4 { tally.y = value } },
                    check: {
                        require(calls.value == 1, "17.3 \(calls.value ?? -1) calls instead of one")
                        require(tally.observationInfo.isEmpty, "1.6 something is left")
                    }
                )
                .keeping(tally, token)
            },
        ]
    }
}

extension Journal {
    /// Registers one handler at both properties, as "x" and "y".
    fileprivate func observeBoth(_ tally: Tally) -> KeyValueObservation {
        register("x", on: "x") { callX in
            register("y", on: "y") { callY in
                tally.observe(keyPaths: [\.x, \.y], options: [.old, .new]) { _, change in
                    let call = change.keyPath == \Tally.x ? callX : callY
                    call(change.oldValue as? Int, change.newValue as? Int)
                }
            }
        }
    }

    fileprivate func endBoth(_ body: () -> Void) { end("x") { end("y", body) } }
}

/// Iterates in a task of its own, until so many changes have come or it is over.
@discardableResult
private func iterate(
    _ changes: KeyValueChanges<any Sendable>, into values: Box<[Int]>, count: Int
) -> Task<Void, Never> {
    // The registration is there before the threads begin.
    let iterator = Box(changes.makeAsyncIterator())
    return Task.detached {
        while values.value?.count ?? 0 < count, let change = await iterator.next() {
            values.value?.append(change.newValue as? Int ?? -1)
            userCode()
        }
        iterator.empty()
    }
}

extension Box<KeyValueChanges<any Sendable>.Iterator> {
    fileprivate func next() async -> KeyValueObservedChange<any Sendable>? {
        guard var iterator = value else { return nil }
        return await iterator.next()
    }
}
