// Conformance: changes of sets, cases #158 and #188–#203, and of ordered sets, cases #204–#214.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 8 and 9: changes of sets and of ordered sets")
struct SetChangeCases {
    private let pool = Pool()
    private let log = Log()

    /// The six steps that the suites of GNUstep and WinObjC try on every kind of set, and what they deliver.
    private static let sixSteps = [
        "insertion ·→[1, 2, 3]", "removal [1]→·", "insertion ·→[1]", "removal [1]→·", "removal [3]→·",
        "replacement [2]→[3]",
    ]

    private func sixSteps(_ view: ObservedMutableSet<Int>) {
        view.formUnion([1, 2, 3])
        view.subtract([1])
        view.insert(1)
        view.remove(1)
        view.formIntersection([2])
        view.set([3])
    }

    @Test("#188 Methods that announce by hand deliver insertions and removals, and a plain assignment a setting")
    func helpers() {
        let token = pool.observe(\.numbers, options: [.old, .new]) { [log] in log.addToMany($1) }
        pool.mutate(.union, [1, 2, 3])
        pool.mutate(.minus, [1])
        pool.mutate(.union, [1])
        pool.mutate(.minus, [1])
        pool.mutate(.intersect, [2])
        pool.numbers = [3]
        #expect(log.take() == Self.sixSteps.dropLast() + ["setting [2]→[3]"])
        withExtendedLifetime(token) {}
    }

    @Test("#189 #191 A view of the stored set delivers the same, and a set through it is a replacement")
    func stored() {
        let token = pool.observe(\.numbers, options: [.old, .new]) { [log] in log.addToMany($1) }
        sixSteps(pool.mutable(\.numbers))
        #expect(log.take() == Self.sixSteps && pool.numbers == [3])
        pool.numbers = []
        _ = log.take()
        sixSteps(pool.mutable(\.numbers))
        #expect(log.take() == Self.sixSteps)
        withExtendedLifetime(token) {}
    }

    @Test("#192 A view of a getter and a setter delivers the same, not doubled by the setter")
    func accessors() {
        let token = pool.observe(\.same, options: [.old, .new]) { [log] in log.addToMany($1) }
        sixSteps(pool.mutable(\.same))
        #expect(log.take() == Self.sixSteps && pool.numbers == [3])
        withExtendedLifetime(token) {}
    }

    @Test("#193 A mutation of several members is one change")
    func bulk() {
        pool.numbers = [42]
        var values: [[Int]] = []
        let token = pool.observe(\.numbers) { pool, _ in values.append(pool.numbers.sorted()) }
        let view = pool.mutable(\.numbers)
        view.formUnion([1, 2])
        view.formIntersection([1])
        view.subtract([1])
        #expect(values == [[1, 2, 42], [1], []])
        withExtendedLifetime(token) {}
    }

    enum Kind: CaseIterable { case union, minus, intersect, set }

    typealias Mutation = (
        start: Set<Int>, kind: Kind, using: Set<Int>, told: [String], row: String
    )

    static let mutations: [Mutation] = [
        ([0], .union, [1, 2], ["insertion ·→[1, 2]"], "#195"),
        ([1, 2], .union, [2, 3], ["insertion ·→[3]"], "#196"),
        ([0, 1, 2], .minus, [1, 2], ["removal [1, 2]→·"], "#197"),
        ([0, 1], .intersect, [1, 2], ["removal [0]→·"], "#199"),
        ([0], .set, [1, 2], ["replacement [0]→[1, 2]"], "#200"),
        ([0, 1], .set, [1, 2], ["replacement [0]→[2]"], "#200"),
    ]

    @Test(
        "#158 #195 #196 #197 #199 #200 #203 A mutation carries the members that really come and go",
        arguments: mutations.indices)
    func byHand(index: Int) {
        let mutation = Self.mutations[index]
        pool.numbers = mutation.start
        let token = pool.observe(\.numbers, options: [.old, .new]) { [log] _, change in
            log.addToMany(change)
            if change.indexes != nil { log.add("a set has no indexes") }
        }
        pool.mutate(mutation.kind, mutation.using)
        #expect(log.take() == mutation.told, "\(mutation.row)")
        withExtendedLifetime(token) {}
    }

