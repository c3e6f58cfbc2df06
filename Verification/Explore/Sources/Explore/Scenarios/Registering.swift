// Registering while other threads change, register and ask.
import KeyValueObserving

extension Scenario {
    static var registering: [Scenario] {
        [
            Scenario("registering while the property changes", "9.1 2.4") {
                let cell = Cell()
                let journal = Journal()
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { cell.value = value } } },
                    { tokens.value?.append(journal.observe("late", cell, \.value, on: "x")) })
            },
            Scenario("registering a second one while the property changes", "9.1 2.4 3.2") {
                let cell = Cell()
                let journal = Journal()
                let tokens = Box([journal.observe("first", cell, \.value, on: "x")])
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { cell.value = value } } },
                    { tokens.value?.append(journal.observe("late", cell, \.value, on: "x")) })
            },
            Scenario("registering with .initial while the property changes", "1.3 2.4 9.1") {
                let cell = Cell()
                let journal = Journal()
                let initial = Box<[Int?]>([])
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { cell.value = value } } },
                    {
                        tokens.value?.append(
                            journal.register("late") { call in
                                cell.observe(\.value, options: [.initial, .old, .new]) { _, change in
                                    if change.oldValue == nil {
                                        initial.value?.append(change.newValue)
                                    } else {
                                        call(change.oldValue, change.newValue)
                                    }
                                }
                            })
                        require(initial.value?.count == 1, "1.3 .initial came \(initial.value?.count ?? 0) times")
                    })
            },
            Scenario("two first registrations of one property", "9.1") {
                let node = Node()
                let journal = Journal()
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    journal,
                    { tokens.value?.append(journal.observe("first", node, \.x, on: "x")) },
                    { tokens.value?.append(journal.observe("second", node, \.x, on: "x")) },
                    check: {
                        node.x = 1
                        require(journal.count("first") == 1, "9.1 the first is not called")
                        require(journal.count("second") == 1, "9.1 the second is not called")
                        require(node.observationInfo.count == 2, "6.1 two are listed")
                    })
            },
            Scenario("registrations that two threads make at once are told apart", "1.1 13.3") {
                let (left, right) = (Node(), Node())
                let journal = Journal()
                let (first, second) = (Box<KeyValueObservation?>(nil), Box<KeyValueObservation?>(nil))
                return Trial(
                    journal, { first.value = journal.observe("first", left, \.x, on: "left") },
                    { second.value = journal.observe("second", right, \.x, on: "right") },
                    check: {
                        second.value??.ignoringChanges {}
                        first.value??.ignoringChanges { journal.change("right", from: 0, to: 1) { right.x = 1 } }
                        require(journal.count("second") == 1, "13.3 what the first one ignores the second one misses")
                    })
            },
            Scenario("one computed property is first registered by two threads", "1.8 9.1") {
                let root = Cell(1)
                let tokens = Box<[KeyValueObservation]>([])
                func observe() { tokens.value?.append(root.observe(\.sum, options: .new) { _, _ in }) }
                return Trial(
                    { observe() }, { observe() },
                    check: {
                        let readings = root.readings
                        root.value = 2
                        require(root.readings - readings == 1, "1.8 they are not one target: it is read twice")
                    })
            },
            Scenario("asking while another thread registers and ends", "9.1") {
                let node = Node()
                let other = node.observe(\.y) { _, _ in }
                return Trial(
                    {
                        let token = node.observe(\.x) { _, _ in }
                        require(node.isObserved(\.x), "9.1 what is registered is observed")
                        token.invalidate()
                        require(!node.isObserved(\.x), "9.1 what has ended is not observed")
                    },
                    {
                        require((1...2).contains(node.observationInfo.count), "9.1 one or two are listed")
                        require(node.isObserved(\.y), "9.1 the other property is observed")
                        _ = node.isObserved(\.x)
                        withExtendedLifetime(other) {}
                    }, check: {})
            },
            Scenario("a manual property is registered while the last registration at it ends", "1.6 9.1") {
                let (cell, calls) = (Cell(), Box(0))
                let first = Box(cell.observe(\.value) { _, _ in })
                let second = Box<KeyValueObservation?>(nil)
                return Trial(
                    { second.value = cell.observe(\.value) { _, _ in calls.value? += 1 } }, { first.empty() },
                    check: {
                        cell.value = 1
                        require(calls.value == 1, "9.1 \(calls.value ?? -1) calls instead of one")
                        second.empty()
                        require(cell.observationInfo.isEmpty, "1.6 something is left")
                    }
                )
                .keeping(cell)
            },
        ]
    }
}

extension Journal {
    /// Registers a handler that notes its calls.
    func observe<Object: KeyValueObservable>(
        _ name: String, _ object: Object, _ keyPath: KeyPath<Object, Int>, on property: String,
        options: KeyValueObservingOptions = [.old, .new]
    ) -> KeyValueObservation {
        register(name, on: property) { call in
            object.observe(keyPath, options: options) { call($1.oldValue, $1.newValue) }
        }
    }
}
