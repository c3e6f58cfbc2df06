// What depends on shared properties: 17.3.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("17.3 Paths, computed properties and transactions with shared properties")
struct SharedPathTests {
    private let kept = Kept()
    private let tally = Tally()
    private let log = Log()

    @Test("17.3 Changes of two shared properties are one chain for what is computed from both, in any order")
    func computedOfTwo() {
        let pairs = Guarded<[(old: Int, new: Int)]>([])
        tally.observe(\.sum, options: [.old, .new]) { _, change in
            pairs.withLock { $0.append((change.oldValue!, change.newValue!)) }
        }.store(in: kept)
        onThreads(4) { thread in
            for _ in 0..<300 {
                if thread.isMultiple(of: 2) { tally.count += 1 } else { tally.other += 1 }
            }
        }
        #expect(breaks(pairs, from: 0, to: 1_200) == [:] && tally.sum == 1_200)
    }

    @Test("17.3 A path follows an object that other threads replace and change, in one chain to the value that it has")
    func replaced() {
        for _ in 0..<20 {
            let tally = Tally()
            let pairs = Guarded<[(old: Int, new: Int)]>([])
            let token = tally.observe(\.next?.count, options: [.old, .new]) { _, change in
                pairs.withLock { $0.append(((change.oldValue ?? nil) ?? -1, (change.newValue ?? nil) ?? -1)) }
            }
            let others = (0..<3).map { _ in Tally() }
            onThreads(3) { thread in
                for index in 0..<100 {
                    switch thread {
                    case 0: tally.next = others[index % 3]
                    default: others[index % 3].count += 1
                    }
                }
            }
            #expect(breaks(pairs, from: -1, to: tally.next!.count) == [:])
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.3 17.3 After an initial call changes arrive", arguments: [false, true])
    func afterInitial(isComputed: Bool) {
        let (tally, log) = (Tally(), Log())
        tally.observe(isComputed ? \.double : \.count, options: [.initial, .old, .new]) { log.add($1) }.store(in: kept)
        tally.count = 6
        #expect(log.take() == (isComputed ? ["·→0", "0→12"] : ["·→0", "0→6"]))
    }

    @Test(
        "6.6 17.3 Elements that change at the end of a path keep their kind and their places",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func elements() {
        let (root, tally, log) = (Tally(), Tally(), Log())
        root.next = tally
        tally.items = [1]
        root.observe(\.next?.items, options: [.old, .new]) { log.addToMany($1) }.store(in: kept)
        tally.mutable(\.items).append(2)
        tally.mutable(\.items).remove(at: 0)
        tally.items = []
        #expect(log.take() == ["insertion [1] ·→[2]", "removal [0] [1]→·", "setting [2]→[]"])
    }

    @Test("17.3 10.2 What a transaction evaluates twice is left to other threads")
    func evaluatedTwice() {
        let (restless, log) = (Restless(), log)
        [
            restless.observe(\.doubled, options: .new) { log.add($1, as: "doubled") },
            restless.observe(\.limited, options: .new) { log.add($1, as: "limited") },
        ].store(in: kept)
        withKeyValueTransaction { restless.count = 7 }
        #expect(log.take() == ["doubled ·→10", "limited ·→5"])
        onThreads(1) { _ in restless.count = 3 }
        #expect(log.take() == ["doubled ·→6", "limited ·→3"])
    }

    @Test("P4 17.3 What is registered during an access takes part in the evaluation that waits for its end")
    func registeredDuringAccess() {
        let log = log
        let early = tally.observe(\.sum, options: [.old, .new]) { log.add($1, as: "early") }
        var late: KeyValueObservation?
        inPlace(&tally.count) {
            tally.other = 5
            late = tally.observe(\.sum, options: [.old, .new]) { log.add($1, as: "late") }
            $0 = 1
        }
        #expect(log.take() == ["early 0→6", "late 0→6"])
        withExtendedLifetime((early, late)) {}
    }

    @Test("17.3 10.2 A transaction's deliveries of shared properties wait for its end, one for each")
    func transaction() {
        let log = log
        [
            tally.observe(\.count, options: [.old, .new]) { log.add($1, as: "count") },
            tally.observe(\.sum, options: [.old, .new]) { log.add($1, as: "sum") },
            tally.observe(\.other, options: [.old, .new]) { log.add($1, as: "other") },
        ].store(in: kept)
        withKeyValueTransaction {
            tally.count = 1
            tally.other = 2
            tally.count += 2
            #expect(log.lines.isEmpty && tally.sum == 5)
        }
        #expect(log.take() == ["count 0→3", "sum 0→5", "other 0→2"])
        tally.count = 4
        #expect(log.take() == ["count 3→4", "sum 5→6"])
    }

    @Test("7.1 7.5 Views of shared collections deliver elements; replaying them gives the value, from several threads")
    func replay() {
        let copy = Guarded<[Int]>([])
        tally.observe(\.items, options: [.old, .new]) { _, change in copy.withLock { change.apply(to: &$0) } }.store(
            in: kept)
        onThreads(4) { thread in
            for index in 0..<100 {
                let view = tally.mutable(\.items)
                switch index % 4 {
                case 0: view.append(thread)
                case 1: view.insert(contentsOf: [thread, index], at: 0)
                case 2: view.removeAll { $0 == index - 2 }
                default: if thread == 0 { view.reverse() } else { tally.items.append(index) }
                }
            }
        }
        #expect(copy.withLock { $0 } == tally.items)
    }

    @Test("17.1 17.2 3.3 A call of a view that makes two changes is one step: what a handler sets comes after both")
    func handlerSetsWithinACall() {
        let tally = Tally()
        let log = Log()
        tally.items = [1, 2]
        tally.observe(\.items, options: [.old, .new]) { tally, change in
            log.add(change)
            if change.kind == .replacement { tally.items = [] }
        }.store(in: kept)
        tally.mutable(\.items).replaceSubrange(0..<1, with: [7, 8])
        #expect(log.take() == ["replacement [1]→[7]", "insertion ·→[8]", "[7, 8, 2]→[]"])
        #expect(tally.items == [])
    }
}

/// The values that are not left as often as they are reached, in what several threads delivered in whichever order.
private func breaks(_ pairs: Guarded<[(old: Int, new: Int)]>, from first: Int, to last: Int) -> [Int: Int] {
    var balance = [first: -1]
    balance[last, default: 0] += 1
    for pair in pairs.withLock({ $0 }) {
        balance[pair.old, default: 0] += 1
        balance[pair.new, default: 0] -= 1
    }
    return balance.filter { $0.value != 0 }
}

/// A getter keeps the count that it reads below 6.
private final class Restless: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var count = 0

    var doubled: Int { count * 2 }
    var limited: Int {
        if count > 5 { count = 5 }
        return count
    }
}
