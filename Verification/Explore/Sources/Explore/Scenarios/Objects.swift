// Objects, their classes and their ends, on several threads.
import ExploreForeign
import KeyValueObserving
import KeyValueObservingSwizzling
@_spi(Inspector) import KeyValueObservingTrace

extension Scenario {
    static var objects: [Scenario] {
        [
            Scenario("an object dies while its registration is ended", "9.4 B4") {
                let node = Box(Node())
                let captured = Counted()
                guard let token = node.value?.observe(\.x, changeHandler: { _, _ in withExtendedLifetime(captured) {} })
                else { return Trial({}, check: {}) }
                return Trial(
                    { node.empty() }, { token.invalidate() },
                    check: { require(token.isInvalidated, "9.4 the token does not read as ended") })
            },
            Scenario("the root of a path dies while the end of the path changes", "9.4 6.1") {
                let end = Cell(1)
                let root = Box(Cell(0, next: end))
                let chain = Chain()
                let token = root.value?.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { root.empty() }, { end.value = 2 },
                    check: {
                        let count = chain.count
                        end.value = 3
                        require(chain.count == count, "9.4 a path without a root is called")
                        require(token?.isInvalidated ?? false, "9.4 the token does not read as ended")
                    })
            },
            Scenario("the middle of a path is let go of while its end changes", "9.4 17.3") {
                let (root, middle, end) = (Tally(), Tally(), Tally())
                root.next = middle
                middle.next = end
                let (chain, released) = (Chain(), Box(middle))
                let token = root.observe(\.next?.next?.x, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    {
                        released.empty()
                        root.next = nil
                    }, { end.x = 2 }, check: { chain.check(from: 0, to: .min) }
                )
                .keeping(root, end, token)
            },
            Scenario("an object dies while a controller lets go of it", "9.4 B4 B8") {
                let observer = Counted()
                let node = Box(Node())
                let controller = KVOController(observer: observer, retainsObserved: false)
                node.value.map { controller.observe($0, \.x) { _, _, _ in } }
                return Trial({ node.empty() }, { controller.unobserveAll() }, check: {}).keeping(observer)
            },
            Scenario("two objects that observe each other die on two threads", "9.4 9.5") {
                let (left, right) = (Box(Node()), Box(Node()))
                guard let first = left.value, let second = right.value else { return Trial({}, check: {}) }
                let tokens = [
                    first.observe(\.x) { [weak second] _, _ in second?.x = 1 },
                    second.observe(\.x) { [weak first] _, _ in first?.y = 1 },
                ]
                return Trial(
                    {
                        left.value?.x = 1
                        left.empty()
                    }, { right.empty() }, check: { withExtendedLifetime(tokens) {} })
            },
            Scenario("a class is asked about its properties by two threads", "D6 9.3", keepsMemory: true) {
                makeFresh { object in
                    let tokens = Box<[KeyValueObservation]>([])
                    let journal = Journal()
                    func observe(_ name: String) {
                        tokens.value?.append(journal.register(name) { object.observeShown($0) })
                    }
                    return Trial(
                        { observe("first") }, { observe("second") },
                        check: {
                            object.number = 1
                            require(journal.count("first") == 1, "D6 the first is not called")
                            require(journal.count("second") == 1, "D6 the second is not called")
                        })
                }
            },
            Scenario("a class is asked about its properties while an object of it is set", "D6 9.1", keepsMemory: true)
            {
                makeFresh { object in
                    let tokens = Box<[KeyValueObservation]>([])
                    return Trial(
                        { tokens.value?.append(object.observeShown { _, _ in }) }, { object.number = 1 }, check: {})
                }
            },
            Scenario("two threads make one object of a foreign class observable", "15.1 15.2") {
                let gadget = Gadget()
                let made = Box<[NotifyingGadget]>([])
                func make() {
                    guard let object = try? NotifyingGadget.makeObservable(gadget) else {
                        return Findings.add("15.2 the object is refused")
                    }
                    made.value?.append(object)
                }
                return Trial(
                    { make() }, { make() },
                    check: {
                        let calls = Box(0)
                        let token = made.value?.first?.observe(\.size) { _, _ in calls.value = (calls.value ?? 0) + 1 }
                        gadget.size = 1
                        require(calls.value == 1, "15.1 \(calls.value ?? 0) calls")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("two threads first observe one object of a foreign class", "15.1 9.1") {
                guard let gadget = try? NotifyingGadget.makeObservable(Gadget()) else { return Trial({}, check: {}) }
                let journal = Journal()
                let tokens = Box<[KeyValueObservation]>([])
                func observe(_ name: String) {
                    tokens.value?.append(
                        journal.register(name) { call in
                            gadget.observe(\.size, options: [.old, .new]) { call($1.oldValue, $1.newValue) }
                        })
                }
                return Trial(
                    { observe("first") }, { observe("second") },
                    check: {
                        gadget.size = 1
                        require(journal.count("first") == 1, "15.1 the first is not called")
                        require(journal.count("second") == 1, "15.1 the second is not called")
                    })
            },
            Scenario("an object of a foreign class dies while another one is first observed", "15.1 9.4") {
                guard let first = try? NotifyingGadget.makeObservable(Gadget()),
                    let second = try? NotifyingGadget.makeObservable(Gadget())
                else { return Trial({}, check: {}) }
                let dying = Box(first)
                let token = first.observe(\.size) { _, _ in }
                let tokens = Box<[KeyValueObservation]>([])
                let journal = Journal()
                return Trial(
                    { dying.empty() },
                    {
                        tokens.value?.append(
                            journal.register("second") { call in
                                second.observe(\.size, options: [.old, .new]) { call($1.oldValue, $1.newValue) }
                            })
                    },
                    check: {
                        second.size = 1
                        require(journal.count("second") == 1, "15.1 the second is not called")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("tracing begins and ends while two threads change what one observes", "19.1 19.2") {
                let (tally, journal) = (Tally(), Journal())
                let token = journal.register("one", hasNoValues: true) { call in
                    tally.observe(\.sum) { _, _ in call(nil, nil) }
                }
                return Trial(
                    journal, { journal.change(from: 0, to: 1) { tally.x = 1 } },
                    { journal.change(from: 0, to: 2) { tally.y = 2 } },
                    {
                        KeyValueTrace.start()
                        _ = KeyValueTrace.events(after: 0)
                        KeyValueTrace.stop()
                    },
                    check: { withExtendedLifetime(token) {} }
                )
                .keeping(tally)
            },
            Scenario("two threads trace, change and read events at once", "19.2") {
                let (first, second) = (Cell(), Cell())
                let tokens = [first.observe(\.value) { _, _ in }, second.observe(\.value) { _, _ in }]
                func traced(_ cell: Cell) {
                    let events = KeyValueTrace.withTrace { cell.value = 1 }.1
                    let changes = events.count { $0.kind == .change }
                    require(changes >= 1, "19.1 \(changes) changes in \(events.count) events")
                }
                return Trial({ traced(first) }, { traced(second) }, check: {})
                    .keeping(first, second, tokens[0], tokens[1])
            },
        ]
    }
}

final class NotifyingGadget: Gadget, NotifyingSubclass, @unchecked Sendable {
    override var size: Int {
        get {
            accessValue(for: \.size)
            return super.size
        }
        set { changeValue(for: \.size) { super.size = newValue } }
    }
}

/// An object of a class that nobody has asked anything, in each order another one.
private func makeFresh(_ body: (any FreshClass) -> Trial) -> Trial {
    freshCount += 1
    func make<A, B>(_: A.Type, _: B.Type, _ depth: Int) -> Trial {
        if depth == 0 { return body(Fresh<A, B>()) }
        return freshCount >> (depth - 1) & 1 == 0
            ? make(Either<A, Int>.self, B.self, depth - 1) : make(Either<A, Bool>.self, B.self, depth - 1)
    }
    return make(Int.self, Int.self, 14)
}

nonisolated(unsafe) private var freshCount = 0

private enum Either<A, B> {}

private protocol FreshClass: AnyObject {
    var number: Int { get set }
    func observeShown(_ call: @escaping (_ old: Int?, _ new: Int?) -> Void) -> KeyValueObservation
}

/// One class for each pair of types.
private final class Fresh<A, B>: Counted, FreshClass, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    var shown: Int { number + 1 }

    func observeShown(_ call: @escaping (_ old: Int?, _ new: Int?) -> Void) -> KeyValueObservation {
        observe(\.shown, options: [.old, .new]) { call($1.oldValue, $1.newValue) }
    }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        userCode()
        return keyPath == \Fresh<A, B>.shown ? [\Fresh<A, B>.number] : []
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        userCode()
        return true
    }
}
