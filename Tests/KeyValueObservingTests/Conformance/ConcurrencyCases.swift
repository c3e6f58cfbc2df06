// Conformance cases of group 19: several threads that change, observe and cancel.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 19: concurrency")
struct ConcurrencyCases {
    private let shared = Shared()
    private let counter = SharedCounter()

    /// Runs `body` so many times, on as many threads as there are.
    private func concurrently(_ count: Int, _ body: @Sendable (Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: count, execute: body)
    }

    @Test("#337 Four threads that write 250 times each make exactly 1,000 deliveries (9.2)")
    func exactCount() {
        let token = shared.observe(\.text, options: [.old, .new]) { [counter] _, change in
            if change.newValue != nil, change.oldValue != nil { counter.add() }
        }
        concurrently(4) { [shared] thread in
            for round in 0..<250 { shared.locked { $0.text = "\(thread) \(round)" } }
        }
        #expect(counter.count == 1_000)
        withExtendedLifetime(token) {}
    }

    @Test("#337 Writes from four threads, through a path and to the sources of a property, are delivered exactly (9.2)")
    func exactCountOfPaths() {
        shared.child = Shared()
        let computed = SharedCounter()
        let tokens = [
            shared.observe(\.child?.number) { [counter] _, _ in counter.add() },
            shared.observe(\.sum) { _, _ in computed.add() },
        ]
        concurrently(4) { [shared] _ in
            for round in 0..<250 {
                shared.locked {
                    switch round % 3 {
                    case 0: $0.child = Shared()
                    case 1: $0.child?.number += 1
                    default: $0.number += 1
                    }
                }
            }
        }
        // Of 250 rounds 84 replace the child, 83 change it and 83 the number that is added to its own.
        #expect(counter.count == 4 * (84 + 83))
        #expect(computed.count == 4 * 250)
        withExtendedLifetime(tokens) {}
    }

    @Test("#337 Distinct objects may be changed at once without any lock (9.2)")
    func distinctObjects() {
        let objects = (0..<8).map { _ in Shared() }
        let tokens = objects.map { $0.observe(\.number) { [counter] _, _ in counter.add() } }
        concurrently(8) { index in
            for _ in 0..<500 { objects[index].number += 1 }
        }
        #expect(counter.count == 4_000)
        withExtendedLifetime(tokens) {}
    }

