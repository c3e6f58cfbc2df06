// Getters that set a collection while some of its elements change: 7.5.
import KeyValueObserving
import TestSupport
import Testing

private final class Pantry: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items = [1, 2, 3, 4]
    @Observed var slice = [0, 1, 2, 3, 4][1...]
    @Observed var tags: Set<Int> = [1, 2]
    @Observed var table = ["a": 1, "b": 2]
    /// What a getter does when it is evaluated next.
    var once: (() -> Void)?

    private func runOnce() {
        let body = once
        once = nil
        body?()
    }

    var count: Int {
        let count = items.count + slice.count + tags.count + table.count
        runOnce()
        return count
    }
}

@Suite("7.5 3.5 Getters that set a collection while some of its elements change")
struct GettersInElementChangesTests {
    private let pantry = Pantry()
    private let log = Log()

    private static let arrayChanges: [@Sendable (ObservedMutableArray<Int>) -> Void] = [
        { $0.append(5) },
        { $0.append(contentsOf: [5, 6]) },
        { $0.insert(0, at: 0) },
        { $0.insert(contentsOf: [7, 8], at: 2) },
        { $0.remove(at: 1) },
        { $0.removeLast() },
        { $0.removeSubrange(1..<3) },
        { $0.removeAll() },
        { $0.removeAll { $0.isMultiple(of: 2) } },
        { $0[2] = 9 },
        { $0.reverse() },
    ]

    @Test(
        "7.5 A change of elements of an array is one of the whole value then, with the value before it",
        arguments: 0..<11)
    func arrays(way: Int) {
        let log = log
        var copy = pantry.items
        let tokens = [
            pantry.observe(\.count) { _, _ in },
            pantry.observe(\.items, options: [.old, .new]) { _, change in
                log.add(change)
                change.apply(to: &copy)
            },
        ]
        pantry.once = { [unowned pantry] in pantry.items = [10] }
        Self.arrayChanges[way](pantry.mutable(\.items))
        #expect(log.take() == ["[1, 2, 3, 4]→[10]"])
        #expect(copy == pantry.items)
        Self.arrayChanges[0](pantry.mutable(\.items))
        #expect(log.take() == ["insertion ·→[5]"])
        withExtendedLifetime(tokens) {}
    }

    @Test("7.5 So it is for slices, sets and dictionaries", arguments: 0..<9)
    func otherCollections(way: Int) {
        let log = log
        var (slice, tags, table) = (pantry.slice, pantry.tags, pantry.table)
        let tokens: [KeyValueObservation] = [
            pantry.observe(\.count) { _, _ in },
            pantry.observe(\.slice, options: [.old, .new]) { _, change in
                log.add("\(change.kind) \(change.oldValue!.map(\.self)) \(change.newValue!.map(\.self))")
                change.apply(to: &slice)
            },
            pantry.observe(\.tags, options: [.old, .new]) { _, change in
                log.add("\(change.kind) \(change.oldValue!.sorted()) \(change.newValue!.sorted())")
                change.apply(to: &tags)
            },
            pantry.observe(\.table, options: [.old, .new]) { _, change in
                log.add("\(change.kind) \(change.oldValue!.keys.sorted()) \(change.newValue!.keys.sorted())")
                change.apply(to: &table)
            },
        ]
        pantry.once = { [unowned pantry] in
            switch way {
            case 0...2: pantry.slice = [10]
            case 3...5: pantry.tags = [10]
            default: pantry.table = ["z": 10]
            }
        }
        switch way {
        case 0: pantry.mutable(\.slice).removeAll()
        case 1: pantry.mutable(\.slice).insert(7, at: 2)
        case 2: pantry.mutable(\.slice).remove(at: 1)
        case 3: pantry.mutable(\.tags).insert(3)
        case 4: pantry.mutable(\.tags).removeAll()
        case 5: pantry.mutable(\.tags).formSymmetricDifference([2])
        case 6: pantry.mutable(\.table)["c"] = 3
        case 7: pantry.mutable(\.table).removeAll()
        default: pantry.mutable(\.table)["a"] = 5
        }
        let expected =
            switch way {
            case 0...2: "setting [1, 2, 3, 4] [10]"
            case 3...5: "setting [1, 2] [10]"
            default: #"setting ["a", "b"] ["z"]"#
            }
        #expect(log.take() == [expected])
        #expect(slice == pantry.slice && tags == pantry.tags && table == pantry.table)
        withExtendedLifetime(tokens) {}
    }

    @Test("7.5 What a getter changes before the store, in place, or by a view, counts too", arguments: 0..<6)
    func inPlace(way: Int) {
        let log = log
        var copy = pantry.items
        let tokens = [
            // The old value is read before the store.
            pantry.observe(\.count, options: way < 3 ? .old : []) { _, _ in },
            pantry.observe(\.items, options: [.old, .new]) { _, change in
                log.add(change)
                change.apply(to: &copy)
            },
        ]
        pantry.once = { [unowned pantry] in
            switch way % 3 {
            case 0: pantry.items.removeFirst()
            case 1: pantry.mutable(\.items).removeFirst()
            default: pantry.items = [2, 2]
            }
        }
        pantry.mutable(\.items).append(5)
        let items = pantry.items
        #expect(items == (way < 5 ? way == 2 ? [2, 2, 5] : [2, 3, 4, 5] : [2, 2]))
        #expect(log.take() == ["[1, 2, 3, 4]→\(items)"])
        #expect(copy == items)
        withExtendedLifetime(tokens) {}
    }

    @Test("7.5 2.4 So it does where a handler that is called before the change has set the collection already")
    func afterAPriorCall() {
        let log = log
        var copy = pantry.items
        let tokens = [
            pantry.observe(\.count) { _, _ in },
            pantry.observe(\.items, options: [.old, .new, .prior]) { pantry, change in
                log.add(change)
                if change.isPrior {
                    pantry.items = [7, 8]
                    pantry.once = { [unowned pantry] in pantry.items.append(10) }
                }
                change.apply(to: &copy)
            },
        ]
        pantry.mutable(\.items).append(5)
        #expect(pantry.items == [7, 8, 5, 10])
        #expect(log.take() == ["prior insertion ·→·", "[1, 2, 3, 4]→[7, 8, 5, 10]"])
        #expect(copy == pantry.items)
        withExtendedLifetime(tokens) {}
    }
}
