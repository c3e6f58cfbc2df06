// The order in which changes of a shared property are delivered: 17.2.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("17.2 Changes of a shared property are delivered in the order of the stores")
struct SharedOrderTests {
    private let tally = Tally()
    private let log = Log()

    @Test("17.2 Every observer gets every change once, one at a time, in one chain", arguments: [1, 3])
    func chain(observers: Int) {
        let chains = (0..<observers).map { _ in LockedChain() }
        let isInside = LockedChain()
        let tokens = chains.map { chain in
            tally.observe(\.count, options: [.old, .new]) { _, change in
                isInside.enter()
                chain.add(change.oldValue, change.newValue)
                isInside.leave()
            }
        }
        onThreads(6) { thread in
            for index in 0..<500 {
                if index.isMultiple(of: 3) { tally.count += 1 } else { tally.count = thread * 1_000 + index }
            }
        }
        for chain in chains {
            #expect(chain.chain.isWhole && chain.chain.length == 3_000 && chain.chain.last == tally.count)
        }
        #expect(!isInside.wereTwoInside)
        withExtendedLifetime(tokens) {}
    }

    @Test("17.2 Whoever stores while another thread delivers does not wait for its handlers")
    func handingOver() {
        let (isInHandler, hasStored) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = log
        let (deliverer, first) = (Log(), Log())
        let token = tally.observe(\.count, options: [.old, .new]) { _, change in
            log.add(change)
            deliverer.add("\(ObjectIdentifier(Thread.current))")
            guard change.newValue == 1 else { return }
            isInHandler.signal()
            hasStored.wait()
        }
        onThreads(2) { thread in
            if thread == 0 {
                first.add("\(ObjectIdentifier(Thread.current))")
                tally.count = 1
            } else {
                isInHandler.wait()
                tally.count = 2
                #expect(tally.count == 2 && log.lines == ["0→1"])
                tally.count += 1
                #expect(tally.count == 3 && log.lines == ["0→1"])
                hasStored.signal()
            }
        }
        #expect(log.take() == ["0→1", "1→2", "2→3"])
        #expect(Set(deliverer.take()) == Set(first.take()))
        withExtendedLifetime(token) {}
    }

