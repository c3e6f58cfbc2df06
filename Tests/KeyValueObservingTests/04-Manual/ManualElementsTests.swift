// Elements of collections that notify manually, stored and computed: 4.1, 4.4 and section 7 of the contract.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.4 7 Elements of manual collections")
struct ManualElementsTests {
    private let kept = Kept()
    private let heap = Heap()
    private let watcher = Watcher()
    private var log: Log { watcher.log }

    // MARK: Kinds

    // #53 #163 #169 #171 #214 #308
    @Test(
        "4.4 7.1 Insertion, removal and replacement carry kind, indexes and elements (#158, #160, #172, #173)",
        arguments: [false, true])
    func array(isComputed: Bool) {
        func check<Object: KeyValueObservable>(_ heap: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Int]>) {
            watcher.watchElements(heap, keyPath, [.old, .new, .prior])
            let pile = heap.mutable(keyPath)
            pile.append(contentsOf: [1, 2])
            pile[1] = 3
            pile.insert(4, at: 0)
            pile.remove(at: 1)
        }
        if isComputed { check(HandHeap(), \.pile) } else { check(heap, \.pile) }
        #expect(
            log.take() == [
                "prior insertion [0, 1] ·→·", "insertion [0, 1] ·→[1, 2]", "prior replacement [1] [2]→·",
                "replacement [1] [2]→[3]", "prior insertion [0] ·→·", "insertion [0] ·→[4]", "prior removal [1] [1]→·",
                "removal [1] [1]→·",
            ])
    }

    // #188 #196 #197 #199 #200
    @Test(
        "4.4 7.2 Mutations of a set carry the members that really come and go (#195–#201, #203)",
        arguments: [false, true])
    func members(isComputed: Bool) {
        func check<Object: KeyValueObservable>(_ heap: Object, _ path: ReferenceWritableKeyPath<Object, Set<String>>) {
            watcher.watchElements(heap, path, [.old, .new, .prior])
            let bag = heap.mutable(path)
            bag.formUnion([])
            bag.formUnion(["a", "b"])
            bag.formUnion(["b", "c"])
            bag.subtract(["a", "z"])
            bag.formIntersection(["b"])
            for _ in 0..<2 { bag.set(["b", "d"]) }
        }
        if isComputed { check(HandHeap(), \.bag) } else { check(heap, \.bag) }
        #expect(
            log.take() == [
                "prior insertion ·→·", #"insertion ·→["a", "b"]"#, "prior insertion ·→·", #"insertion ·→["c"]"#,
                #"prior removal ["a"]→·"#, #"removal ["a"]→·"#, #"prior removal ["c"]→·"#, #"removal ["c"]→·"#,
                "prior replacement []→·", #"replacement []→["d"]"#,
            ])
    }

    @Test("4.4 7.2 So do entries of a dictionary")
    func entries() {
        watcher.watchElements(heap, \.table)
        for number in [1, 2, nil] { heap.mutable(\.table)["a"] = number }
        #expect(
            log.take() == [#"insertion ·→["a:1"]"#, #"replacement ["a:1"]→["a:2"]"#, #"removal ["a:2"]→·"#])
    }

    // MARK: Their deliveries

    @Test(
        "4.1 4.4 6.6 Paths, computed properties and expressions get them, too",
        arguments: [false, true])
    func dependents(isComputed: Bool) {
        let (yard, hand) = (Yard(), HandHeap())
        (yard.heap, yard.hand) = (heap, hand)
        func observe<Object: KeyValueObservable>(
            _ heap: Object, _ pile: ReferenceWritableKeyPath<Object, [Int]>
        ) -> [KeyValueObservation] {
            [
                heap.observe(reading: { $0[keyPath: pile].max() ?? 0 }) { [log] in log.addToMany($1) }
            ]
        }
        watcher.watchElements(yard, isComputed ? \.hand?.pile : \.heap?.pile)
        watcher.watchElements(yard, isComputed ? \.hand?.pile.count : \.heap?.pile.count)
        watcher.watchElements(yard, isComputed ? \.hand?.total : \.heap?.total)
        let tokens = isComputed ? observe(hand, \.pile) : observe(heap, \.pile)
        for number in 1...2 {
            if isComputed { hand.mutable(\.pile).append(number) } else { heap.mutable(\.pile).append(number) }
        }
        let elements =
            RuntimeAssumption.keyPathComponents.holds
            ? ["insertion [0] ·→[1]", "insertion [1] ·→[2]"] : ["setting []→[1]", "setting [1]→[1, 2]"]
        #expect(
            log.take() == [
                elements[0], "setting 0→1", "setting 0→1", "setting 0→1", elements[1], "setting 1→2", "setting 1→3",
                "setting 1→2",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.4 7.5 8.4 What a view applies it announces, settings, too, and so does the array that is got by name")
    func apply() throws {
        watcher.watchElements(heap, \.pile)
        let model = Model()
        model.observe(\.list) { [heap] in heap.mutable(\.pile).apply($1) }.store(in: kept)
        model.mutable(\.list).append(1)
        model.list = [2, 3]
        model.mutable(\.list).removeLast()
        #expect(heap.pile == [2])
        #expect(log.take() == ["insertion [0] ·→[1]", "setting [1]→[2, 3]", "removal [1] [3]→·"])
        try heap.mutableArrayValue(forKey: "pile").append(1)
        #expect(log.take() == ["insertion [1] ·→[1]"])
    }

    @Test("4.4 4.3 10.2 In a transaction changes of elements are one setting, also with a silent set between")
    func transaction() {
        watcher.watchElements(heap, \.pile)
        watcher.watchElements(heap, \.total)
        withKeyValueTransaction {
            heap.mutable(\.pile).append(1)
            heap.pile = [5]
            heap.mutable(\.pile).append(2)
            #expect(log.take() == [])
        }
        #expect(log.take() == ["setting [5]→[5, 2]", "setting 0→7"])
    }

    @Test("3.5 4.4 C6 Changes inside a pair belong to it, whatever their kind (#187)", arguments: [false, true])
    func pair(isComputed: Bool) {
        func check<Object: KeyValueObservable>(_ heap: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Int]>) {
            watcher.watchElements(heap, keyPath)
            heap.willChangeValue(for: keyPath)
            heap.mutable(keyPath).append(1)
            heap.changeValue(for: keyPath) { heap[keyPath: keyPath] = [2] }
            #expect(log.take() == [])
            for _ in 0..<2 { heap.didChangeValue(for: keyPath) }
            #expect(log.take() == ["setting []→[2]"])
        }
        if isComputed { check(HandHeap(), \.pile) } else { check(heap, \.pile) }
    }

    @Test(
        "4.2 4.4 13.3 Setting and changing it in place stay silent, through a view, too; what is ignored is not told")
    func silent() {
        watcher.watchElements(heap, \.pile)
        let ignoring = watcher.watch(heap, \.pile)
        heap.pile = [1]
        heap.pile.append(2)
        heap.mutable(\.pile).value = [3]
        heap.mutable(\.pile).value.append(4)
        #expect(log.take() == [] && heap.pile == [3, 4])
        ignoring.ignoringChanges { heap.mutable(\.pile).append(1) }
        #expect(log.take() == ["insertion [2] ·→[1]"])
    }

    @Test("4.4 3.4 In a handler, each observer gets each change once, in the order in which they were made")
    func inHandler() {
        heap.observe(\.pile, options: .new) { [log] heap, change in
            log.addToMany(change, as: "first")
            if heap.pile.count < 3 { heap.mutable(\.pile).append(heap.pile.count) }
        }.store(in: kept)
        watcher.watchElements(heap, \.pile, as: "second")
        heap.mutable(\.pile).append(0)
        for observer in ["first", "second"] {
            #expect(
                log.lines.filter { $0.hasPrefix(observer) }
                    == (0..<3).map { "\(observer) insertion [\($0)] ·→[\($0)]" })
        }
    }

    @Test("4.4 So it is where a subclass overrides the property, whichever class's key path the view is made with")
    func overridden() {
        let heap = OverridingHeap()
        watcher.watchElements(heap, \.pile)
        heap.mutable(\.pile).append(1)
        (heap as Heap).mutable(\Heap.pile).append(2)
        // Behind an overridden getter it is a setting.
        #expect(log.take() == ["setting []→[1]", "setting [1]→[1, 2]"])
    }

    @Test("4.4 17.2 So it is of a property that several threads change")
    func shared() {
        let heap = SharedHeap()
        watcher.watchElements(heap, \.pile)
        watcher.watchElements(heap, \.total)
        heap.mutable(\.pile).append(1)
        heap.pile = [4]
        heap.mutable(\.pile)[0] = 5
        heap.mutable(\.pile).apply(
            KeyValueObservedChange(kind: .setting, oldValue: [], newValue: [6], keyPath: \SharedHeap.pile))
        #expect(
            log.take() == [
                "insertion [0] ·→[1]", "setting 0→1", "replacement [0] [4]→[5]", "setting 1→5", "setting [5]→[6]",
                "setting 5→6",
            ])
    }
}

