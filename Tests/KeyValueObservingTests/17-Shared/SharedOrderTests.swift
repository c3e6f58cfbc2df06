// The order in which changes of a shared property are delivered: 17.2.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("17.2 Changes of a shared property are delivered in the order of the stores")
struct SharedOrderTests {
    private let kept = Kept()
    private let tally = Tally()
    private let log = Log()

    @Test("17.2 Every observer gets every change once, one at a time, in one chain", arguments: [1, 3])
    func chain(observers: Int) {
        let chains = (0..<observers).map { _ in Guarded(ValueChain()) }
        let inside = Guarded((now: 0, most: 0))
        chains.map { chain in
            tally.observe(\.count, options: [.old, .new]) { _, change in
                inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                chain.withLock { $0.add(change.oldValue, change.newValue) }
                inside.withLock { $0.now -= 1 }
            }
        }.store(in: kept)
        onThreads(6) { thread in
            for index in 0..<500 {
                if index.isMultiple(of: 3) { tally.count += 1 } else { tally.count = thread * 1_000 + index }
            }
        }
        for chain in chains.map({ $0.withLock { $0 } }) {
            #expect(chain.isWhole && chain.length == 3_000 && chain.last == tally.count)
        }
        #expect(inside.withLock { $0.most } == 1)
    }

    @Test("17.2 Whoever stores while another thread delivers does not wait for its handlers")
    func handingOver() {
        let (isInHandler, hasStored) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = log
        let (deliverer, first) = (Log(), Log())
        tally.observe(\.count, options: [.old, .new]) { _, change in
            log.add(change)
            deliverer.add("\(ObjectIdentifier(Thread.current))")
            guard change.newValue == 1 else { return }
            isInHandler.signal()
            hasStored.wait()
        }.store(in: kept)
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
    }

    @Test("17.2 Two properties have two orders: threads that deliver one and set the other do not wait for each other")
    func crosswise() async {
        await #expect(processExitsWith: .success) {
            stopsItself {
                let (tally, counts, others) = (Tally(), Guarded(ValueChain()), Guarded(ValueChain()))
                let tokens = [
                    tally.observe(\.count, options: [.old, .new]) { tally, change in
                        counts.withLock { $0.add(change.oldValue, change.newValue) }
                        if change.newValue! > 0 { tally.other = -change.newValue! }
                    },
                    tally.observe(\.other, options: [.old, .new]) { tally, change in
                        others.withLock { $0.add(change.oldValue, change.newValue) }
                        if change.newValue! > 0 { tally.count = -change.newValue! }
                    },
                ]
                onThreads(2) { thread in
                    for index in 1...2_000 {
                        if thread == 0 { tally.count = index } else { tally.other = index }
                    }
                }
                // Each set is delivered once, as is the one that its handler makes of the other property.
                for (chain, last) in [(counts, tally.count), (others, tally.other)] {
                    let chain = chain.withLock { $0 }
                    #expect(chain.isWhole && chain.length == 4_000 && chain.last == last)
                }
                withExtendedLifetime(tokens) {}
            }
        }
    }

    @Test(
        "17.2 .prior traps at registration, on the property and at a path that ends there",
        .enabled(if: hasReflectionMetadata),
        arguments: RuntimeAssumption.keyPathComponents.holds ? [0, 1, 2] : [0, 2])
    func prior(way: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way] in
            let tally = Tally()
            tally.next = Tally()
            if way == 2 { _ = tally.observe(\.count) { _, _ in } }
            let keyPath = way == 1 ? \Tally.next!.count : \Tally.count
            _ = tally.observe(keyPath, options: .prior) { _, _ in }
        }
        #expect(words(".prior is not possible at count", "@ObservedShared", missingIn: message(of: result)) == [])
    }

    @Test(
        "4.1 A change of a shared property cannot be announced manually, for it announces itself",
        .enabled(if: hasReflectionMetadata))
    func manual() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tally = Tally()
            let token = tally.observe(\.count) { _, _ in }
            tally.willChangeValue(for: \.count)
            withExtendedLifetime(token) {}
        }
        #expect(words("Changes of count of a Tally cannot be announced manually", missingIn: message(of: result)) == [])
    }

    @Test("9.1 1.3 A registration made while other threads change the property misses nothing after its initial value")
    func registering() {
        for _ in 0..<20 {
            let tally = Tally()
            let chains = (0..<4).map { _ in Guarded<[Int]>([]) }
            let tokens = Guarded<[KeyValueObservation]>([])
            onThreads(6) { thread in
                if thread < 2 {
                    for _ in 0..<300 { tally.count += 1 }
                } else {
                    let chain = chains[thread - 2]
                    let token = tally.observe(\.count, options: .new) { _, change in
                        chain.withLock { $0.append(change.newValue!) }
                    }
                    tokens.withLock { $0.append(token) }
                }
            }
            tally.count += 1
            for news in chains.map({ $0.withLock { $0 } }) {
                // Without a gap from the first one on.
                #expect(news == Array((news.first ?? 0)...601))
            }
            _ = tokens
        }
    }

    @Test("9.3 Nothing is delivered after a registration has been ended, by whichever thread")
    func ending() {
        let tally = Tally()
        let calls = Guarded(0)
        let tokens = Guarded<[KeyValueObservation]>([])
        for _ in 0..<200 {
            let token = tally.observe(\.count) { _, _ in calls.withLock { $0 += 1 } }
            tokens.withLock { $0.append(token) }
        }
        onThreads(3) { thread in
            if thread < 2 {
                for _ in 0..<200 { tally.count += 1 }
            } else {
                for token in tokens.withLock({ $0 }) { token.invalidate() }
            }
        }
        let before = calls.withLock { $0 }
        tally.count += 1
        #expect(calls.withLock { $0 } == before)
    }

    @Test(
        "13.3 What a thread ignores is ignored, and no more, whichever thread delivers it",
        arguments: [true, false])
    func ignoring(delivererIgnores: Bool) {
        let (isInHandler, hasStored) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (log, tally) = (log, tally)
        let others = Log()
        tally.observe(\.count, options: .new) { _, change in
            others.add(change)
            guard change.newValue == 1 else { return }
            isInHandler.signal()
            hasStored.wait()
        }.store(in: kept)
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
    }

    @Test("17.2 10.2 What another thread stores during a transaction is delivered after what that has stored")
    func storedDuringTransaction() {
        let (tally, log) = (Tally(), Log())
        let token = tally.observe(\.count) { @Sendable in log.add($1) }
        withKeyValueTransaction {
            tally.count = 1
            onThreads(1) { _ in tally.count = 2 }
            #expect(log.lines == [])
        }
        #expect(log.take() == ["0→1", "1→2"])
        onThreads(1) { _ in tally.count = 3 }
        #expect(log.take() == ["2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("17.2 10.2 After a transaction has set a shared property, another thread that sets it delivers")
    func afterATransaction() {
        let (tally, log) = (tally, log)
        tally.observe(\.count, options: [.old, .new]) { log.add($1) }.store(in: kept)
        withKeyValueTransaction { tally.count = 1 }
        onThreads(1) { _ in tally.count = 2 }
        #expect(log.take() == ["0→1", "1→2"])
    }
}