    @Test(
        "#201 Union is an insertion, minus and intersect are removals, set is a replacement"
    )
    func kinds() {
        var told: [KeyValueChange] = []
        let token = pool.observe(\.numbers) { told.append($1.kind) }
        for kind in Kind.allCases {
            pool.numbers = [1, 2]
            pool.mutate(kind, [2, 3])
        }
        #expect(told.filter { $0 != .setting } == [.insertion, .removal, .removal, .replacement])
        withExtendedLifetime(token) {}
    }

    // MARK: Ordered sets: an array whose setter keeps each element once

    @Test("#204 Insert, replace, remove: three changes, the values in between as expected")
    func orderedMutations() {
        pool.order = [42]
        var values: [[Int]] = []
        let token = pool.observe(\.order) { pool, _ in values.append(pool.order) }
        let view = pool.mutable(\.order)
        view.insert(1, at: 0)
        view[0] = 2
        view.remove(at: 0)
        #expect(values == [[1, 42], [2, 42], [42]])
        withExtendedLifetime(token) {}
    }

    @Test("#205 #212 #213 Each change calls the setter once; adding what is there changes nothing but is a setting")
    func orderedAccessors() {
        let token = pool.observe(\.order, options: [.old, .new]) { [log] in log.addToMany($1) }
        let view = pool.mutable(\.order)
        #expect(Array(view) == [] && pool.settings == 0)
        view.append(1)
        view.append(2)
        #expect(log.take() == ["insertion [0] ·→[1]", "insertion [1] ·→[2]"] && pool.settings == 2)
        view.append(1)
        #expect(log.take() == ["setting [1, 2]→[1, 2]"] && pool.settings == 3)
        view.insert(contentsOf: [7, 8], at: RangeSet(0, 2))
        view.removeSubranges(RangeSet(0, 2))
        #expect(pool.order == [1, 2] && pool.settings == 5)
        withExtendedLifetime(token) {}
    }

    @Test("#207 The view shows the value after every step")
    func orderedContents() {
        pool.order = [42]
        let view = pool.mutable(\.order)
        func expect(_ numbers: [Int], at location: SourceLocation = #_sourceLocation) {
            #expect(Array(view) == numbers && pool.order == numbers, sourceLocation: location)
        }
        view.append(1)
        expect([42, 1])
        view.insert(2, at: 0)
        expect([2, 42, 1])
        view.remove(at: 1)
        expect([2, 1])
        view[0] = 3
        expect([3, 1])
        view.insert(contentsOf: [7, 8, 9], at: RangeSet(0, 1, 2))
        expect([7, 8, 9, 3, 1])
        view.removeAll()
        expect([])
    }

    @Test("#208 The view shows what happens to the value behind it")
    func orderedUnderlying() {
        let view = pool.mutable(\.order)
        pool.order = [42]
        #expect(Array(view) == [42])
        pool.order.append(32)
        #expect(Array(view) == [42, 32])
        pool.order.sort()
        #expect(Array(view) == [32, 42])
    }

    @Test("#214 Prior calls of ordered changes have the indexes and what leaves")
    func orderedPrior() {
        pool.order = [1]
        let token = pool.observe(\.order, options: [.old, .new, .prior]) { [log] in log.addToMany($1) }
        let view = pool.mutable(\.order)
        view.append(2)
        view[0] = 3
        #expect(
            log.take() == [
                "prior insertion [1] ·→·", "insertion [1] ·→[2]", "prior replacement [0] [1]→·",
                "replacement [0] [1]→[3]",
            ])
        withExtendedLifetime(token) {}
    }
}

private final class Pool: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var numbers: Set<Int> = []
    @Observed private var storedOrder: [Int] = []
    private(set) var settings = 0

    var same: Set<Int> {
        get { numbers }
        set { numbers = newValue }
    }

    var order: [Int] {
        get { storedOrder }
        set {
            settings += 1
            // A value without repetitions is kept as it is.
            storedOrder =
                Set(newValue).count == newValue.count
                ? newValue
                : newValue.reduce(into: []) { order, number in
                    if !order.contains(number) { order.append(number) }
                }
        }
    }

    func mutate(_ kind: SetChangeCases.Kind, _ members: Set<Int>) {
        let view = mutable(\.numbers)
        switch kind {
        case .union: view.formUnion(members)
        case .minus: view.subtract(members)
        case .intersect: view.formIntersection(members)
        case .set: view.set(members)
        }
    }
}
