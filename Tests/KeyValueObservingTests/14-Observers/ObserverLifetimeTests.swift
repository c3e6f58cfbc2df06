// How long observers live that are added to an object, and several threads that add them: 14.1, 14.3, 9.1.
import Foundation
import KeyValueObserving
import KeyValueObservingStyles
import Synchronization
import TestSupport
import Testing

@Suite("14.3 9.1 Lifetime and threads of added observers")
struct ObserverLifetimeTests {
    // #19
    @Test("14.1 The observer is held weakly, and its registrations go with the next change")
    func observerDies() {
        let boiler = Boiler()
        let log = Log()
        var display: Display? = Display()
        weak let weakDisplay = display
        boiler.addObserver(display!, for: [\.level, \.name]) { _, _, _ in log.add("called") }
        display = nil
        #expect(weakDisplay == nil)
        boiler.level = 1
        #expect(log.take() == [] && boiler.observationInfo.isEmpty)
    }

    @Test("14.1 Observers that die on an object that never changes are forgotten as others come")
    func observersDieQuietly() {
        let boiler = Boiler()
        // An unowned reference keeps the address of what is gone from being used again.
        struct Place {
            unowned let display: Display
        }
        let places = (0..<1_000).map { _ in
            let display = Display()
            boiler.addObserver(display, for: [\.level]) { _, _, _ in }
            return Place(display: display)
        }
        #expect(boiler.observationInfo.count < 100)
        withExtendedLifetime(places) {}
    }

    @Test(
        "14.1 A new observer at the address of a dead one is another one",
        .disabled(if: isUnderSanitizer, "the sanitizer keeps addresses from being used again"))
    func sameAddress() {
        let boiler = Boiler()
        var addresses: Set<ObjectIdentifier> = []
        for round in 1...100 {
            let display = Display()
            addresses.insert(ObjectIdentifier(display))
            boiler.addObserver(display, for: [\.level]) { display, _, _ in display.log.add("called") }
            boiler.level = round
            #expect(display.log.take() == ["called"])
        }
        #expect(addresses.count < 100)
    }

    @Test("14.3 Objects that observe each other and themselves are no cycle")
    func noCycle() {
        var pair: (Boiler, Boiler)? = (Boiler(), Boiler())
        weak let first = pair!.0
        weak let second = pair!.1
        first!.addObserver(second!, for: [\.level]) { observer, _, _ in observer.level += 1 }
        second!.addObserver(first!, for: [\.name]) { observer, _, _ in observer.name += "x" }
        first!.addObserver(first!, for: [\.level]) { observer, _, _ in observer.name += "y" }
        first!.level = 1
        #expect(second!.level == 1 && first!.name == "y")
        pair = nil
        #expect(first == nil && second == nil)
    }

    @Test("B2 B10 An observer removes itself and is added in its deinit: the first works, the second does nothing")
    func inDeinit() {
        let boiler = Boiler()
        var visitor: Visitor? = Visitor(boiler)
        #expect(boiler.observationInfo.count == 1)
        visitor = nil
        #expect(boiler.observationInfo.isEmpty && visitor == nil)
    }

    // MARK: Threads

    @Test(
        "9.1 Adding, removing and delivering on eight threads: observers that stay get each change, and none is left behind"
    )
    func addedObservers() {
        let boiler = Unchecked(value: Boiler())
        let guardian = Guarded(true)
        let steady = Unchecked(value: Display())
        let calls = Atomic(0)
        let start = Meeting(of: 8)
        boiler.value.addObserver(steady.value, for: [\.level]) { _, _, _ in calls.add(1, ordering: .relaxed) }
        onThreads(8) { thread in
            start.arrive()
            let display = Display()
            for round in 0..<60 {
                if thread == 0 {
                    guardian.withLock { _ in boiler.value.level = round }
                    continue
                }
                guardian.withLock { _ in boiler.value.addObserver(display, for: [\.level, \.isFull]) { _, _, _ in } }
                // A visitor that only dies.
                guardian.withLock { _ in boiler.value.addObserver(Display(), for: [\.name]) { _, _, _ in } }
                if round % 2 == 0 {
                    boiler.value.removeObserver(display)
                } else {
                    boiler.value.removeObserver(display, for: \.isFull, \.level)
                }
            }
        }
        #expect(calls.load(ordering: .relaxed) == 60)
        boiler.value.name = "a"
        #expect(boiler.value.observationInfo.count == 1)
        boiler.value.removeAllObservers()
        #expect(boiler.value.observationInfo.isEmpty)
    }

    @Test("14.1 The same observer added on eight threads at once has one registration")
    func sameObserver() {
        for _ in 0..<20 {
            let shared = Unchecked(value: (Boiler(), Display()))
            let start = Meeting(of: 8)
            onThreads(8) { _ in
                let (boiler, display) = shared.value
                start.arrive()
                boiler.addObserver(display, for: [\.level]) { _, _, _ in }
            }
            #expect(shared.value.0.observationInfo.count == 1)
        }
    }
}

private final class Visitor {
    private let boiler: Boiler

    init(_ boiler: Boiler) {
        self.boiler = boiler
        boiler.addObserver(self, for: [\.level]) { _, _, _ in }
    }

    deinit {
        boiler.removeObserver(self, for: \.level)
        boiler.addObserver(self, for: [\.name]) { _, _, _ in }
    }
}
