// All that controllers observe beside one key path, ended while other threads change it.
import KeyValueObserving

extension Scenario {
    static var controllerForms: [Scenario] {
        [
            Scenario("a controller ends the observation of any property while two threads set", "16.3 9.3 A5") {
                let (tally, observer, journal) = (Tally(), Counted(), Journal())
                let controller = KVOController(observer: observer)
                journal.register("one", hasNoValues: true) { call in
                    controller.observeAnyProperty(of: tally) { _, _, _ in call(nil, nil) }
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { tally.x = 1 } },
                    { journal.change(from: 0, to: 2) { tally.y = 2 } },
                    { journal.end("one") { controller.unobserve(tally) } },
                    check: { require(tally.observationInfo.isEmpty, "1.6 something is left") }
                )
                .keeping(observer)
            },
            Scenario("a controller of any property dies while another thread sets", "16.3 9.4") {
                let (cell, observer, journal) = (Cell(), Counted(), Journal())
                let controller = Box(KVOController(observer: observer))
                journal.register("one", hasNoValues: true) { call in
                    controller.value?.observeAnyProperty(of: cell) { _, _, _ in call(nil, nil) }
                }
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { cell.value = value } } },
                    { journal.end("one") { controller.empty() } },
                    check: { require(cell.observationInfo.isEmpty, "9.4 something is left") }
                )
                .keeping(observer)
            },
            Scenario("two threads make one controller observe any property", "16.3 A16") {
                let (tally, observer) = (Tally(), Counted())
                let controller = KVOController(observer: observer)
                let calls = Box(0)
                func register() {
                    controller.observeAnyProperty(of: tally) { _, _, _ in calls.value? += 1 }
                }
                return Trial(
                    { register() }, { register() },
                    check: {
                        tally.x = 1
                        require(calls.value == 1, "A16 \(calls.value ?? -1) calls")
                        controller.unobserveAll()
                        require(tally.observationInfo.isEmpty, "A5 one is left that the controller does not know")
                    }
                )
                .keeping(observer)
            },
            Scenario("a controller ends the observation of elements while one changes and one is put in", "9.3 A5") {
                let (group, tally, observer, journal) = (Group(), Tally(), Counted(), Journal())
                let controller = KVOController(observer: observer)
                group.members = [tally]
                journal.register("one") { call in
                    controller.observe(group, eachOf: \.members, \.x, options: [.old, .new]) {
                        call($3.oldValue, $3.newValue)
                    }
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { tally.x = 1 } },
                    { group.mutable(\.members).insert(Tally(), at: 0) },
                    { journal.end("one") { controller.unobserve(group, \.members) } },
                    check: {
                        require(tally.observationInfo.isEmpty, "1.6 the element is still observed")
                        require(group.observationInfo.isEmpty, "1.6 the collection is still observed")
                    }
                )
                .keeping(observer)
            },
            Scenario("the observer of elements dies while one changes", "9.4") {
                let (group, tally, journal) = (Group(), Tally(), Journal())
                group.members = [tally]
                let screen = Box(Screen())
                screen.value.map { screen in
                    journal.register("one") { call in
                        screen.kvo.observe(group, eachOf: \.members, \.x, options: [.old, .new]) {
                            call($3.oldValue, $3.newValue)
                        }
                    }
                }
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    { journal.end("one") { screen.empty() } },
                    check: {
                        require(tally.observationInfo.isEmpty, "9.4 the element is still observed")
                        require(group.observationInfo.isEmpty, "9.4 the collection is still observed")
                    })
            },
            Scenario("two threads end several key paths of a controller while a third one sets", "10.1 9.3 A5") {
                let (tally, observer, journal) = (Tally(), Counted(), Journal())
                let controller = KVOController(observer: observer)
                journal.register("x", on: "x") { callX in
                    journal.register("y", on: "y") { callY in
                        controller.observe(tally, keyPaths: [\.x, \.y], options: [.old, .new]) { _, _, change in
                            let call = change.keyPath == \Tally.x ? callX : callY
                            call(change.oldValue as? Int, change.newValue as? Int)
                        }
                    }
                }
                return Trial(
                    journal,
                    {
                        journal.change("x", from: 0, to: 1) { tally.x = 1 }
                        journal.change("y", from: 0, to: 2) { tally.y = 2 }
                    },
                    { journal.end("x") { controller.unobserve(tally, \.x) } },
                    { journal.end("x") { journal.end("y") { controller.unobserveAll() } } },
                    check: { require(tally.observationInfo.isEmpty, "1.6 something is left") }
                )
                .keeping(observer)
            },
            Scenario("a controller ends a delivery on an actor while another thread sets", "11.2 A5", workers: 1) {
                let (tally, observer, receiver) = (Tally(), Counted(), Receiver())
                let controller = KVOController(observer: observer)
                controller.observe(tally, \.x, options: .new, on: receiver) { $1.add($2.newValue) }
                return Trial(
                    { for value in 1...2 { tally.x = value } }, { controller.unobserve(tally, \.x) },
                    check: {
                        require([[], [1], [1, 2]].contains(receiver.values), "11.2 the actor got \(receiver.values)")
                        require(tally.observationInfo.isEmpty, "1.6 something is left")
                    }
                )
                .keeping(observer)
            },
            Scenario("a controller of deliveries on an actor dies while another thread sets", "11.2 9.4", workers: 1) {
                let (cell, observer, receiver) = (Cell(), Counted(), Receiver())
                let controller = Box(KVOController(observer: observer))
                controller.value?.observe(cell, \.value, options: .new, on: receiver) { $1.add($2.newValue) }
                return Trial(
                    { for value in 1...2 { cell.value = value } }, { controller.empty() },
                    check: {
                        require([[], [1], [1, 2]].contains(receiver.values), "11.2 the actor got \(receiver.values)")
                        require(cell.observationInfo.isEmpty, "9.4 something is left")
                    }
                )
                .keeping(observer)
            },
            Scenario(
                "two threads end several key paths of a controller on an actor, and one sets", "11.2 A5", workers: 1
            ) {
                let (tally, observer, receiver) = (Tally(), Counted(), Receiver())
                let controller = KVOController(observer: observer)
                controller.observe(tally, \.x, \.y, options: .new, on: receiver) { $1.add($2.newValue as? Int) }
                return Trial(
                    {
                        tally.x = 1
                        tally.y = 2
                    }, { controller.unobserve(tally, \.x) }, { controller.unobserve(tally) },
                    check: {
                        require(
                            [[], [1], [2], [1, 2]].contains(receiver.values), "11.2 the actor got \(receiver.values)")
                        require(tally.observationInfo.isEmpty, "1.6 something is left")
                    }
                )
                .keeping(observer)
            },
            Scenario("an observer with an action dies while another thread sets", "9.3 9.4") {
                let (tally, journal) = (Tally(), Journal())
                let screen = Box(Screen())
                screen.value.map { screen in
                    journal.register("one") { call in
                        screen.body = call
                        screen.kvo.observe(tally, \.x, options: [.old, .new], action: Screen.change)
                    }
                }
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    { journal.end("one") { screen.empty() } },
                    check: { require(tally.observationInfo.isEmpty, "9.4 something is left") })
            },
            Scenario("an initial call has its controller end the observation while another thread sets", "9.3 1.3 A5") {
                let (tally, observer, journal) = (Tally(), Counted(), Journal())
                let controller = KVOController(observer: observer)
                return Trial(
                    journal,
                    {
                        journal.register("one") { call in
                            controller.observe(tally, \.x, options: [.initial, .old, .new]) { _, _, change in
                                if change.oldValue != nil { return call(change.oldValue, change.newValue) }
                                journal.end("one") { controller.unobserve(tally, \.x) }
                            }
                        }
                    },
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    check: { require(tally.observationInfo.isEmpty, "1.6 something is left") }
                )
                .keeping(observer)
            },
        ]
    }
}

/// An observer with a controller and an action.
private final class Screen: Counted, @unchecked Sendable {
    private(set) lazy var kvo = KVOController(observer: self)
    var body: (Int?, Int?) -> Void = { _, _ in }

    func change(_ change: KeyValueObservedChange<Int>) { body(change.oldValue, change.newValue) }
}
