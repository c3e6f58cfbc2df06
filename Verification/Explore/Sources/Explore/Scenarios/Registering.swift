// Registering while other threads change, register and ask.
import KeyValueObserving

extension Scenario {
    static let registering = [
        Scenario("registering while the property changes", "9.1 2.4") {
            registerWhileSetting(Cell(), Journal())
        },
        Scenario("registering a second one while the property changes", "9.1 2.4 3.2") {
            let (cell, journal) = (Cell(), Journal())
            journal.observe("first", cell, \.value)
            return registerWhileSetting(cell, journal)
        },
        Scenario("registering with .initial while the property changes", "1.3 2.4 9.1") {
            let (cell, journal, initial) = (Cell(), Journal(), Shared(0))
            func register() {
                journal.observe("late") { call in
                    cell.observe(\.value, options: [.initial, .old, .new]) { _, change in
                        if change.oldValue == nil {
                            initial.value += 1
                            return
                        }
                        call(change.oldValue, change.newValue)
                    }
                }
                require(initial.value == 1, "1.3 .initial came \(initial.value) times")
            }
            return Trial(journal, [{ journal.changes { cell.value = $0 } }, register])
        },
        Scenario("two first registrations of one property", "9.1") {
            let (node, journal) = (Node(), Journal())
            return Trial(journal, [{ journal.observe("first", node, \.x) }, { journal.observe("second", node, \.x) }]) {
                node.x = 1
                journal.requireOneCall("9.1", of: "first", "second")
                require(node.observationInfo.count == 2, "6.1 two are listed")
            }
        },
        Scenario("registrations that two threads make at once are told apart", "1.1 13.3") {
            let (left, right, calls) = (Node(), Node(), Shared(0))
            let (first, second) = (Box<KeyValueObservation>(), Box<KeyValueObservation>())
            func observeLeft() { first.value = left.observe(\.x) { _, _ in } }
            func observeRight() { second.value = right.observe(\.x) { _, _ in calls.value += 1 } }
            return Trial([observeLeft, observeRight]) {
                second.value?.ignoringChanges {}
                first.value?.ignoringChanges { right.x = 1 }
                require(calls.value == 1, "13.3 what the first one ignores the second one misses")
            }
        },
        Scenario("one computed property is first registered by two threads", "1.8 9.1") {
            let (root, tokens) = (Cell(1), Shared<[KeyValueObservation]>([]))
            func observe() { tokens.value.append(root.observe(\.sum, options: .new) { _, _ in }) }
            return Trial(keeping: tokens, [observe, observe]) {
                let readings = root.readings
                root.value = 2
                require(root.readings - readings == 1, "1.8 they are not one target: it is read twice")
            }
        },
        Scenario("asking while another thread registers and ends", "9.1") {
            let node = Node()
            let other = node.observe(\.y) { _, _ in }
            func observe() {
                let token = node.observe(\.x) { _, _ in }
                require(node.isObserved(\.x), "9.1 what is registered is observed")
                token.invalidate()
                require(!node.isObserved(\.x), "9.1 what has ended is not observed")
            }
            func ask() {
                require((1...2).contains(node.observationInfo.count), "9.1 one or two are listed")
                require(node.isObserved(\.y), "9.1 the other property is observed")
                _ = node.isObserved(\.x)
            }
            return Trial(keeping: other, [observe, ask])
        },
        Scenario("a manual property is registered while the last registration at it ends", "1.6 9.1") {
            let (cell, calls, second) = (Cell(), Shared(0), Box<KeyValueObservation>())
            let first = Box(cell.observe(\.value) { _, _ in })
            return Trial([{ second.value = cell.observe(\.value) { _, _ in calls.value += 1 } }, { first.empty() }]) {
                cell.value = 1
                require(calls.value == 1, "9.1 \(calls.value) calls instead of one")
                second.empty()
                requireAsIfNeverObserved(cell)
            }
        },
    ]
}

private func registerWhileSetting(_ cell: Cell, _ journal: Journal) -> Trial {
    Trial(journal, [{ journal.changes { cell.value = $0 } }, { journal.observe("late", cell, \.value) }])
}
