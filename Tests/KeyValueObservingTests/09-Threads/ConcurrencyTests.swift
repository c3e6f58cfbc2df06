// Threads: section 9 of the contract. Values are guarded by the tests, as the contract asks of users.
import Foundation
import KeyValueObserving
import KeyValueObservingStyles
import Synchronization
import TestSupport
import Testing

@Suite("9 Threads and lifetime")
struct ConcurrencyTests {
    // #38 #338
    @Test("9.1 C10 Registering, listing, asking and removing on three threads while a fourth changes the object")
    func registeringWhileChanging() {
        let person = Unchecked(value: Person())
        let guardian = Guarded(true)
        let steady = Atomic(0)
        let token = person.value.observe(\.age) { _, _ in steady.add(1, ordering: .relaxed) }
        onThreads(4) { thread in
            for round in 0..<500 {
                if thread == 0 {
                    guardian.withLock { _ in person.value.age = round }
                    continue
                }
                // Registering reads the property, so it is guarded like a read; ending it need not be.
                let tokens = guardian.withLock { _ in
                    [
                        person.value.observe(\.age) { _, _ in },
                        person.value.observe(\.isAdult, options: [.old, .new]) { _, _ in },
                        person.value.observe(\.friend?.name) { _, _ in },
                    ]
                }
                for info in person.value.observationInfo where !info.keyPath.isEmpty { _ = info.description }
                _ = person.value.isObserved(\.age)
                for token in tokens { token.invalidate() }
            }
        }
        #expect(steady.load(ordering: .relaxed) == 500)
        #expect(person.value.observationInfo.count == 1)
        token.invalidate()
    }

    // #337
    @Test("9.2 Objects that share one further on, changed on four threads under one lock, deliver exactly n each")
    func sharedLeaf() {
        let shared = Unchecked(value: Address(city: ""))
        let guardian = Guarded(true)
        let total = Atomic(0)
        let (registered, changed) = (Meeting(of: 4), Meeting(of: 4))
        onThreads(4) { _ in
            let person = guardian.withLock { _ in
                let person = Person()
                person.address = shared.value
                return Unchecked(value: person)
            }.value
            let token = guardian.withLock { _ in
                person.observe(\.address?.city) { _, _ in total.add(1, ordering: .relaxed) }
            }
            registered.arrive()
            for _ in 0..<200 { guardian.withLock { _ in shared.value.city = "x" } }
            changed.arrive()
            token.invalidate()
        }
        #expect(total.load(ordering: .relaxed) == 4 * 4 * 200)
        shared.value.city = "y"
        #expect(total.load(ordering: .relaxed) == 4 * 4 * 200)
    }

    @Test("9.1 1.3 A change made while another thread registers is neither lost nor delivered twice")
    func registeringLosesNothing() {
        for _ in 0..<200 {
            let person = Unchecked(value: Person())
            let guardian = Guarded(true)
            let seen = Guarded<[Int]>([])
            let tokens = Guarded<[KeyValueObservation]>([])
            onThreads(2) { thread in
                if thread == 0 {
                    for age in 1...20 { guardian.withLock { _ in person.value.age = age } }
                } else {
                    let token = guardian.withLock { _ in
                        person.value.observe(\.age, options: [.initial, .new]) { _, change in
                            seen.withLock { $0.append(change.newValue!) }
                        }
                    }
                    tokens.withLock { $0.append(token) }
                }
            }
            let values = seen.withLock { $0 }
            #expect(values == Array((values.first ?? 99)...20))
        }
    }

