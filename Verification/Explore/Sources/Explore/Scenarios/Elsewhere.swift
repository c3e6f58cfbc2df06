// Inboxes and sequences: filled by threads, emptied by tasks.
import KeyValueObserving

extension Scenario {
    static var elsewhere: [Scenario] {
        [
            Scenario("an inbox is filled by one thread and emptied by an actor", "11.1 11.2", workers: 1) {
                let (cell, receiver) = (Cell(), Receiver())
                let token = cell.changes(of: \.value, options: .new).deliver(to: receiver) { $0.add($1.newValue) }
                return Trial(
                    { for value in 1...2 { cell.value = value } },
                    check: {
                        require(receiver.values == [1, 2], "11.2 the actor got \(receiver.values)")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("an inbox of objects ends while it is filled", "11.3 9.3", workers: 1) {
                let (cell, receiver) = (Cell(), Receiver())
                let token = Box(
                    cell.changes(of: \.next, options: [.old, .new]).deliver(to: receiver) { receiver, change in
                        receiver.add(change.newValue??.value)
                    })
                return Trial(
                    {
                        cell.next = Cell(1)
                        cell.next = nil
                    }, { token.empty() },
                    check: {
                        require([[], [1], [1, -1]].contains(receiver.values), "11.2 the actor got \(receiver.values)")
                    })
            },
            Scenario("an inbox for the newest is filled and emptied", "11.4", workers: 1) {
                let (cell, receiver) = (Cell(), Receiver())
                let token = cell.changes(of: \.value, options: [.old, .new], bufferingPolicy: .newest(1)).deliver(
                    to: receiver
                ) { receiver, change in
                    require(
                        change.oldValue == receiver.values.last ?? 0, "11.4 \(change) comes after \(receiver.values)")
                    receiver.add(change.newValue)
                }
                return Trial(
                    { for value in 1...3 { cell.value = value } },
                    check: {
                        require(receiver.values.last == 3, "11.4 the actor got \(receiver.values)")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("an actor dies while its inbox is filled", "11.3 9.4", workers: 1) {
                let cell = Cell()
                let receiver = Box(Receiver())
                guard let actor = receiver.value else { return Trial({}, check: {}) }
                let token = cell.changes(of: \.value, options: .new).deliver(to: actor) { $0.add($1.newValue) }
                return Trial(
                    { for value in 1...2 { cell.value = value } }, { receiver.empty() },
                    check: {
                        cell.value = 3
                        require(token.isInvalidated, "11.3 the registration has not ended")
                    })
            },
            Scenario("a task iterates while a thread changes", "12.2", workers: 1) {
                let cell = Cell()
                let values = Box<[Int]>([])
                iterate(cell.changes(of: \.value, options: .new), into: values, until: 2)
                return Trial(
                    { for value in 1...2 { cell.value = value } },
                    check: { require(values.value == [1, 2], "12.2 the task got \(values.value ?? [])") })
            },
            Scenario("an iteration and the death of its object", "12.3 9.4", workers: 1) {
                let cell = Box(Cell())
                let values = Box<[Int]>([])
                let isOver = Box(false)
                _ = cell.value.map {
                    iterate($0.changes(of: \.value, options: .new), into: values) { isOver.value = true }
                }
                return Trial(
                    {
                        cell.value?.value = 1
                        cell.empty()
                    },
                    check: {
                        require(values.value == [1], "12.3 the task got \(values.value ?? [])")
                        require(isOver.value ?? false, "12.3 the iteration does not end")
                    })
            },
            Scenario("an iteration is cancelled while a change comes", "12.4", workers: 1) {
                let cell = Cell()
                let values = Box<[Int]>([])
                let isOver = Box(false)
                let task = iterate(cell.changes(of: \.value, options: .new), into: values) { isOver.value = true }
                return Trial(
                    { cell.value = 1 }, { Scheduler.current?.atOnce { task.cancel() } },
                    check: {
                        require(isOver.value ?? false, "12.4 the iteration does not end")
                        require([[], [1]].contains(values.value), "12.4 the task got \(values.value ?? [])")
                        require(cell.observationInfo.isEmpty, "12.4 the registration has not ended")
                    })
            },
            Scenario("a registration with .initial on an actor while the property changes", "11.1 1.3", workers: 1) {
                let (cell, receiver) = (Cell(), Receiver())
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    { cell.value = 1 },
                    {
                        tokens.value?.append(
                            cell.changes(of: \.value, options: [.initial, .new]).deliver(to: receiver) {
                                $0.add($1.newValue)
                            })
                    },
                    check: {
                        let values = receiver.values
                        require(
                            (1...2).contains(values.count) && values == values.sorted(), "11.3 the actor got \(values)")
                    })
            },
        ]
    }
}

/// Iterates in a task of its own, until a value or the end.
@discardableResult
private func iterate(
    _ changes: KeyValueSequence<KeyValueObservedChange<Int>>, into values: Box<[Int]>, until last: Int? = nil,
    atEnd: @escaping @Sendable () -> Void = {}
) -> Task<Void, Never> {
    // The registration is there before the threads begin.
    let iterator = Box(changes.makeAsyncIterator())
    return Task.detached {
        while let change = await iterator.next() {
            guard let value = change.newValue else { continue }
            values.value?.append(value)
            userCode()
            if value == last { break }
        }
        iterator.empty()
        atEnd()
    }
}

extension Box<KeyValueSequence<KeyValueObservedChange<Int>>.Iterator> {
    fileprivate func next() async -> KeyValueObservedChange<Int>? {
        guard var iterator = value else { return nil }
        return await iterator.next()
    }
}

/// Gets values.
actor Receiver {
    // One thread of the scheduler runs at a time.
    nonisolated(unsafe) private(set) var values: [Int] = []

    init() { Counted.alive += 1 }

    deinit {
        userCode()
        Counted.alive -= 1
    }

    func add(_ value: Int?) {
        userCode()
        values.append(value ?? -1)
    }
}
