// Controllers, owners and lists of observers that several threads use.
import KeyValueObserving
import KeyValueObservingStyles

extension Scenario {
    static let controllers = [
        Scenario("two threads end what a controller observes, in two ways", "9.3 A5") {
            let (node, observer, journal) = (Node(), Counted(), Journal())
            let controller = KVOController(observer: observer)
            journal.observe("x", controller, node, \.x)
            journal.observe("y", controller, node, \.y, on: "y")
            func set() { journal.changes(to: 1) { node.x = $0 } }
            func endOne() { journal.end("x") { controller.unobserve(node, \.x) } }
            func endAll() { journal.end("x") { journal.end("y") { controller.unobserveAll() } } }
            return Trial(journal, keeping: observer, [set, endOne, endAll]) {
                require(node.observationInfo.isEmpty, "1.6 nothing is left on the object")
            }
        },
        Scenario("the observer of a stored token dies on one thread while two set the property", "1.7 9.3") {
            let (tally, journal, observer) = (Tally(), Journal(), Box(Counted()))
            let controller = observer.value.map { KVOController(observer: $0) }
            journal.observe("other", tally, \.x)
            journal.register("stored") { call in
                if let controller { tally.observe(\.x) { call($1.oldValue, $1.newValue) }.store(in: controller) }
            }
            func die() { journal.end("stored") { observer.empty() } }
            return Trial(journal, [{ journal.changes { tally.x = $0 } }, die, { tally.y = 1 }]) {
                tally.x = 3
                require(tally.observationInfo.count == 1, "1.7 the stored one is left on the object")
                withExtendedLifetime(controller) {}
            }
        },
        Scenario("two threads register the same at one controller that replaces", "A3 9.1") {
            let (node, observer, calls) = (Node(), Counted(), Shared<[Int]>([]))
            let controller = KVOController(observer: observer, duplicates: .replace)
            func register(_ number: Int) { controller.observe(node, \.x) { _, _, _ in calls.value.append(number) } }
            return Trial(keeping: observer, [{ register(1) }, { register(2) }]) {
                require(node.observationInfo.count == 1, "A3 \(node.observationInfo.count) are left")
                node.x = 1
                require(calls.value.count == 1, "A3 \(calls.value) are called")
                controller.unobserve(node, \.x)
                require(node.observationInfo.isEmpty, "A5 one is left that the controller does not know")
            }
        },
        Scenario("a controller replaces a registration that another thread ends", "A3 9.3") {
            let (node, observer, journal) = (Node(), Counted(), Journal())
            let controller = KVOController(observer: observer, duplicates: .replace)
            journal.observe("one", controller, node, \.x)
            func set() { journal.changes(to: 1) { node.x = $0 } }
            func replace() { journal.end("one") { controller.observe(node, \.x) { _, _, _ in } } }
            func end() { journal.end("one") { controller.unobserve(node, \.x) } }
            return Trial(journal, keeping: observer, [set, replace, end])
        },
        Scenario("a controller dies while the property is set", "9.3 9.4 B5") {
            let (node, observer, journal) = (Node(), Counted(), Journal())
            let controller = Box(KVOController(observer: observer))
            controller.value.map { journal.observe("one", $0, node, \.x) }
            func set() { journal.changes { node.x = $0 } }
            return Trial(journal, keeping: observer, [set, { journal.end("one") { controller.empty() } }])
        },
        Scenario("two threads add observers, a third one removes all", "14.1 9.1") {
            let (node, first, second) = (Node(), Counted(), Counted())
            func add(_ observer: Counted) { node.addObserver(observer, for: [\.x, \.y]) { _, _, _ in } }
            return Trial([{ add(first) }, { add(second) }, { node.removeAllObservers() }]) {
                node.removeAllObservers()
                require(node.observationInfo.isEmpty, "14.1 \(node.observationInfo.count) are left")
            }
        },
        Scenario("two threads remove all observers while a third one sets", "14.1 9.3") {
            let (node, observer, journal) = (Node(), Counted(), Journal())
            journal.register("one") { call in
                node.addObserver(observer, for: [\.x]) { call($2.oldValue as? Int, $2.newValue as? Int) }
            }
            func set() { journal.changes(to: 1) { node.x = $0 } }
            func removeAll() { journal.end("one") { node.removeAllObservers() } }
            return Trial(journal, keeping: observer, [set, removeAll, removeAll])
        },
        Scenario("an owner dies while what it observes is set", "14.2 9.3 9.4") {
            let (node, owner, journal) = (Node(), Box(Owner()), Journal())
            journal.register("one") { call in
                owner.value?.observe(node, \.x) { call($2.oldValue, $2.newValue) }
            }
            func set() { journal.changes { node.x = $0 } }
            return Trial(journal, [set, { journal.end("one") { owner.empty() } }]) { requireAsIfNeverObserved(node) }
        },
    ]
}

private final class Owner: Counted, KeyValueObservationOwner, @unchecked Sendable {
    let keyValueObservations = KeyValueObservationBag()
}

extension Journal {
    /// Registers a handler that notes its calls with a controller.
    fileprivate func observe<Observer: AnyObject, Object: KeyValueObservable>(
        _ name: String, _ controller: KVOController<Observer>, _ object: Object, _ keyPath: KeyPath<Object, Int>,
        on property: String = "x"
    ) {
        register(name, on: property) { call in
            controller.observe(object, keyPath) { call($2.oldValue, $2.newValue) }
        }
    }
}