    @Test("17.2 Two properties have two orders: threads that deliver one and set the other do not wait for each other")
    func crosswise() {
        let tokens = [
            tally.observe(\.count, options: .new) { tally, change in
                if change.newValue! > 0 { tally.other = -change.newValue! }
            },
            tally.observe(\.other, options: .new) { tally, change in
                if change.newValue! > 0 { tally.count = -change.newValue! }
            },
        ]
        onThreads(2) { thread in
            for index in 1...2_000 {
                if thread == 0 { tally.count = index } else { tally.other = index }
            }
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "17.2 .prior traps at registration, on the property and at a path that is seen to end there",
        arguments: [0, 1, 2])
    func prior(way: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way] in
            let tally = Tally()
            tally.next = Tally()
            if way == 2 { _ = tally.observe(\.count) { _, _ in } }
            let keyPath = way == 1 ? \Tally.next!.count : \Tally.count
            _ = tally.observe(keyPath, options: .prior) { _, _ in }
        }
        let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(error.contains(".prior is not possible at count"))
        #expect(error.contains("@ObservedShared"))
    }

    @Test("4.1 A change of a shared property cannot be announced manually, for it announces itself")
    func manual() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tally = Tally()
            let token = tally.observe(\.count) { _, _ in }
            tally.willChangeValue(for: \.count)
            withExtendedLifetime(token) {}
        }
        let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(error.contains("Changes of count of a Tally cannot be announced manually"))
    }

    @Test("9.1 1.3 Who registers while others change the property misses nothing after its initial value")
    func registering() {
        for _ in 0..<20 {
            let tally = Tally()
            let chains = (0..<4).map { _ in LockedChain() }
            let tokens = SharedTokens()
            onThreads(6) { thread in
                if thread < 2 {
                    for _ in 0..<300 { tally.count += 1 }
                } else {
                    let chain = chains[thread - 2]
                    tokens.add(
                        tally.observe(\.count, options: [.new]) { _, change in chain.addNew(change.newValue!) })
                }
            }
            tally.count += 1
            for chain in chains {
                // Without a gap from the first one on.
                #expect(chain.news == Array((chain.news.first ?? 0)...601))
            }
            _ = tokens
        }
    }

    @Test("9.3 Nothing is delivered after a registration has been ended, by whichever thread")
    func ending() {
        let tally = Tally()
        let ended = LockedChain()
        let tokens = SharedTokens()
        for _ in 0..<200 {
            tokens.add(
                tally.observe(\.count) { _, _ in
                    ended.enter()
                    ended.leave()
                })
        }
        onThreads(3) { thread in
            if thread < 2 {
                for _ in 0..<200 { tally.count += 1 }
            } else {
                tokens.end()
            }
        }
        let before = ended.entries
        tally.count += 1
        #expect(ended.entries == before)
    }

    @Test(
        "13.3 What a thread ignores is ignored, and nothing else, whichever thread delivers it",
        arguments: [true, false])
    func ignoring(delivererIgnores: Bool) {
        let (isInHandler, hasStored) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (log, tally) = (log, tally)
        let others = Log()
        let gate = tally.observe(\.count, options: .new) { _, change in
            others.add(change)
            guard change.newValue == 1 else { return }
            isInHandler.signal()
            hasStored.wait()
        }
        let token = tally.observe(\.count, options: [.old, .new]) { log.add($1) }
        onThreads(2) { thread in
            if thread == 0 {
                if delivererIgnores {
                    token.ignoringChanges {
                        tally.count = 1
                        tally.count = 5
                    }
                } else {
                    tally.count = 1
                    tally.count = 5
                }
            } else {
                isInHandler.wait()
                tally.count = 2
                token.ignoringChanges { tally.count = 3 }
                tally.count = 4
                hasStored.signal()
            }
        }
        #expect(log.take() == (delivererIgnores ? ["1→2", "3→4"] : ["0→1", "1→2", "3→4", "4→5"]))
        #expect(others.take() == ["·→1", "·→2", "·→3", "·→4", "·→5"])
        withExtendedLifetime(gate) {}
    }

    @Test("17.2 10.2 After a transaction has set a shared property, another thread that sets it delivers")
    func afterATransaction() {
        let (tally, log) = (tally, log)
        let token = tally.observe(\.count, options: [.old, .new]) { log.add($1) }
        withKeyValueTransaction { tally.count = 1 }
        onThreads(1) { _ in tally.count = 2 }
        #expect(log.take() == ["0→1", "1→2"])
        withExtendedLifetime(token) {}
    }
}

/// A chain, and who is inside a handler, behind a lock.
final class LockedChain: @unchecked Sendable {
    private let lock = NSLock()
    private var contents = ValueChain()
    private var inside = 0
    private(set) var entries = 0
    private(set) var wereTwoInside = false
    private(set) var news: [Int] = []

    var chain: ValueChain { lock.withLock { contents } }
    func add(_ old: Int?, _ new: Int?) { lock.withLock { contents.add(old, new) } }
    func addNew(_ new: Int) { lock.withLock { news.append(new) } }
    func enter() {
        lock.withLock {
            inside += 1
            entries += 1
            if inside > 1 { wereTwoInside = true }
        }
    }
    func leave() { lock.withLock { inside -= 1 } }
}

/// SharedTokens that several threads make.
final class SharedTokens: @unchecked Sendable {
    private let lock = NSLock()
    private var tokens: [KeyValueObservation] = []

    func add(_ token: KeyValueObservation) { lock.withLock { tokens.append(token) } }
    func end() { for token in lock.withLock({ tokens }) { token.invalidate() } }
}
