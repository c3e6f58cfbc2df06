// Delivery in an actor and on the main actor: 11.1 to 11.3 and 11.5.
import Dispatch
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

/// A tank that another thread fills a little whenever its level is read.
private final class RisingTank: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let isRising = Atomic(true)
    @Observed var level = 0

    var shownLevel: Int {
        let shown = level
        // What the other thread reads does not make it rise again.
        if isRising.exchange(false, ordering: .relaxed) {
            onThreads(1) { _ in self.level += 1 }
            isRising.store(true, ordering: .relaxed)
        }
        return shown
    }
}

@Suite("11 C2 C3 Delivery in an actor")
struct ActorDeliveryTests {
    private let tank = Tank()
    private let recorder = Recorder()

    @Test("11.1 Every change arrives once, in order, with old and new as they were")
    func order() async {
        let token = tank.observe(\.level, options: [.old, .new], on: recorder) { $0.add($1) }
        for level in 1...100 { tank.level = level }
        #expect(await recorder.lines(100) == (1...100).map { "\($0 - 1)→\($0)" })
        withExtendedLifetime(token) {}
    }

    @Test("11.1 Nothing arrives inside the set, also in the same actor")
    func notInsideTheSet() async {
        let token = tank.observe(\.level, options: .new, on: recorder) { $0.add($1) }
        await recorder.perform { [tank] recorder in
            for level in 1...3 { tank.level = level }
            #expect(recorder.lines == [])
        }
        #expect(await recorder.lines(3) == ["·→1", "·→2", "·→3"])
        withExtendedLifetime(token) {}
    }