/// Has stored collections that notify manually.
private class Heap: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var pile: [Int] = []
    @Observed var bag: Set<String> = []
    @Observed var table: [String: Int] = [:]
    var total: Int { pile.reduce(0, +) }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        ![\Heap.pile, \Heap.bag, \Heap.table].contains(keyPath)
    }

    class var keyPathsByKey: [String: AnyKeyPath] { ["pile": \Heap.pile] }
}

private final class OverridingHeap: Heap {
    override var pile: [Int] {
        get { super.pile }
        set { super.pile = newValue }
    }
}

/// Announces everything that it computes.
private final class HandHeap: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedPile: [Int] = []
    private var storedBag: Set<String> = []

    var pile: [Int] {
        get {
            accessValue(for: \.pile)
            return storedPile
        }
        set { changeValue(for: \.pile) { storedPile = newValue } }
    }
    var bag: Set<String> {
        get {
            accessValue(for: \.bag)
            return storedBag
        }
        set { changeValue(for: \.bag) { storedBag = newValue } }
    }
    var total: Int { pile.reduce(0, +) }
}

private final class SharedHeap: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var pile: [Int] = []
    var total: Int { pile.reduce(0, +) }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \SharedHeap.pile }
}

private final class Model: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var list: [Int] = []
}

private final class Yard: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var heap: Heap?
    @Observed var hand: HandHeap?
}
