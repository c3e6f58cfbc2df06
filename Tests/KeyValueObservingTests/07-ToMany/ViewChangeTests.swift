// Changes through views while others change the same, and a property's own willSet and didSet: 3.3 to 3.5 and 7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("7 Views, and handlers that change the same array")
struct ViewChangeTests {
    private let kept = Kept()
    private let log = Log()

    /// What a prior handler does first, what the view is asked to do then, and what comes of `abc`.
    static let priors:
        [(prior: @Sendable (Band) -> Void, call: @Sendable (ObservedMutableArray<String>) -> Void, left: String)] = [
            ({ $0.members = [] }, { $0.remove(at: 2) }, ""),
            ({ $0.members = [] }, { $0[2] = "x" }, ""),
            ({ $0.members = [] }, { $0.append("x") }, "x"),
            ({ $0.members = [] }, { $0.insert("x", at: 2) }, "x"),
            ({ $0.members = [] }, { $0.insert(contentsOf: ["x", "y"], at: RangeSet(0, 2)) }, "xy"),
            ({ $0.members = [] }, { $0.removeSubranges(RangeSet(0, 2)) }, ""),
            ({ $0.members = [] }, { $0.replaceSubranges(RangeSet(0, 2), with: ["x", "y"]) }, ""),
            ({ $0.members = [] }, { $0.replaceSubrange(1..<2, with: ["x", "y"]) }, "y"),
            ({ $0.members = [] }, { $0.replaceSubrange(0..<3, with: ["x"]) }, ""),
            ({ $0.members = [] }, { $0.removeAll() }, ""),
            ({ $0.members = [] }, { $0.swapAt(0, 2) }, ""),
            ({ $0.members = [] }, { $0.reverse() }, ""),
            ({ $0.members = [] }, { $0.moveSubranges(RangeSet(0), to: 3) }, ""),
            ({ $0.mutable(\.members).append("d") }, { $0.append("x") }, "abcdx"),
            ({ $0.mutable(\.members).insert("0", at: 0) }, { $0.sort(by: >) }, "cba0"),
            ({ $0.mutable(\.members).insert("0", at: 0) }, { $0.reverse() }, "cba0"),
            ({ $0.mutable(\.members).insert("0", at: 0) }, { $0.swapAt(0, 2) }, "ba0c"),
            ({ $0.mutable(\.members).insert("0", at: 0) }, { $0.moveSubranges(RangeSet(0), to: 3) }, "ab0c"),
            ({ $0.mutable(\.members).insert("0", at: 0) }, { $0.removeAll() }, ""),
            ({ $0.members = ["p", "q"] }, { $0.removeSubranges(RangeSet(1, 2)) }, "p"),
        ]