    @Test("11.1 Nothing arrives inside the set on the main actor")
    @MainActor
    func notInsideTheSetOnTheMainActor() async {
        let log = CallLog()
        let token = tank.observeOnMainActor(\.level, options: [.old, .new]) { change in
            MainActor.assertIsolated()
            log.add(text(of: change))
        }
        for level in 1...3 { tank.level = level }
        #expect(log.lines == [])
        #expect(await log.lines(3) == ["0→1", "1→2", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("11.1 The handler runs in the actor, whichever thread made the change")
    func isolation() async {
        let token = tank.observe(\.level, on: recorder) { recorder, change in
            recorder.assertIsolated()
            recorder.add(change)
        }
        await Task.detached { [tank] in tank.level = 1 }.value
        #expect(await recorder.lines(1) == ["·→·"])
        withExtendedLifetime(token) {}
    }

    @Test("11.1 Twenty thousand changes of two threads arrive once each, in each one's order")
    func producers() async {
        let tank = tank
        let guarded = Guarded(tank)
        let token = tank.observe(\.level, options: [.old, .new], on: recorder) { $0.add($1) }
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<2 {
                group.addTask {
                    for number in 1...10_000 { guarded.withLock { $0.level = number * 2 + producer } }
                }
            }
        }
        let lines = await recorder.lines(20_000)
        let changes = lines.map { $0.split(separator: "→").map { Int($0)! } }
        #expect(changes.count == 20_000)
        for producer in 0..<2 {
            #expect(changes.map { $0[1] }.filter { $0 % 2 == producer } == (1...10_000).map { $0 * 2 + producer })
        }
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0[1] == $1[0] })
        withExtendedLifetime(token) {}
    }

    @Test("11.2 Nothing starts after invalidate has returned in the actor")
    func invalidate() async {
        let token = tank.observe(\.level, options: .new, on: recorder) { $0.add($1) }
        await recorder.perform { [tank] _ in
            for level in 1...100 { tank.level = level }
            token.invalidate()
        }
        tank.level = 101
        let other = tank.observe(\.level, on: recorder) { recorder, _ in recorder.add("end") }
        tank.level = 102
        #expect(await recorder.lines(1) == ["end"])
        withExtendedLifetime(other) {}
    }

    @Test("11.2 Nothing starts after invalidate inside the handler, though much waits")
    func invalidateInside() async {
        let token = Guarded<KeyValueObservation?>(nil)
        await recorder.perform { [tank] recorder in
            let made = tank.observe(\.level, options: .new, on: recorder) { recorder, change in
                recorder.add(change)
                token.withLock { $0?.invalidate() }
            }
            token.withLock { $0 = made }
            for level in 1...10 { tank.level = level }
        }
        let other = tank.observe(\.level, on: recorder) { recorder, _ in recorder.add("end") }
        _ = await recorder.lines(1)
        tank.level = 11
        #expect(await recorder.lines(2) == ["·→1", "end"])
        withExtendedLifetime(other) {}
    }

    @Test("11.3 The initial value is delivered there, first")
    func initial() async {
        tank.level = 7
        let token = await recorder.perform { [tank] recorder in
            let token = tank.observe(\.level, options: [.initial, .old, .new], on: recorder) { $0.add($1) }
            tank.level = 8
            #expect(recorder.lines == [])
            return token
        }
        #expect(await recorder.lines(2) == ["·→7", "7→8"])
        #expect(tank.observationInfo.map(\.deliveredCount) == [2])
        withExtendedLifetime(token) {}
    }

    @Test("11.3 The initial value comes first, also if another thread changes the property while that is being read")
    func initialFirst() async {
        let tank = RisingTank()
        let token = tank.observe(\.shownLevel, options: [.initial, .old, .new], on: recorder) { $0.add($1) }
        tank.isRising.store(false, ordering: .relaxed)
        tank.level = 100
        let lines = await recorder.lines(3)
        #expect(lines.first?.hasPrefix("·→") ?? false)
        #expect(lines.dropFirst().allSatisfy { !$0.hasPrefix("·") })
        #expect(lines.last?.hasSuffix("→100") ?? false)
        withExtendedLifetime(token) {}
    }

    @Test("11.3 .prior traps in an actor and names the key path")
    func priorInAnActor() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Tank().observe(\.level, options: .prior, on: Recorder()) { _, _ in }
        }
        #expect(words("level of Tank", ".prior", "Recorder", missingIn: message(of: result)) == [])
    }

    @Test("11.3 .prior traps on the main actor and names the key path")
    func priorOnTheMainActor() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Tank().observeOnMainActor(\.level, options: [.new, .prior]) { _ in }
        }
        #expect(words("level of Tank", ".prior", "main actor", missingIn: message(of: result)) == [])
    }

    @Test("11.5 The registration holds its actor weakly and ends with it")
    func actorDies() async {
        let gone = Gate()
        var recorder: MortalRecorder? = MortalRecorder(Farewell(gone))
        let token = tank.observe(\.level, on: recorder!) { recorder, _ in recorder.count += 1 }
        tank.level = 1
        #expect(tank.observationInfo.count == 1 && !token.isInvalidated)
        recorder = nil
        await gone.wait()
        #expect(tank.observationInfo.isEmpty && token.isInvalidated && !tank.isObserved(\.level))
        tank.level = 2
        #expect(!tank.isObserved(\.level))
    }

    @Test("11.5 What waits does not keep its actor alive, and is not delivered after it")
    func waitingForADeadActor() async {
        let (gone, released, log) = (Gate(), DispatchSemaphore(value: 0), CallLog())
        let token = await Self.fill(tank, log, gone, released)
        released.signal()
        await gone.wait()
        // The actor may be gone before it is called for the first time.
        #expect(log.lines.count <= 1)
        #expect(token.isInvalidated)
    }

    /// Lets go of an actor for which much waits, while it is in its handler for the first time.
    private static func fill(
        _ tank: Tank, _ log: CallLog, _ gone: Gate, _ released: DispatchSemaphore
    ) async -> KeyValueObservation {
        let recorder = MortalRecorder(Farewell(gone))
        return await recorder.perform { recorder in
            let token = tank.observe(\.level, on: recorder) { _, _ in
                if log.lines.isEmpty {
                    log.add("called")
                    released.wait()
                } else {
                    log.add("called again")
                }
            }
            for level in 1...1_000 { tank.level = level }
            return token
        }
    }

    @Test("11.5 What waits does not keep the object alive, and is delivered after its death")
    func objectDies() async {
        let reference = LastReference()
        let token = await recorder.perform { recorder in
            let token = reference.use { $0.observe(\.level, options: .new, on: recorder) { $0.add($1) } }
            for level in 1...3 { reference.use { $0.level = level } }
            #expect(reference.release() && token.isInvalidated)
            return token
        }
        #expect(await recorder.lines(3) == ["·→1", "·→2", "·→3"])
        withExtendedLifetime(token) {}
    }

    @Test("11.2 Nothing starts after invalidate, though the object has died before")
    func invalidateAfterDeath() async {
        let reference = LastReference()
        await recorder.perform { recorder in
            let token = reference.use { $0.observe(\.level, options: .new, on: recorder) { $0.add($1) } }
            reference.use { $0.level = 1 }
            #expect(reference.release())
            token.invalidate()
        }
        let token = self.tank.observe(\.level, on: recorder) { recorder, _ in recorder.add("end") }
        self.tank.level = 1
        #expect(await recorder.lines(1) == ["end"])
        withExtendedLifetime(token) {}
    }

    @Test("11.5 The handler is released with the registration, and when the dead object's changes are delivered")
    func handlerIsReleased() async {
        for endsByToken in [true, false] {
            let gone = Gate()
            var tank: Tank? = Tank()
            let token = Self.observe(tank!, on: recorder, until: gone)
            tank!.level = 1
            if endsByToken { token.invalidate() } else { tank = nil }
            await gone.wait()
            withExtendedLifetime(token) {}
        }
    }

    /// Makes a registration whose handler opens a gate when it is released.
    private static func observe(_ tank: Tank, on recorder: Recorder, until gone: Gate) -> KeyValueObservation {
        let farewell = Farewell(gone)
        return tank.observe(\.level, on: recorder) { [farewell] _, _ in withExtendedLifetime(farewell) {} }
    }

    @Test("11.1 Paths and computed properties are delivered elsewhere, too")
    func paths() async {
        let token = tank.observe(\.next?.level, options: [.old, .new], on: recorder) { $0.add($1) }
        let next = Tank()
        tank.next = next
        next.level = 10
        #expect(await recorder.lines(2) == ["nil→0", "0→10"])
        let full = next.observe(\.isFull, options: [.old, .new], on: recorder) { $0.add($1) }
        next.level = 1
        #expect(await Set(recorder.lines(4).suffix(2)) == ["10→1", "true→false"])
        withExtendedLifetime((token, full)) {}
    }

    @Test("9.6 Registrations of one line at one key path are told apart, those of the setting thread too")
    func sameLine() async {
        let log = CallLog()
        // swift-format-ignore
        let tokens = [tank.observe(\.level, options: .new) { log.add(text(of: $1)) }, tank.observe(\.level, options: .new, on: recorder) { $0.add($1) }, tank.observeOnMainActor(\.level, options: .new) { log.add(text(of: $0)) }]
        tank.level = 1
        #expect(await log.lines(2) == ["·→1", "·→1"])
        #expect(await recorder.lines(1) == ["·→1"])
        withExtendedLifetime(tokens) {}
    }
}

/// Counts calls, and says when it is gone.
private actor MortalRecorder {
    var count = 0
    private let farewell: Farewell

    init(_ farewell: Farewell) {
        self.farewell = farewell
    }

    func perform<Result: Sendable>(_ body: @Sendable (isolated MortalRecorder) -> Result) -> Result { body(self) }
}