    @Test("#338 While one property is written, others are observed, listed and left on other threads (9.1)")
    func registrationsDuringWrites() {
        let token = shared.observe(\.number) { [counter] _, _ in counter.add() }
        concurrently(4) { [shared] thread in
            for round in 0..<500 {
                if thread == 0 {
                    shared.number += 1
                } else {
                    // Registering reads, and these are written by nobody.
                    let plain = shared.observe(\.text) { _, _ in }
                    let path = shared.observe(\.child?.text) { _, _ in }
                    let computed = shared.observe(\.shout) { _, _ in }
                    if round % 50 == 0 { _ = shared.observationInfo.map(\.description) }
                    plain.invalidate()
                    path.invalidate()
                    computed.invalidate()
                }
            }
        }
        #expect(counter.count == 500)
        #expect(shared.observationInfo.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test("#338 Registrations on the property that is written, under the user's lock, and removals without it (9.1)")
    func registrationsOnWrittenProperty() {
        let token = shared.observe(\.number) { [counter] _, _ in counter.add() }
        concurrently(4) { [shared] thread in
            for _ in 0..<300 {
                if thread % 2 == 0 {
                    shared.locked { $0.number += 1 }
                } else {
                    let tokens = shared.locked {
                        [$0.observe(\.number) { _, _ in }, $0.observe(\.sum, options: [.old, .new]) { _, _ in }]
                    }
                    for token in tokens { token.invalidate() }
                }
            }
        }
        #expect(counter.count == 600)
        #expect(shared.observationInfo.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test("#338 Paths of many objects through one are made, followed and left on several threads (9.1)")
    func pathsThroughOneObject() {
        let common = Shared()
        let kept = Locked<[(root: Shared, token: KeyValueObservation)]>([])
        concurrently(8) { [counter] _ in
            for round in 0..<200 {
                let root = Shared()
                let token = root.observe(\.child?.number) { _, _ in counter.add() }
                root.child = common
                root.child = nil
                root.child = common
                // Ends by its token, with its root, or stays.
                if round % 3 == 0 { token.invalidate() }
                if round == 100 { kept.withLock { $0.append((root, token)) } }
            }
        }
        #expect(counter.count == 8 * 200 * 3)
        common.number = 1
        #expect(counter.count == 8 * 200 * 3 + 8)
        kept.withLock { $0 = [] }
        common.number = 2
        #expect(counter.count == 8 * 200 * 3 + 8)
    }

    @Test("#340 5,000 observers that are attached at once each get the next change", arguments: [false, true])
    func attaching(isComputed: Bool) {
        let tokens = Locked<[KeyValueObservation]>([])
        concurrently(5_000) { [shared, counter] _ in
            let token = shared.observe(isComputed ? \.sum : \.number, options: .new) { _, change in
                counter.add(change.newValue ?? 0)
            }
            tokens.withLock { $0.append(token) }
        }
        shared.number = 2
        #expect(counter.count == 10_000)
        #expect(shared.observationInfo.count == 5_000)
        tokens.withLock { $0 = [] }
        shared.number = 3
        #expect(counter.count == 10_000)
        #expect(shared.observationInfo.isEmpty)
    }

    @Test("#338 A registration that is overtaken by another while it is made can be ended like any other (1.1)")
    func overtakenRegistration() {
        // One thread stands for two: the getter that the outer registration reads makes the inner one.
        final class Overtaken: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            let log = Log()
            @Observed var number = 0
            var inner: KeyValueObservation?
            var isFirstReading = true
            var computed: Int {
                if isFirstReading {
                    isFirstReading = false
                    inner = observe(\.computed) { [log] _, _ in log.add("inner") }
                }
                return number
            }
        }
        let overtaken = Overtaken()
        let outer = overtaken.observe(\.computed) { [log = overtaken.log] _, _ in log.add("outer") }
        overtaken.number = 1
        #expect(overtaken.log.take().sorted() == ["inner", "outer"])
        overtaken.inner?.invalidate()
        overtaken.number = 2
        #expect(overtaken.log.take() == ["outer"])
        outer.invalidate()
        #expect(overtaken.observationInfo.isEmpty)
    }

    @Test("#341 After a registration was ended during 5,000 sets, nothing more is delivered to it (9.3)")
    func disposal() {
        let counters = (0..<20).map { _ in SharedCounter() }
        let tokens = counters.enumerated().map { index, counter in
            shared.observe(index % 2 == 0 ? \.number : \.sum) { _, _ in counter.add() }
        }
        let counts = Locked([Int?](repeating: nil, count: tokens.count))
        concurrently(5_000) { [shared] round in
            shared.locked { $0.number += 1 }
            guard round % 250 == 125 else { return }
            let index = round / 250
            tokens[index].invalidate()
            // What was under way when it was ended is over when the lock is free.
            let count = shared.locked { _ in counters[index].count }
            counts.withLock { $0[index] = count }
        }
        #expect(shared.number == 5_000)
        #expect(counts.withLock { $0 } == counters.map(\.count))
        #expect(shared.observationInfo.isEmpty)
    }

    @Test("#342 A token that eight threads cancel at once is cancelled (1.2)")
    func cancelConcurrently() {
        for round in 0..<200 {
            let token = shared.observe(round % 2 == 0 ? \.number : \.sum) { [counter] _, _ in counter.add() }
            concurrently(8) { _ in token.invalidate() }
            shared.number += 1
            #expect(token.isInvalidated)
        }
        #expect(counter.count == 0)
        #expect(shared.observationInfo.isEmpty)
    }

    @Test("#342 A token is cancelled while its object dies on another thread (9.4)")
    func cancelWhileDying() {
        let child = Shared()
        for _ in 0..<500 {
            let tokens: [KeyValueObservation]
            let owner = Locked<Shared?>(nil)
            do {
                let mortal = Shared()
                mortal.child = child
                tokens = [
                    mortal.observe(\.number) { [counter] _, _ in counter.add() },
                    mortal.observe(\.child?.number) { [counter] _, _ in counter.add() },
                ]
                owner.withLock { $0 = mortal }
            }
            concurrently(2) { thread in
                if thread == 0 {
                    for token in tokens { token.invalidate() }
                } else {
                    owner.withLock { $0.take() }.map { _ in }
                }
            }
            #expect(tokens.allSatisfy { $0.isInvalidated })
        }
        child.number = 1
        #expect(counter.count == 0)
    }
}
