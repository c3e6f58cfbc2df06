// Nothing starts after a registration was ended, on whichever of several threads: 9.3.
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("9.3 Ending on several threads")
struct EndingOnThreadsTests {
    @Test(
        "9.3 When one of the threads that end a registration at once returns, no delivery starts any more",
        .timeLimit(.minutes(10)))
    func tokens() {
        var late = 0
        for _ in 0..<120 where late == 0 {
            let race = Race()
            onThreads(7) { thread in
                race.start.arrive()
                if thread == 0 { race.change() } else { race.end() }
            }
            late += race.late
        }
        #expect(late == 0)
    }

    @Test(
        "9.3 The same through a controller, where another thread is still letting go of a handler",
        .timeLimit(.minutes(10)), arguments: Way.allCases)
    func controllers(way: Way) {
        let (person, screen, log) = (Person(), Screen(), Log())
        let controller = KVOController(observer: screen, duplicates: .allow)
        let held = HeldChange()
        // It waits when it goes, and only once.
        weak var visitor: Visitor?
        do {
            let first = Visitor(held)
            visitor = first
            controller.observe(person, \.age) { _, _, _ in
                withExtendedLifetime(first) {}
                log.add("first")
            }
        }
        for _ in 0..<5 { controller.observe(person, \.age) { _, _, _ in log.add("another") } }
        let shared = Unchecked(value: (controller, person))
        @Sendable func end() {
            let (controller, person) = shared.value
            switch way {
            case .keyPath: controller.unobserve(person, \.age)
            case .object: controller.unobserve(person)
            case .all: controller.unobserveAll()
            }
        }
        held.begin { end() }
        end()
        person.age = 1
        #expect(log.take() == [])
        held.finish()
        #expect(visitor == nil && person.observationInfo.isEmpty)
    }

    enum Way: CaseIterable, Sendable { case keyPath, object, all }
}

/// Waits when it goes.
private final class Visitor {
    private let held: HeldChange

    init(_ held: HeldChange) {
        self.held = held
    }

    deinit { held.hold() }
}

/// Objects that one thread changes while six end their registrations, in the same order.
private final class Race: @unchecked Sendable {
    let start = Meeting(of: 7)
    /// How many deliveries began after it was seen that the registration had been ended.
    private(set) var late = 0
    private var entries: [Entry] = []

    private final class Entry {
        let person = Person()
        var token: KeyValueObservation?
        /// Set by whoever has returned from ending the registration.
        let hasEnded = Atomic(false)
        /// What the changing thread saw of that before its change.
        var wasEnded = false
    }

    init() {
        for _ in 0..<500 {
            let entry = Entry()
            entry.token = entry.person.observe(\.age) { [unowned self, unowned entry] _, _ in
                if entry.wasEnded { late += 1 }
            }
            entries.append(entry)
        }
    }

    /// Changes each object until it was seen that its registration had been ended, and a few times more.
    func change() {
        for entry in entries {
            var rest = 3
            while rest > 0 {
                entry.wasEnded = entry.hasEnded.load(ordering: .sequentiallyConsistent)
                if entry.wasEnded { rest -= 1 }
                entry.person.age = rest
            }
        }
    }

    func end() {
        for entry in entries {
            entry.token?.invalidate()
            entry.hasEnded.store(true, ordering: .sequentiallyConsistent)
        }
    }
}
