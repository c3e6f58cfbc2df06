// Several key paths in one call, and those of a controller, delivered elsewhere: 10.1 and 1.7 with 11, 12.1 and 16.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.1 11 Several key paths, elsewhere")
struct SeveralElsewhereTests {
    private let kept = Kept()
    private let tank = Tank()
    private let recorder = Recorder()

    private func observe(
        _ options: KeyValueObservingOptions = [.old, .new], _ policy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValueObservation {
        tank.changes(of: \.level, \.tags, options: options, bufferingPolicy: policy).deliver(to: recorder) {
            recorder, change in
            recorder.add(Self.text(of: change))
        }
    }

    private static func text(of change: KeyValueObservedChange<any Sendable>) -> String {
        "\(change.keyPath == \Tank.level ? "level" : "tags") \(TestSupport.text(of: change))"
    }

    @Test(
        "10.1 11.4 One policy bounds what waits of all; each key path closes its own gap",
        arguments: [false, true])
    func policy(dropsNewest: Bool) async {
        observe([.old, .new], dropsNewest ? .oldest(1) : .newest(1)).store(in: kept)
        await recorder.perform { [tank] _ in
            tank.level = 1
            tank.mutable(\.tags).append("a")
            tank.level = 2
        }
        let first = dropsNewest ? "level 0→1" : "level 0→2"
        #expect(await recorder.lines(1) == [first])
        #expect(tank.observationInfo.map(\.droppedCount) == [1, 1])
        tank.mutable(\.tags).append("b")
        #expect(await recorder.lines(2) == [first, "tags []→[\"a\", \"b\"]"])
        tank.level = 3
        #expect(await recorder.lines(3).last == (dropsNewest ? "level 1→3" : "level 2→3"))
        #expect(tank.observationInfo.map(\.deliveredCount) == [2, 1])
    }

    @Test("10.1 16.1 .distinct compares a value with the one delivered last for the same key path")
    func distinct() async {
        tank.changes(of: \.level, \.next?.level, options: [.old, .new, .distinct]).deliver(to: recorder) {
            recorder, change in
            recorder.add(change)
        }.store(in: kept)
        tank.level = 0
        tank.next = nil
        tank.level = 1
        tank.next = Tank()
        tank.next = Tank()
        tank.next?.level = 1
        tank.level = 1
        tank.next = nil
        tank.level = 2
        #expect(await recorder.lines(5) == ["0→1", "nil→0", "0→1", "1→nil", "1→2"])
        #expect(tank.observationInfo.map(\.deliveredCount) == [2, 3])
    }

    @Test("10.1 1.4 All key paths are checked before the first is registered")
    func unobservable() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tank = Tank()
            _ = tank.changes(of: \.level, \.tags, \.capacity).makeAsyncIterator()
            withExtendedLifetime(tank) {}
        }
        #expect(words("Tank", "computed Int", "Observed", missingIn: message(of: result)) == [])
    }
}

@Suite("1.7 11 A controller delivers elsewhere")
struct ControllerElsewhereTests {
    private let tank = Tank()
    private let pump = Pump()
    private let log = Log()
    private let controller: KVOController<Log>

    init() { controller = KVOController(observer: log) }

    private func observeBoth(_ options: KeyValueObservingOptions = .new, _ policy: KeyValueBufferingPolicy = .unbounded)
    {
        tank.changes(of: \.level, \.tags, options: options, bufferingPolicy: policy).deliver(on: pump, by: controller) {
            log, change in
            log.add(change)
        }
    }

    @Test("1.7 unobserve of one key path drops what waits of it, and the rest goes on")
    func unobserveOne() {
        observeBoth([.initial, .new])
        tank.level = 1
        tank.tags = ["a"]
        controller.unobserve(tank, \.level)
        pump.run()
        tank.level = 2
        tank.tags = ["b"]
        pump.run()
        #expect(log.take() == ["·→[]", "·→[\"a\"]", "·→[\"b\"]"])
        #expect(tank.observationInfo.map(\.keyPath) == ["tags"])
        controller.unobserve(tank, \.tags)
        tank.tags = ["c"]
        pump.run()
        #expect(log.take() == [])
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("1.7 The same call from the same line counts once; .replace drops what waits of the one before")
    func duplicates() {
        for _ in 0..<2 { observeBoth() }
        tank.level = 1
        pump.run()
        #expect(log.take() == ["·→1"])

        let replacing = KVOController(observer: log, duplicates: .replace)
        for number in 0..<2 {
            tank.changes(of: \.level).deliver(on: pump, by: replacing) { log, _ in log.add("\(number)") }
            tank.level = 2
        }
        controller.unobserveAll()
        pump.run()
        #expect(log.take() == ["1"])
    }

    @Test("1.7 11.1 An actor that dies ends the registrations of its controller, too")
    func recipientDies() async {
        var recorder: Recorder? = Recorder()
        tank.changes(of: \.level, \.tags).deliver(to: recorder!, by: controller) { _, _, _ in }
        #expect(tank.observationInfo.count == 2)
        recorder = nil
        tank.level = 1
        #expect(tank.observationInfo.isEmpty)
    }
}

extension Tank {
    fileprivate var capacity: Int { 10 }
}
