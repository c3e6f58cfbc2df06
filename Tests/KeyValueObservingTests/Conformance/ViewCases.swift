// Conformance: mutable proxies, cases #308–#318.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 15: mutable proxies")
struct ViewCases {
    private let chest = Chest()

    @Test("#308 A view of an array that notifies by hand reads and writes through its accessors")
    func byHand() {
        let log = Log()
        let token = chest.observe(\.coins, options: [.old, .new]) { log.addToMany($1) }
        let view = chest.mutable(\.coins)
        view.insert(1, at: 0)
        #expect(chest.sets == 1 && view.count == 1 && view[0] == 1)
        #expect(log.take() == ["insertion [0] ·→[1]"])
        withExtendedLifetime(token) {}
    }

    @Test("#309 A getter and a setter are called with the new array")
    func setter() {
        chest.mutable(\.coins).append(1)
        chest.mutable(\.coins).append(2)
        #expect(chest.lastSet == [1, 2] && chest.sets == 2)
    }

    @Test("#312 #317 Each operation on a set is one set of the property, whatever the number of members")
    func setOperations() {
        let view = chest.mutable(\.gems)
        view.insert(1)
        view.remove(1)
        view.formUnion([1, 2, 3])
        view.subtract([1])
        view.formIntersection([2])
        view.set([4, 5])
        #expect(chest.gemSets == 6 && chest.gems == [4, 5])
        view.formUnion([4])
        #expect(chest.gemSets == 6)
    }

    @Test("#313 A view of a set follows its replacement and starts from an empty one")
    func setFollows() {
        let view = chest.mutable(\.gems)
        #expect(view.isEmpty)
        chest.gems = [7]
        #expect(view.contains(7) && view.count == 1)
        view.insert(8)
        #expect(chest.gems == [7, 8])
    }

    @Test("#314 Every step through a getter and a setter equals the same on a plain array")
    func steps() {
        let view = chest.mutable(\.coins)
        var plain: [Int] = []
        func expectSame(at location: SourceLocation = #_sourceLocation) {
            #expect(Array(view) == plain && chest.coins == plain, sourceLocation: location)
        }
        view.append(1)
        plain.append(1)
        expectSame()
        view.insert(2, at: 0)
        plain.insert(2, at: 0)
        expectSame()
        view.removeLast()
        plain.removeLast()
        expectSame()
        view[0] = 3
        plain[0] = 3
        expectSame()
        view.remove(at: 0)
        plain.remove(at: 0)
        expectSame()
        view.insert(contentsOf: [4, 5, 6], at: 0)
        plain.insert(contentsOf: [4, 5, 6], at: 0)
        expectSame()
        view.removeAll()
        plain.removeAll()
        expectSame()
        #expect(plain.isEmpty)
    }

    @Test("#316 Elements are removed in either order")
    func removeOrders() {
        let view = chest.mutable(\.coins)
        view.append(contentsOf: [1, 2])
        view.remove(at: 0)
        view.remove(at: 0)
        view.append(contentsOf: [1, 2])
        view.remove(at: 1)
        view.remove(at: 0)
        #expect(chest.coins == [])
    }

    @Test("#318 Comparing reads only; adding and removing set once each")
    func setAccessors() {
        let view = chest.mutable(\.gems)
        #expect(Set(view) == [] && chest.gemSets == 0)
        view.insert(1)
        #expect(chest.gemSets == 1)
        view.remove(1)
        #expect(chest.gemSets == 2)
    }
}

private final class Chest: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedCoins: [Int] = []
    @Observed private var storedGems: Set<Int> = []
    private(set) var sets = 0
    private(set) var lastSet: [Int] = []
    private(set) var gemSets = 0

    var coins: [Int] {
        get {
            accessValue(for: \.coins)
            return storedCoins
        }
        set {
            sets += 1
            lastSet = newValue
            willChangeValue(for: \.coins)
            storedCoins = newValue
            didChangeValue(for: \.coins)
        }
    }

    var gems: Set<Int> {
        get { storedGems }
        set {
            gemSets += 1
            storedGems = newValue
        }
    }
}
