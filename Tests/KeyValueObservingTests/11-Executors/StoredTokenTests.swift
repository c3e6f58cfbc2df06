// Tokens that a controller keeps.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.1 1.7 11 A token that is stored in a controller")
struct StoredTokenTests {
    private let tank = Tank()
    private let pump = Pump()
    private let log = Log()

    @Test(
        "1.7 unobserve of an object ends what several key paths of it deliver, and of one key path what is of that alone",
        .enabled(if: hasReflectionMetadata)
    )
    func unobserve() {
        let kvo = KVOController(observer: log)
        tank.changes(of: \.level, \.tags).deliver(on: pump) { [log] in log.add($0) }.store(in: kvo)
        tank.values(of: \.level).deliver(on: pump) { [log] in log.add("\($0)") }.store(in: kvo)
        kvo.unobserve(tank, \.level)
        #expect(tank.observationInfo.map(\.keyPath) == ["level", "tags"])
        tank.level = 1
        pump.run()
        #expect(log.take() == ["0→1"])
        kvo.unobserve(tank)
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("1.7 The controller's policy does not apply", arguments: [true, false])
    func duplicates(isStoredFirst: Bool) {
        let kvo = KVOController(observer: log, duplicates: .ignore)
        func store() { tank.observe(\.level) { [log] in log.add($1) }.store(in: kvo) }
        func observe() { kvo.observe(tank, \.level) { $0.add($2) } }
        if isStoredFirst { store() }
        observe()
        for _ in 0..<2 { store() }
        tank.level = 1
        #expect(log.take().count == (isStoredFirst ? 4 : 3))
    }

    @Test("1.7 It ends at once if the observer has died")
    func observerIsGone() {
        let kvo: KVOController<Tank>
        do { kvo = KVOController(observer: Tank()) }
        let token = tank.observe(\.level) { _, _ in }
        token.store(in: kvo)
        #expect(token.isInvalidated && tank.observationInfo.isEmpty)
    }

    @Test("1.7 It ends with the observer, though the controller lives", arguments: [true, false])
    func observerDies(isAsked: Bool) {
        var observer: Tank? = Tank()
        let kvo = KVOController(observer: observer!)
        let token = tank.observe(\.level) { [log] in log.add($1) }
        token.store(in: kvo)
        tank.level = 1
        #expect(log.take() == ["0→1"] && tank.observationInfo.map(\.observer) == ["Tank"])
        observer = nil
        if isAsked {
            #expect(token.isInvalidated && tank.observationInfo.isEmpty && !tank.isObserved(\.level))
        }
        tank.level = 2
        #expect(log.take() == [] && token.isInvalidated)
    }

    @Test("1.7 13.2 Both directions of a binding end with one of the objects")
    func bothWays() {
        let (other, kvo) = (Tank(), KVOController(observer: log))
        tank.bindBothWays(\.level, to: other, \.level).store(in: kvo)
        tank.level = 1
        #expect(other.level == 1)
        kvo.unobserve(other)
        tank.level = 2
        other.level = 3
        #expect(tank.level == 2 && other.level == 3)
        #expect(tank.observationInfo.isEmpty && other.observationInfo.isEmpty)
    }

    @Test("1.7 The controller retains no object for it, and leaves it out of ignored changes")
    func lifetime() {
        let kvo = KVOController(observer: log)
        weak var weakTank: Tank?
        do {
            let tank = Tank()
            weakTank = tank
            tank.observe(\.level) { [log] in log.add($1) }.store(in: kvo)
            kvo.ignoringChanges { tank.level = 1 }
            tank.level = 2
        }
        #expect(weakTank == nil && log.take() == ["1→2"])
    }

    @Test("1.7 11.1 An actor that dies ends it")
    func recipientDies() {
        let kvo = KVOController(observer: log)
        var recorder: Recorder? = Recorder()
        tank.changes(of: \.level, \.tags).deliver(to: recorder!) { _, _ in }.store(in: kvo)
        #expect(tank.observationInfo.count == 2)
        recorder = nil
        tank.level = 1
        #expect(tank.observationInfo.isEmpty)
    }
}
