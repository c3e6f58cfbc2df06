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

    @Test("9.1 An owner observes, stops and is released on eight threads")
    func owners() {
        let boilers = Unchecked(value: (0..<4).map { _ in Boiler() })
        let guardian = Guarded(true)
        let owner = Unchecked(value: Warden())
        let start = Meeting(of: 8)
        onThreads(8) { thread in
            start.arrive()
            for round in 0..<60 {
                let boiler = boilers.value[(thread + round) % 4]
                if thread == 0 {
                    guardian.withLock { _ in boiler.level += 1 }
                    continue
                }
                let own = Warden()
                guardian.withLock { _ in
                    owner.value.observe(boiler, \.level) { _, _, _ in }
                    own.observe(boiler, \.isFull) { _, _, _ in }
                }
                switch round % 3 {
                case 0: owner.value.stopObserving(boiler)
                case 1: owner.value.stopObserving(boiler, \.level)
                default: owner.value.stopObservingAll()
                }
            }
        }
        owner.value.stopObservingAll()
        #expect(boilers.value.flatMap(\.observationInfo).isEmpty)
    }

    @Test("B14 Random sequences of adding and removing on both sides behave as a list of pairs", arguments: 0..<20)
    func againstAModel(seed: Int) {
        var random = Seeded(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
        let boilers = (0..<3).map { _ in Boiler() }
        let owners = (0..<3).map { _ in Warden() }
        let paths: [PartialKeyPath<Boiler>] = [\.level, \.name]
        /// Boiler, observer, key path; the owner's side has its own.
        var added: [[Int]] = []
        var owned: [[Int]] = []
        var log: [String] = []
        for _ in 0..<300 {
            let (g, o, p) = (
                Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random),
                Int.random(in: 0..<2, using: &random)
            )
            let (boiler, owner, key) = (boilers[g], owners[o], [g, o, p])
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3:
                if p == 0 {
                    boiler.addObserver(owner, for: [\.level], fileID: "A", line: 1) { _, _, _ in
                        log.append("added \(key)")
                    }
                } else {
                    boiler.addObserver(owner, for: [\.name], fileID: "A", line: 1) { _, _, _ in
                        log.append("added \(key)")
                    }
                }
                if !added.contains(key) { added.append(key) }
            case 3..<6:
                if p == 0 {
                    owner.observe(boiler, \.level, fileID: "A", line: 1) { _, _, _ in log.append("owned \(key)") }
                } else {
                    owner.observe(boiler, \.name, fileID: "A", line: 1) { _, _, _ in log.append("owned \(key)") }
                }
                if !owned.contains(key) { owned.append(key) }
            case 6:
                boiler.removeObserver(owner, for: paths[p])
                added.removeAll { $0 == key }
            case 7:
                boiler.removeObserver(owner)
                added.removeAll { $0[0] == g && $0[1] == o }
            case 8:
                boiler.removeAllObservers()
                added.removeAll { $0[0] == g }
            case 9:
                owner.stopObserving(boiler, paths[p])
                owned.removeAll { $0 == key }
            case 10:
                owner.stopObserving(boiler)
                owned.removeAll { $0[0] == g && $0[1] == o }
            default:
                owner.stopObservingAll()
                owned.removeAll { $0[1] == o }
            }
            if p == 0 { boiler.level += 1 } else { boiler.name += "x" }
            let expected =
                added.filter { $0[0] == g && $0[2] == p }.map { "added \($0)" }
                + owned.filter { $0[0] == g && $0[2] == p }.map { "owned \($0)" }
            #expect(log.filter { $0.hasPrefix("added") } + log.filter { $0.hasPrefix("owned") } == expected)
            log = []
            #expect(boiler.observationInfo.count == (added + owned).filter { $0[0] == g }.count)
        }
    }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
