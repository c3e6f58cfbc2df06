// Objects, their classes and their ends, on several threads.
import ExploreForeign
import KeyValueObserving
import KeyValueObservingSwizzling
@_spi(Inspector) import KeyValueObservingTrace

extension Scenario {
    static var objects: [Scenario] {
        [
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