    // #341
    @Test("9.3 C11 invalidate() returns while a handler runs on another thread; nothing starts after it")
    func invalidateDuringDelivery() {
        let person = Unchecked(value: Person())
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let calls = Atomic(0)
        let token = person.value.observe(\.age) { _, _ in
            calls.add(1, ordering: .relaxed)
            entered.signal()
            leave.wait()
        }
        let second = person.value.observe(\.age) { _, _ in calls.add(100, ordering: .relaxed) }
        onThreads(2) { thread in
            if thread == 0 {
                person.value.age = 1
            } else {
                entered.wait()
                token.invalidate()
                second.invalidate()
                #expect(token.isInvalidated)
                leave.signal()
            }
        }
        person.value.age = 2
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test("9.4 Objects die on one thread while tokens are ended on another, and an object on a path changes on a third")
    func dyingWhileEnding() {
        for _ in 0..<300 {
            let tokens: [KeyValueObservation]
            let address = Unchecked(value: Address())
            do {
                let person = Person()
                person.address = address.value
                tokens = [
                    person.observe(\.age) { _, _ in }, person.observe(\.address?.city) { _, _ in },
                    person.observe(\.summary) { _, _ in },
                ]
                let holder = Guarded<Unchecked<Person>?>(Unchecked(value: person))
                onThreads(3) { thread in
                    switch thread {
                    case 0: holder.withLock { $0 = nil }
                    case 1: for token in tokens { token.invalidate() }
                    default: address.value.city = "x"
                    }
                }
            }
            #expect(tokens.allSatisfy { $0.isInvalidated })
        }
    }

    @Test("C10 One controller used by four threads")
    func controllerOnThreads() {
        let screen = Unchecked(value: Screen())
        let controller = Unchecked(value: KVOController(observer: screen.value))
        let people = Unchecked(value: (0..<4).map { _ in Person() })
        onThreads(4) { thread in
            for round in 0..<300 {
                let person = people.value[(thread + round) % 4]
                controller.value.observe(person, \.age) { _, _, _ in }
                if round.isMultiple(of: 3) { controller.value.unobserve(person, \.age) }
                if round.isMultiple(of: 50) { controller.value.unobserveAll() }
            }
        }
        for person in people.value { #expect(person.observationInfo.count <= 1) }
        controller.value.unobserveAll()
        for person in people.value { #expect(person.observationInfo.isEmpty) }
    }

    // MARK: Ending

    // #342
    @Test(
        "9.3 When one of the threads that end a registration at once returns, no delivery starts",
        .timeLimit(.minutes(10)))
    func tokens() {
        var late = 0
        for _ in 0..<120 where late == 0 {
            let start = Meeting(of: 7)
            let entries = (0..<500).map { _ in Entry() }
            onThreads(7) { thread in
                start.arrive()
                for entry in entries { if thread == 0 { entry.change() } else { entry.end() } }
            }
            late = entries.count { $0.isLate }
        }
        #expect(late == 0)
    }

    @Test("9.1 Ending, removing, asking and announcing read no property, however its key path is written")
    func endingReadsNothing() {
        let (counter, log) = (ReadCounter(), Log())
        let controller = KVOController(observer: log)
        let token = counter.observe(\.level) { _, _ in }
        controller.observe(counter, \.doubled) { _, _, _ in }
        let reads = counter.reads
        controller.unobserve(counter, doubled(ReadCounter.self))
        counter.removeObserver(log, for: doubled(ReadCounter.self))
        _ = counter.isObserved(doubled(ReadCounter.self))
        counter.willChangeValue(for: doubled(ReadCounter.self))
        counter.didChangeValue(for: doubled(ReadCounter.self))
        #expect(counter.reads == reads)
        withExtendedLifetime(token) {}
    }
}

private protocol Doubling: KeyValueObservable {
    var doubled: Int { get }
}

private func doubled<Object: Doubling>(_ type: Object.Type) -> KeyPath<Object, Int> { \Object.doubled }

private final class ReadCounter: Doubling {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    var reads = 0
    var doubled: Int {
        reads += 1
        return level * 2
    }
}

/// An object that one thread changes while others end its registration.
private final class Entry: @unchecked Sendable {
    private let person = Person()
    private var token: KeyValueObservation?
    /// Set by whoever has returned from ending the registration.
    private let hasEnded = Atomic(false)
    /// What the changing thread saw of that before its change.
    private var wasEnded = false
    /// Whether a delivery began after that was seen.
    private(set) var isLate = false

    init() { token = person.observe(\.age) { [unowned self] _, _ in if wasEnded { isLate = true } } }

    /// Changes the object until it was seen that its registration had been ended, and a few times more.
    func change() {
        var rest = 3
        while rest > 0 {
            wasEnded = hasEnded.load(ordering: .sequentiallyConsistent)
            if wasEnded { rest -= 1 }
            person.age = rest
        }
    }

    func end() {
        token?.invalidate()
        hasEnded.store(true, ordering: .sequentiallyConsistent)
    }
}
