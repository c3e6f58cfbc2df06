// Objects, their classes and their ends, on several threads.
import ExploreForeign
import KeyValueObserving
import KeyValueObservingSwizzling
@_spi(Inspector) import KeyValueObservingTrace

extension Scenario {
    static let objects = [
        Scenario("the root of a path dies while the end of the path changes", "9.4 6.1") {
            let end = Cell(1)
            let root = Cell(0, next: end)
            let (dying, chain) = (Box(root), Chain(root, \.next?.value))
            return Trial([{ dying.empty() }, { end.value = 2 }]) {
                let count = chain.count
                end.value = 3
                require(chain.count == count, "9.4 a path without a root is called")
                require(chain.token.isInvalidated, "9.4 the token does not read as ended")
            }
        },
        Scenario("two objects that observe each other die on two threads", "9.4 9.5") {
            let (left, right) = (Node(), Node())
            let (first, second) = (Box(left), Box(right))
            let tokens = [
                left.observe(\.x) { [weak right] _, _ in right?.x = 1 },
                right.observe(\.x) { [weak left] _, _ in left?.y = 1 },
            ]
            func use() {
                first.value?.x = 1
                first.empty()
            }
            return Trial(keeping: tokens, [use, { second.empty() }])
        },
        Scenario("a class is asked about its properties by two threads", "D6 9.3", keepsMemory: true) {
            let (object, journal) = (makeFresh(), Journal())
            return Trial([{ object.observe("first", journal) }, { object.observe("second", journal) }]) {
                object.number = 1
                journal.requireOneCall("D6", of: "first", "second")
            }
        },
        Scenario("two threads first observe one object of a foreign class", "15.1 9.1") {
            let (gadget, journal) = (NotifyingGadget.make(), Journal())
            return Trial([{ journal.observe("first", gadget, \.size) }, { journal.observe("second", gadget, \.size) }])
            {
                gadget.size = 1
                journal.requireOneCall("15.1", of: "first", "second")
            }
        },
        Scenario("an object of a foreign class dies while another one is first observed", "15.1 9.4") {
            let (first, second, journal) = (NotifyingGadget.make(), NotifyingGadget.make(), Journal())
            let dying = Box(first)
            let token = first.observe(\.size) { _, _ in }
            return Trial(keeping: token, [{ dying.empty() }, { journal.observe("second", second, \.size) }]) {
                second.size = 1
                journal.requireOneCall("15.1", of: "second")
            }
        },
        Scenario("two threads trace, change and read events at once", "19.2") {
            let (first, second) = (Cell(), Cell())
            let tokens = [first.observe(\.value) { _, _ in }, second.observe(\.value) { _, _ in }]
            func trace(_ cell: Cell) {
                let events = KeyValueTrace.withTrace { cell.value = 1 }.1
                require(events.contains { $0.kind == .change }, "19.1 no change in \(events.count) events")
            }
            return Trial(keeping: tokens, [{ trace(first) }, { trace(second) }])
        },
    ]
}

final class NotifyingGadget: Gadget, NotifyingSubclass, @unchecked Sendable {
    override var size: Int {
        get {
            accessValue(for: \.size)
            return super.size
        }
        set { changeValue(for: \.size) { super.size = newValue } }
    }

    static func make() -> NotifyingGadget {
        guard let gadget = try? makeObservable(Gadget()) else { fatalError("a gadget cannot be observed") }
        return gadget
    }
}

/// An object of a class that nobody has asked anything, in each order another one.
private func makeFresh() -> any FreshClass {
    freshCount += 1
    func make<A, B>(_: A.Type, _: B.Type, _ depth: Int) -> any FreshClass {
        if depth == 0 { return Fresh<A, B>() }
        return freshCount >> (depth - 1) & 1 == 0
            ? make(Either<A, Int>.self, B.self, depth - 1) : make(Either<A, Bool>.self, B.self, depth - 1)
    }
    return make(Int.self, Int.self, 14)
}

nonisolated(unsafe) private var freshCount = 0

private enum Either<A, B> {}

private protocol FreshClass: AnyObject {
    var number: Int { get set }
    func observe(_ name: String, _ journal: Journal)
}

/// One class for each pair of types.
private final class Fresh<A, B>: Counted, FreshClass, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    var shown: Int { number + 1 }

    func observe(_ name: String, _ journal: Journal) { journal.observe(name, self, \.shown) }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        userCode()
        return keyPath == \Fresh<A, B>.shown ? [\Fresh<A, B>.number] : []
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        userCode()
        return true
    }
}
