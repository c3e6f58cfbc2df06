// Added observers and owners on several threads, and in random order: 9.1, B13, B14.
import KeyValueObserving
import KeyValueObservingStyles
import Synchronization
import TestSupport
import Testing

@Suite("9.1 Observers and owners on threads")
struct ObserverThreadTests {
    @Test("9.1 Adding, removing and delivering on eight threads: who stays gets each change, nobody is left behind")
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
