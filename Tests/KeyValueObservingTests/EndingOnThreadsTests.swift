// Nothing starts after a registration was ended, on whichever of several threads: 9.3.
import KeyValueObserving
import Synchronization
import Testing

@Suite("9.3 Ending on several threads")
struct EndingOnThreadsTests {
    @Test(
        "9.3 When invalidate() returns on one of the threads that call it at once, nothing starts any more",
        .timeLimit(.minutes(1)), arguments: Way.allCases)
    func nothingStarts(way: Way) {
        let late = Atomic(0)
        for _ in 0..<2_000 {
            let race = Race(way)
            onThreads(3) { thread in
                race.waitForAll(3)
                if thread == 0 {
                    for _ in 0..<40 where !race.change() { late.add(1, ordering: .relaxed) }
                } else {
                    race.end()
                }
            }
        }
        #expect(late.load(ordering: .relaxed) == 0)
    }

    enum Way: CaseIterable, Sendable { case token, path, controller, controllerObject, controllerAll }
}

/// An object that one thread changes while others end its registration.
private final class Race: @unchecked Sendable {
    private let person = Person()
    private let screen = Screen()
    private let controller: KVOController<Screen>
    private let way: EndingOnThreadsTests.Way
    private var token: KeyValueObservation?
    private let hasEnded = Atomic(false)
    private let arrived = Atomic(0)
    private let beginsLate = Atomic(false)

    init(_ way: EndingOnThreadsTests.Way) {
        self.way = way
        controller = KVOController(observer: screen)
        person.address = Address()
        let heard = { [unowned self] in
            // Whoever sets it has returned from ending the registration.
            if hasEnded.load(ordering: .sequentiallyConsistent) {
                beginsLate.store(true, ordering: .sequentiallyConsistent)
            }
        }
        switch way {
        case .token: token = person.observe(\.age) { _, _ in heard() }
        case .path: token = person.observe(\.address?.city) { _, _ in heard() }
        default: controller.observe(person, \.age) { _, _, _ in heard() }
        }
    }

    func waitForAll(_ count: Int) {
        arrived.add(1, ordering: .sequentiallyConsistent)
        while arrived.load(ordering: .sequentiallyConsistent) < count {}
    }

    /// Changes the object after it was seen whether the registration has ended; false if the handler was called late.
    func change() -> Bool {
        if way == .path { person.address?.city += "x" } else { person.age += 1 }
        return !beginsLate.load(ordering: .sequentiallyConsistent)
    }

    func end() {
        switch way {
        case .token, .path: token?.invalidate()
        case .controller: controller.unobserve(person, \.age)
        case .controllerObject: controller.unobserve(person)
        case .controllerAll: controller.unobserveAll()
        }
        hasEnded.store(true, ordering: .sequentiallyConsistent)
    }
}
