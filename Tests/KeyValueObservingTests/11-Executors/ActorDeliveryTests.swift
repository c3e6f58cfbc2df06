// Delivery in an actor and on an executor, where threads and deaths meet: 11.1 to 11.3, 11.5 and 11.6.
import Dispatch
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("11 C2 C3 Delivery in an actor, and on a custom executor")
struct ActorDeliveryTests {
    private let kept = Kept()
    private let tank = Tank()
    private let recorder = Recorder()

    @Test("11.1 Twenty thousand changes of two threads arrive once each, in each one's order")
    func producers() async {
        let tank = tank
        let guarded = Guarded(tank)
        tank.changes(of: \.level, options: [.old, .new]).deliver(to: recorder) { $0.add($1) }.store(in: kept)
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
    }

    @Test("11.2 Nothing starts after invalidate inside the handler, though much waits")
    func invalidateInside() async {
        let token = Guarded<KeyValueObservation?>(nil)
        await recorder.perform { [tank] recorder in
            let made = tank.changes(of: \.level, options: .new).deliver(to: recorder) { recorder, change in
                recorder.add(change)
                token.withLock { $0?.invalidate() }
            }
            token.withLock { $0 = made }
            for level in 1...10 { tank.level = level }
        }
        tank.changes(of: \.level).deliver(to: recorder) { recorder, _ in recorder.add("end") }.store(in: kept)
        _ = await recorder.lines(1)
        tank.level = 11
        #expect(await recorder.lines(2) == ["·→1", "end"])
    }

    @Test("11.5 The registration holds its actor weakly and ends with it")
    func actorDies() {
        var recorder: Recorder? = Recorder()
        weak let weakRecorder = recorder
        let token = recorder.map { tank.changes(of: \.level).deliver(to: $0) { _, _ in } }
        #expect(tank.observationInfo.count == 1 && token?.isInvalidated == false)
        recorder = nil
        #expect(weakRecorder == nil && token?.isInvalidated == true)
        #expect(tank.observationInfo.isEmpty && !tank.isObserved(\.level))
    }

    @Test("11.5 Waiting changes do not keep their actor alive, and are released with the handler when the actor dies")
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
        await Recorder().perform { recorder in
            let token = tank.changes(of: \.level).deliver(to: recorder) { [farewell = Farewell(gone)] _, _ in
                withExtendedLifetime(farewell) { log.add("called") }
                if log.lines.count == 1 { released.wait() }
            }
            for level in 1...1_000 { tank.level = level }
            return token
        }
    }

    // MARK: On an executor

    @Test("11.6 11.1 Between two handlers the executor runs other jobs")
    func turns() {
        let (pump, log) = (Pump(), Log())
        tank.changes(of: \.level, options: [.old, .new]).deliver(on: pump) { [log] in log.add($0) }.store(in: kept)
        tank.level = 1
        tank.level = 2
        pump.execute { [log] in log.add("other") }
        pump.run()
        #expect(log.lines == ["0→1", "other", "1→2"])
    }

    @Test("11.6 11.5 The registration retains its executor, and no longer than it lives")
    func executorLives() {
        var pump: Pump? = Pump()
        weak let weakPump = pump
        let token = tank.changes(of: \.level).deliver(on: pump!) { _ in }
        pump = nil
        #expect(weakPump != nil)
        token.invalidate()
        #expect(weakPump == nil)
    }
}
