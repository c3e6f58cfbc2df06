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
        controller.observe(tank, \.level, \.tags, options: options, on: pump, bufferingPolicy: policy) { log, change in
            log.add(change)
        }
    }

    @Test("11.6 On an executor, with the observer, in order and after the change")
    func onExecutor() {
        controller.observe(tank, \.level, options: [.initial, .old, .new], on: pump) { log, change in log.add(change) }
        tank.level = 1
        tank.level = 2
        #expect(log.take() == [])
        pump.run()
        #expect(log.take() == ["·→0", "0→1", "1→2"])
        #expect(tank.observationInfo[0].observer == "handler on an executor or queue (Pump) for Log")
    }

    @Test("11.1 On an actor and on the main actor")
    func onActors() async {
        let (recorder, calls) = (Recorder(), CallLog())
        controller.observe(tank, \.level, options: .new, on: recorder) { _, recorder, change in recorder.add(change) }
        controller.observe(tank, \.level, \.tags, options: .new, on: recorder) { _, recorder, change in
            recorder.add("several \(text(of: change))")
        }
        controller.observeOnMainActor(tank, \.level, options: .new) { _, change in
            MainActor.assertIsolated()
            calls.add(text(of: change))
        }
        controller.observeOnMainActor(tank, \.tags, \.level, options: .new) { _, change in
            calls.add("several \(text(of: change))")
        }
        tank.level = 1
        #expect(await recorder.lines(2).sorted() == ["several ·→1", "·→1"])
        #expect(await calls.lines(2).sorted() == ["several ·→1", "·→1"])
    }

    @Test("10.1 Several key paths share one line")
    func several() {
        observeBoth()
        tank.level = 1
        tank.tags = ["a"]
        tank.level = 2
        pump.run()
        #expect(log.take() == ["·→1", "·→[\"a\"]", "·→2"])
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

    @Test("11.4 The policy counts what waits of all key paths, also after one of them has ended")
    func policy() {
        observeBoth(.new, .newest(2))
        tank.level = 1
        tank.tags = ["a"]
        tank.tags = ["b"]
        controller.unobserve(tank, \.level)
        tank.tags = ["c"]
        tank.tags = ["d"]
        pump.run()
        #expect(log.take() == ["·→[\"c\"]", "·→[\"d\"]"])
    }

    @Test("1.7 The same call from the same line counts once; .replace drops what waits of the one before")
    func duplicates() {
        for _ in 0..<2 { observeBoth() }
        tank.level = 1
        pump.run()
        #expect(log.take() == ["·→1"])

        let replacing = KVOController(observer: log, duplicates: .replace)
        for number in 0..<2 {
            replacing.observe(tank, \.level, on: pump) { log, _ in log.add("\(number)") }
            tank.level = 2
        }
        controller.unobserveAll()
        pump.run()
        #expect(log.take() == ["1"])
    }

    @Test("1.7 With the observer's death nothing more is delivered, and the registrations go")
    func observerDies() {
        var observer: Log? = Log()
        let other = KVOController(observer: observer!)
        other.observe(tank, \.level, on: pump) { [log] _, _ in log.add("called") }
        tank.level = 1
        observer = nil
        pump.run()
        #expect(log.take() == [])
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("1.7 With the controller what waits goes, and the object is retained no longer")
    func controllerDies() {
        var other: KVOController<Log>? = KVOController(observer: log)
        weak var observed: Tank?
        do {
            let tank = Tank()
            observed = tank
            other?.observe(tank, \.level, \.tags, on: pump) { log, _ in log.add("called") }
            tank.level = 1
        }
        #expect(observed != nil)
        other = nil
        pump.run()
        #expect(log.take() == [])
        #expect(observed == nil)
    }

    @Test("1.7 11.1 An actor that dies ends the registrations of its controller, too")
    func recipientDies() async {
        var recorder: Recorder? = Recorder()
        controller.observe(tank, \.level, \.tags, on: recorder!) { _, _, _ in }
        #expect(tank.observationInfo.count == 2)
        recorder = nil
        tank.level = 1
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("11.3 .prior traps and names who observes")
    func prior() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let log = Log()
            KVOController(observer: log).observe(Tank(), \.level, options: .prior, on: Pump()) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("level of Tank cannot be observed with .prior by a handler on an executor or queue"))
    }
}