    @Test(
        "7.1 6.6 A path delivers elements where a setter keeps what it is given, and a setting where it does not",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func setterKeepsSomethingElse() {
        let (shelf, house) = (SmallShelf(), House())
        house.shelf = shelf
        house.observe(\.shelf!.books, options: [.old, .new]) { [log] in log.addToMany($1) }.store(in: kept)
        let books = shelf.mutable(\.books)
        books.append(1)
        books.append(2)
        #expect(log.take() == ["insertion [0] ·→[1]", "insertion [1] ·→[2]"])
        books.append(3)
        #expect(log.take() == ["setting [1, 2]→[1, 2]"])
        books.insert(0, at: 0)
        #expect(log.take() == ["setting [1, 2]→[0, 1]"])
    }

    @Test("7.1 A change that is kept keeps its positions, and not the object", arguments: [false, true])
    func keptChanges(hasPrior: Bool) {
        weak var last: Band?
        var changes: [KeyValueObservedChange<[String]>] = []
        do {
            let band = Band(["a", "b"])
            last = band
            let token = band.observe(\.members, options: hasPrior ? [.old, .new, .prior] : [.old, .new]) {
                if !$1.isPrior { changes.append($1) }
            }
            band.mutable(\.members).append("c")
            band.mutable(\.members).removeSubranges(RangeSet([0..<1, 2..<3]))
            band.mutable(\.members).swapAt(0, 0)
            band.mutable(\.members)[0] = "d"
            withExtendedLifetime(token) {}
        }
        #expect(last == nil)
        #expect(changes.map(\.indexes) == [RangeSet(2..<3), RangeSet([0..<1, 2..<3]), RangeSet(0..<1)])
        #expect(changes.map(\.newValue) == [["c"], nil, ["d"]])
        #expect(changes.map(\.oldValue) == [nil, ["a", "c"], ["b"]])
    }

    @Test(
        "3.5 After a prior handler a view changes what is there, and the whole is delivered",
        arguments: priors.indices)
    func afterPrior(index: Int) {
        let (prior, call, left) = Self.priors[index]
        let band = Band(["a", "b", "c"])
        var isFirst = true
        var replica = band.members
        let tokens = [
            band.observe(\.members, options: .prior) { band, change in
                guard change.isPrior, isFirst else { return }
                isFirst = false
                prior(band)
            },
            band.observe(\.members, options: [.old, .new]) { [log] _, change in
                log.addToMany(change)
                replica.replay(change)
            },
        ]
        call(band.mutable(\.members))
        #expect(band.members.joined() == left && replica == band.members, "\(log.take())")
        withExtendedLifetime(tokens) {}
    }

    @Test("7.1 3.5 A change of elements during which a getter sets the property is a setting of the whole")
    func overtakenElements() {
        let list = TrimmedList()
        let log = Log()
        [
            list.observe(\.rows, options: [.old, .new]) { log.add($1) }, list.observe(\.height) { _, _ in },
        ].store(in: kept)
        list.mutable(\.rows).append(3)
        #expect(log.take() == ["insertion ·→[3]"])
        list.mutable(\.rows).append(4)
        #expect(log.take().last?.hasSuffix("→[0]") ?? false && list.rows == [0])
    }

    @Test("7.1 Elements that are released by a change may read the property")
    func deinitReads() {
        let shelf = ReadingShelf()
        shelf.observe(\.items) { _, _ in }.store(in: kept)
        for _ in 0..<6 { shelf.items.append(ReadingShelf.Item(shelf)) }
        shelf.mutable(\.items).remove(at: 0)
        shelf.mutable(\.items).removeSubrange(0..<2)
        shelf.mutable(\.items)[0] = ReadingShelf.Item(shelf)
        shelf.mutable(\.items).removeAll()
        #expect(shelf.counts.count == 7 && shelf.items.isEmpty)
    }
}

extension [String] {
    fileprivate mutating func replay(_ change: KeyValueObservedChange<[String]>) {
        let positions = change.indexes.map { [Int]($0.ranges.joined()) } ?? []
        switch change.kind {
        case .setting: self = change.newValue ?? []
        case .insertion: for (position, new) in zip(positions, change.newValue ?? []) { insert(new, at: position) }
        case .removal: for position in positions.reversed() { remove(at: position) }
        case .replacement: for (position, new) in zip(positions, change.newValue ?? []) { self[position] = new }
        }
    }
}

private final class ReadingShelf: KeyValueObservable {
    final class Item {
        private unowned let shelf: ReadingShelf

        init(_ shelf: ReadingShelf) { self.shelf = shelf }

        deinit { shelf.counts.append(shelf.items.count) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Item] = []
    var counts: [Int] = []
}

/// Has room for two books.
private final class SmallShelf: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedBooks: [Int] = []
    var books: [Int] {
        get {
            accessValue(for: \.books)
            return storedBooks
        }
        set { changeValue(for: \.books) { storedBooks = Array(newValue.prefix(2)) } }
    }
}

private final class House: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var shelf: SmallShelf?
}

/// Reading its height may set its rows.
private final class TrimmedList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var rows: [Int] = []
    var height: Int {
        if rows.count > 1 { rows = [0] }
        return rows.count
    }
}

@Suite("3.3 7.1 The willSet and didSet of a property")
struct PropertyObserverTests {
    private let kept = Kept()
    let log = Log()

    @Test("3.3 Observers are called after willSet and before didSet")
    func order() {
        let dimmer = Dimmer(log)
        dimmer.observe(\.levels, options: [.prior, .old, .new]) { log.add($1) }.store(in: kept)
        dimmer.levels = [1]
        #expect(log.take() == ["willSet [1]", "prior []→·", "[]→[1]", "didSet []"])
    }

    @Test("7.1 A view changes what is stored, without willSet and didSet, and its observers are called")
    func view() {
        let dimmer = Dimmer(log)
        dimmer.observe(\.levels, options: .new) { log.add($1) }.store(in: kept)
        dimmer.mutable(\.levels).append(1)
        dimmer.mutable(\.levels).value = [2]
        #expect(log.take() == ["insertion ·→[1]", "·→[2]"])
    }

    @Test(
        "7.1 If the object's class overrides the property, a view calls the setter, and then the observers",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func overridden() {
        let dimmer = WatchedDimmer(log)
        (dimmer as Dimmer).observe(\.levels, options: .new) { log.add($1) }.store(in: kept)
        (dimmer as Dimmer).mutable(\.levels).append(1)
        #expect(log.take() == ["willSet [1]", "didSet []", "overridden didSet", "insertion ·→[1]"])
    }
}

private class Dimmer: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let log: Log
    @Observed var levels: [Int] = [] {
        willSet { log.add("willSet \(newValue)") }
        didSet { log.add("didSet \(oldValue)") }
    }

    init(_ log: Log) { self.log = log }
}

private final class WatchedDimmer: Dimmer {
    override var levels: [Int] {
        didSet { log.add("overridden didSet") }
    }
}
