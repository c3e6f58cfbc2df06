// Getters, announcements, accesses in place and changes of elements where they meet: 3.5, 7.5 and others.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Getters, announcements and elements that meet")
struct OverlapDetailTests {
    private let log = Log()

    @Test("3.5 While the way to a collection is accessed in place, a change of its elements reads nothing on the way")
    func elementsWithinAnAccess() async {
        await #expect(processExitsWith: .success) {
            let (rack, box) = (Rack(), SpecialBox())
            rack.box = box
            var news: [[Int]?] = []
            let token = rack.observe(\.box.items, options: .new) { news.append($1.newValue) }
            access(&rack.box) { (box as Box).mutable(\.items).append(1) }
            #expect(news == [[1]])
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.4 A getter that changes what it reads each time it is called from outside ends", .timeLimit(.minutes(10)))
    func restlessGetter() {
        let restless = Restless()
        let chain = Chain<Int>()
        let token = restless.observe(\.shown, options: [.old, .new]) { chain.add($1) }
        restless.isRestless = true
        restless.source = 5
        restless.isRestless = false
        restless.source = 6
        #expect(restless.shown == 6)
        withExtendedLifetime(token) {}
    }

    @Test("7.5 Elements are delivered although a handler that is called before them has the path notified")
    func elementsAfterAPrior() {
        let (rack, box) = (Rack(), SpecialBox())
        box.items = [1]
        rack.box = box
        var replica = box.items
        let tokens = [
            rack.observe(\.box.items, options: [.old, .new]) {
                log.add($1)
                $1.apply(to: &replica)
            },
            (box as Box).observe(\.items, options: .prior) { if $1.isPrior { rack.box = $0 } },
        ]
        (box as Box).mutable(\.items).append(2)
        #expect(replica == [1, 2])
        #expect(log.take() == ["[1]→[1]", "insertion ·→[2]"])
        withExtendedLifetime(tokens) {}
    }

    @Test("7.1 A setter that stores something else, and announces that, delivers a setting with the whole old value")
    func sortingSetter() {
        let sorting = Sorting()
        let token = sorting.observe(\.list, options: [.old, .new]) { log.add($1) }
        sorting.mutable(\.list).append(1)
        #expect(log.take() == ["[2]→[1, 2]"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 What is computed from a property that is announced within an access is evaluated once")
    func announcedWithinAnAccess() {
        let meter = Meter()
        let token = meter.observe(\.counted, options: .new) { log.add($1) }
        withKeyValueTransaction {
            meter.quiet.change {
                meter.willChangeValue(for: \.quiet)
                $0 = 1
                meter.didChangeValue(for: \.quiet)
            }
            meter.other = 1
            meter.evaluations = 0
            meter.other = 2
            #expect(meter.evaluations == 0)
            meter.other = 3
        }
        #expect(meter.evaluations == 1 && log.take() == ["·→4"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "2.3 The new value is one snapshot for observers of an announced property and of a path to it")
    func oneSnapshot() {
        let (source, holder) = (Source(), SourceHolder())
        holder.source = source
        var seen: [ObjectIdentifier?] = []
        let tokens = [
            source.observe(\.fresh, options: .new) { seen.append($1.newValue.map { ObjectIdentifier($0) }) },
            holder.observe(\.source.fresh, options: .new) { seen.append($1.newValue.map { ObjectIdentifier($0) }) },
        ]
        source.changeValue(for: \.fresh) {}
        #expect(seen.count == 2 && seen[0] == seen[1] && seen[0] != nil)
        withExtendedLifetime(tokens) {}
    }

    @Test("1.6 3.5 A change that is announced within an access and ends after it keeps nothing alive")
    func endedAfterTheAccess() {
        weak var weakBox: Box?
        do {
            let box = Box()
            weakBox = box
            let token = box.observe(\.reads, options: [.old, .new]) { log.add($1) }
            box.willChangeValue(for: \.reads)
            box.reads.change {
                $0 = 3
                box.didChangeValue(for: \.reads)
            }
            #expect(log.take() == ["0→3"])
            withExtendedLifetime(token) {}
        }
        #expect(weakBox == nil)
    }
}

private class Box: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Int] = []
    @Observed var reads = 0
    var total: Int { items.count + reads }
}

private final class SpecialBox: Box {
    override var items: [Int] {
        get { super.items }
        set { super.items = newValue }
    }
}

private final class Rack: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var box = Box()
}

private final class Restless: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var source = 0
    @Observed private var turns = 0
    var isRestless = false
    private var isInside = false
    var shown: Int {
        if isRestless, !isInside {
            isInside = true
            turns += 1
            isInside = false
        }
        return source + turns * 0
    }
}

private final class Board: KeyValueObservable {
    final class Card {}

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var readsList = false
    @Observed var card: Card?
    var onRead: ((Board) -> Void)?

    func clearSilently() { _card = Observed(wrappedValue: nil) }

    var list: [Int] {
        accessValue(for: \.list)
        onRead?(self)
        return [0]
    }

    var shown: Card? {
        if readsList { _ = list }
        return card
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Board.list }
}

/// Keeps its numbers in order.
private final class Sorting: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var numbers = [2]
    var list: [Int] {
        get {
            accessValue(for: \.list)
            return numbers
        }
        set { changeValue(for: \.list) { numbers = newValue.sorted() } }
    }
}

private final class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var other = 0
    @Observed var quiet = 0
    var evaluations = 0
    var counted: Int {
        evaluations += 1
        return other + quiet
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Meter.quiet }
}

private final class Source: KeyValueObservable {
    final class Item {}

    let keyValueRegistrar = KeyValueRegistrar()
    var fresh: Item {
        accessValue(for: \.fresh)
        return Item()
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Source.fresh }
}

private final class SourceHolder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var source = Source()
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}

@inline(never) private func access(_ box: inout Box, _ body: () -> Void) { body() }
