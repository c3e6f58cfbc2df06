// Inboxes and sequences: filled by threads, emptied by tasks.
import KeyValueObserving

extension Scenario {
    static let elsewhere = [
        Scenario("an inbox is filled by one thread and emptied by an actor", "11.1 11.2", workers: 1) {
            let (cell, receiver) = (Cell(), Receiver())
            let token = receiver.receive(cell)
            return Trial(keeping: token, [{ for value in 1...2 { cell.value = value } }]) {
                require(receiver.values == [1, 2], "11.2 the actor got \(receiver.values)")
            }
        },
        Scenario("an inbox of objects ends while it is filled", "11.3 9.3", workers: 1) {
            let (cell, receiver) = (Cell(), Receiver())
            let token = Box(cell.changes(of: \.next).deliver(to: receiver) { $0.add($1.newValue??.value) })
            func set() {
                cell.next = Cell(1)
                cell.next = nil
            }
            return Trial([set, { token.empty() }]) {
                require([[], [1], [1, -1]].contains(receiver.values), "11.2 the actor got \(receiver.values)")
            }
        },
        Scenario("an inbox for the newest is filled and emptied", "11.4", workers: 1) {
            let (cell, receiver) = (Cell(), Receiver())
            let token = cell.changes(of: \.value).buffer(policy: .bufferingNewest(1)).deliver(to: receiver) {
                require($1.oldValue == $0.values.last ?? 0, "11.4 \($1) comes after \($0.values)")
                $0.add($1.newValue)
            }
            return Trial(keeping: token, [{ for value in 1...3 { cell.value = value } }]) {
                require(receiver.values.last == 3, "11.4 the actor got \(receiver.values)")
            }
        },
        Scenario("an actor dies while its inbox is filled", "11.3 9.4", workers: 1) {
            let (cell, receiver) = (Cell(), Box(Receiver()))
            let token = receiver.value?.receive(cell)
            return Trial([{ for value in 1...2 { cell.value = value } }, { receiver.empty() }]) {
                cell.value = 3
                require(token?.isInvalidated ?? false, "11.3 the registration has not ended")
            }
        },
        Scenario("a task iterates while a thread changes", "12.2", workers: 1) {
            let (cell, values) = (Cell(), Shared<[Int]>([]))
            iterate(cell.changes(of: \.value), atMost: 2) { values.value.append($0.newValue ?? -1) }
            return Trial([{ for value in 1...2 { cell.value = value } }]) {
                require(values.value == [1, 2], "12.2 the task got \(values.value)")
            }
        },
        Scenario("an iteration and the death of its object", "12.3 9.4", workers: 1) {
            let (cell, values, isOver) = (Box(Cell()), Shared<[Int]>([]), Shared(false))
            if let cell = cell.value {
                iterate(cell.changes(of: \.value), atEnd: { isOver.value = true }) {
                    values.value.append($0.newValue ?? -1)
                }
            }
            func use() {
                cell.value?.value = 1
                cell.empty()
            }
            return Trial([use]) {
                require(values.value == [1], "12.3 the task got \(values.value)")
                require(isOver.value, "12.3 the iteration does not end")
            }
        },
        Scenario("an iteration is cancelled while a change comes", "12.4", workers: 1) {
            let (cell, values, isOver) = (Cell(), Shared<[Int]>([]), Shared(false))
            let task = iterate(cell.changes(of: \.value), atEnd: { isOver.value = true }) {
                values.value.append($0.newValue ?? -1)
            }
            return Trial([{ cell.value = 1 }, { Scheduler.current?.atOnce { task.cancel() } }]) {
                require(isOver.value, "12.4 the iteration does not end")
                require([[], [1]].contains(values.value), "12.4 the task got \(values.value)")
                require(cell.observationInfo.isEmpty, "12.4 the registration has not ended")
            }
        },
        Scenario("a registration with .initial on an actor while the property changes", "11.1 1.3", workers: 1) {
            let (cell, receiver, token) = (Cell(), Receiver(), Box<KeyValueObservation>())
            return Trial(
                keeping: token, [{ cell.value = 1 }, { token.value = receiver.receive(cell, [.initial, .new]) }]
            ) {
                let values = receiver.values
                require((1...2).contains(values.count) && values == values.sorted(), "11.3 the actor got \(values)")
            }
        },
    ]
}

/// Iterates in a task of its own, until so many changes have come or it is over.
@discardableResult
func iterate<Value: Sendable>(
    _ changes: KeyValueSequence<KeyValueObservedChange<Value>>, atMost most: Int = .max,
    atEnd: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable (KeyValueObservedChange<Value>) -> Void
) -> Task<Void, Never> {
    // The registration is there before the threads begin.
    let first = Box(changes.makeAsyncIterator())
    return Task.detached {
        if var iterator = first.value {
            first.empty()
            var count = 0
            while count < most, let change = await iterator.next() {
                body(change)
                userCode()
                count += 1
            }
        }
        atEnd()
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

    nonisolated func receive(_ cell: Cell, _ options: KeyValueObservingOptions = .new) -> KeyValueObservation {
        cell.changes(of: \.value, options: options).deliver(to: self) { $0.add($1.newValue) }
    }
}
