// Threads: section 9 of the contract. Values are guarded by the tests, as the contract asks of users.
import Foundation
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("9 Threads and lifetime")
struct ConcurrencyTests {
    @Test("9.1 C10 Registering and removing on three threads while a fourth changes the object")
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
                for token in tokens { token.invalidate() }
            }
        }
        #expect(steady.load(ordering: .relaxed) == 500)
        #expect(person.value.observationInfo.count == 1)
        token.invalidate()
    }

    @Test("9.1 Listing and asking while others register")
    func listingWhileRegistering() {
        let person = Unchecked(value: Person())
        onThreads(3) { thread in
            for _ in 0..<300 {
                if thread == 0 {
                    for info in person.value.observationInfo { #expect(info.keyPath == "age") }
                    _ = person.value.isObserved(\.age)
                } else {
                    person.value.observe(\.age) { _, _ in }.invalidate()
                }
            }
        }
        #expect(person.value.observationInfo.isEmpty)
    }

    @Test("9.2 n changes of distinct objects deliver exactly n")
    func distinctObjects() {
        let total = Atomic(0)
        onThreads(4) { _ in
            let person = Person()
            let tokens = [
                person.observe(\.age) { _, _ in total.add(1, ordering: .relaxed) },
                person.observe(\.summary) { _, _ in total.add(1, ordering: .relaxed) },
            ]
            for age in 0..<1_000 { person.age = age }
            withExtendedLifetime(tokens) {}
        }
        #expect(total.load(ordering: .relaxed) == 8_000)
    }

    @Test("9.2 n changes of one object under its lock deliver exactly n, each old the new before it")
    func oneObject() {
        let person = Unchecked(value: Person())
        let guardian = Guarded(true)
        var last = 0
        var count = 0
        let token = person.value.observe(\.age, options: [.old, .new]) { _, change in
            if change.oldValue != last { Issue.record("old \(change.oldValue!) after \(last)") }
            last = change.newValue!
            count += 1
        }
        onThreads(4) { _ in
            for _ in 0..<500 { guardian.withLock { _ in person.value.age += 1 } }
        }
        #expect(count == 2_000 && last == 2_000)
        withExtendedLifetime(token) {}
    }

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

    @Test("9.2 A root that is replaced and changed on two threads keeps exactly its own hooks")
    func rewiringOnThreads() {
        let person = Unchecked(value: Person())
        let addresses = Unchecked(value: (0..<4).map { Address(city: "\($0)") })
        let guardian = Guarded(true)
        let token = person.value.observe(\.address?.city) { _, _ in }
        onThreads(4) { thread in
            for round in 0..<300 {
                guardian.withLock { _ in
                    person.value.address = addresses.value[(thread + round) % 4]
                    addresses.value[thread].city = "\(round)"
                }
            }
        }
        let count = Atomic(0)
        token.invalidate()
        let again = person.value.observe(\.address?.city) { _, _ in count.add(1, ordering: .relaxed) }
        for address in addresses.value { address.city = "last" }
        #expect(count.load(ordering: .relaxed) == 1)
        withExtendedLifetime(again) {}
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

    @Test("9.3 C11 invalidate() returns while a handler runs elsewhere; nothing starts after it")
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

    @Test("9.3 Called inside its own handler it returns at once")
    func invalidateInsideOnThreads() {
        onThreads(4) { _ in
            for _ in 0..<200 {
                let person = Person()
                var token: KeyValueObservation?
                var calls = 0
                token = person.observe(\.age) { _, _ in
                    calls += 1
                    token?.invalidate()
                }
                person.age = 1
                person.age = 2
                #expect(calls == 1)
            }
        }
    }

    @Test("9.4 Objects die on one thread while tokens are ended on another")
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

    @Test("9.4 The root dies on one thread while an object on its path changes on another")
    func rootDiesWhileLeafChanges() {
        for _ in 0..<300 {
            let address = Unchecked(value: Address())
            let holder = Guarded<Unchecked<Person>?>(nil)
            let token: KeyValueObservation
            do {
                let person = Person()
                person.address = address.value
                token = person.observe(\.address?.city, options: [.old, .new]) { person, _ in _ = person.age }
                holder.withLock { $0 = Unchecked(value: person) }
            }
            onThreads(2) { thread in
                if thread == 0 {
                    holder.withLock { $0 = nil }
                } else {
                    for _ in 0..<20 { address.value.city = "x" }
                }
            }
            #expect(token.isInvalidated)
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
}
