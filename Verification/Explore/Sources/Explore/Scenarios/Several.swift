// Several key paths in one call, distinct values, and a handler that ends its own observation.
import KeyValueObserving

extension Scenario {
    static var several: [Scenario] {
        [
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
            Scenario(
                "several key paths with .initial on an actor while another thread sets them", "10.1 11.1", workers: 1
            ) {
                let (tally, receiver) = (Tally(), Receiver())
                let token = Box<KeyValueObservation?>(nil)
                return Trial(
                    {
                        token.value = tally.changes(of: \.x, \.y, options: [.initial, .new]).deliver(to: receiver) {
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
    _ changes: KeyValueSequence<KeyValueObservedChange<any Sendable>>, into values: Box<[Int]>, count: Int
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

extension Box<KeyValueSequence<KeyValueObservedChange<any Sendable>>.Iterator> {
    fileprivate func next() async -> KeyValueObservedChange<any Sendable>? {
        guard var iterator = value else { return nil }
        return await iterator.next()
    }
}
