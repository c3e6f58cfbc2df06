// Delivery elsewhere through a controller: 1.7 with 11.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.7 11 A controller delivers elsewhere")
struct ControllerElsewhereTests {
    private let tank = Tank()
    private let pump = Pump()
    private let log = Log()
    private let controller: KVOController<Log>

    init() {
        controller = KVOController(observer: log)
    }

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
