// A registration that ends itself in its own initial call: 1.3.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

/// A form of registering, whose handler is called with each change and its key path's value.
private struct EndingForm: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Registers with the options, for as long as the result lives; the handler logs, and ends what the function says.
    let register: @Sendable (Meter, KeyValueObservingOptions, Log, @escaping @Sendable (Int) -> Bool) -> Any

    static let all: [Self] = [
        Self(testDescription: "a token") { meter, options, log, ends in
            meter.observe(\.level, options: options) { if ends(log.note($1)) { $1.endObservation() } }
        },
        Self(testDescription: "a computed property") { meter, options, log, ends in
            meter.observe(\.double, options: options) { if ends(log.note($1)) { $1.endObservation() } }
        },
        Self(testDescription: "several key paths") { meter, options, log, ends in
            meter.observe(\.level, \.double, options: options) { if ends(log.note($1)) { $1.endObservation() } }
        },
        Self(testDescription: "a list of key paths") { meter, options, log, ends in
            meter.observe(keyPaths: [\.level, \.double], options: options) {
                if ends(log.note($1)) { $1.endObservation() }
            }
        },
        Self(testDescription: "an expression") { meter, options, log, ends in
            meter.observe(reading: { $0.level }, options: options) { if ends(log.note($1)) { $1.endObservation() } }
        },
        Self(testDescription: "each element") { meter, options, log, ends in
            meter.observe(eachOf: \.parts, \.level, options: options) { if ends(log.note($2)) { $2.endObservation() } }
        },
        Self(testDescription: "a name") { meter, options, log, ends in
            let token = try? meter.observe("level", options: options) {
                if ends(log.note($1)) { $1.endObservation() }
            }
            return token as Any
        },
        Self(testDescription: "a controller") { meter, options, log, ends in
            let controller = KVOController(observer: log)
            controller.observe(meter, \.level, options: options) { if ends($0.note($2)) { $2.endObservation() } }
            return controller
        },
        Self(testDescription: "a controller's action") { meter, options, log, ends in
            let reader = Reader(log, ends)
            reader.kvo.observe(meter, \.level, options: options, action: Reader.levelDidChange)
            return reader
        },
        Self(testDescription: "a controller and several key paths") { meter, options, log, ends in
            let controller = KVOController(observer: log)
            controller.observe(meter, \.level, \.double, options: options) {
                if ends($0.note($2)) { $2.endObservation() }
            }
            return controller
        },
        Self(testDescription: "a controller and an expression") { meter, options, log, ends in
            let controller = KVOController(observer: log)
            controller.observe(meter, reading: { $0.level }, options: options) {
                if ends($0.note($2)) { $2.endObservation() }
            }
            return controller
        },
        Self(testDescription: "a controller and each element") { meter, options, log, ends in
            let controller = KVOController(observer: log)
            controller.observe(meter, eachOf: \.parts, \.level, options: options) {
                if ends($0.note($3)) { $3.endObservation() }
            }
            return controller
        },
        Self(testDescription: "names through a controller") { meter, options, log, ends in
            let controller = KVOController(observer: log)
            try? controller.observe(meter, keyPaths: ["level", "double"], options: options) {
                if ends($0.note($2)) { $2.endObservation() }
            }
            return controller
        },
        Self(testDescription: "the observed side") { meter, options, log, ends in
            meter.addObserver(log, for: \.level, \.double, options: options) {
                if ends($0.note($2)) { $2.endObservation() }
            }
            return log
        },
    ]
}

private final class Meter: KeyValueCodable, @unchecked Sendable {
    static var keyPathsByKey: [String: AnyKeyPath] { ["level": \Meter.level, "double": \Meter.double] }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var parts: [Meter] = []
    var double: Int { level * 2 }
}

private final class Reader {
    private(set) lazy var kvo = KVOController(observer: self)
    private let log: Log
    private let ends: (Int) -> Bool

    init(_ log: Log, _ ends: @escaping (Int) -> Bool) {
        self.log = log
        self.ends = ends
    }

    func levelDidChange(_ change: KeyValueObservedChange<Int>) {
        if ends(log.note(change)) { change.endObservation() }
    }
}

extension Log {
    /// Adds a change, and returns how many there are.
    fileprivate func note<Value>(_ change: KeyValueObservedChange<Value>) -> Int {
        add(change)
        return lines.count
    }
}

@Suite("1.3 Ending a registration inside its own initial call")
struct EndObservationTests {
    private let meter = Meter()
    private let log = Log()

    private func change(_ level: Int) {
        meter.level = level
        for part in meter.parts { part.level = level }
    }

    private var listed: Int { meter.observationInfo.count + meter.parts.map(\.observationInfo.count).reduce(0, +) }

    @Test("1.3 In every form the initial call may end it, and nothing comes after that", arguments: EndingForm.all)
    private func insideInitial(_ form: EndingForm) {
        meter.parts = [Meter(), Meter()]
        let keeper = form.register(meter, [.initial, .new], log) { _ in true }
        #expect(log.take() == ["·→0"])
        #expect(listed == 0)
        change(1)
        #expect(log.take() == [])
        withExtendedLifetime(keeper) {}
    }

    @Test("1.3 So may any later call of it, with .distinct too", arguments: EndingForm.all, [false, true])
    private func later(_ form: EndingForm, isDistinct: Bool) {
        meter.parts = [Meter()]
        let keeper = form.register(meter, isDistinct ? [.initial, .new, .distinct] : [.initial, .new], log) { $0 > 2 }
        change(1)
        change(2)
        #expect(log.take().count == 3)
        #expect(listed == 0)
        change(3)
        #expect(log.take() == [])
        withExtendedLifetime(keeper) {}
    }

    @Test("1.3 The token that observe returns has ended, and the handler is released")
    func token() {
        final class Captured {}
        var captured: Captured? = Captured()
        weak let weakCaptured = captured
        let token = meter.observe(\.level, options: .initial) { [captured] _, change in
            withExtendedLifetime(captured) { change.endObservation() }
        }
        captured = nil
        #expect(token.isInvalidated)
        #expect(weakCaptured == nil)
    }

    @Test("1.3 Other registrations of the same line stay, and a change made before the end is delivered")
    func others() {
        let tokens = (0..<3).map { number in
            meter.observe(\.level, options: [.initial, .new]) { [log] meter, change in
                log.add("\(number) \(change.newValue!)")
                if number == 1, change.newValue == 0 {
                    meter.level = 1
                    change.endObservation()
                    change.endObservation()
                }
            }
        }
        #expect(log.take() == ["0 0", "1 0", "0 1", "1 1", "2 1"])
        meter.level = 2
        #expect(log.take() == ["0 2", "2 2"])
        #expect(tokens.map(\.isInvalidated) == [false, true, false])
    }

    @Test("1.7 A controller lets go of the object with the registration that ended")
    func retained() {
        let controller = KVOController(observer: log)
        weak var observed: Meter?
        do {
            let meter = Meter()
            observed = meter
            controller.observe(meter, \.level, options: .initial) { _, _, change in change.endObservation() }
            controller.observe(meter, \.double, options: .initial) { _, meter, change in
                if meter.level > 0 { change.endObservation() }
            }
            #expect(meter.observationInfo.count == 1 && !meter.isObserved(\.level))
            meter.level = 1
        }
        #expect(observed == nil)
        withExtendedLifetime(controller) {}
    }

    @Test("1.3 In a transaction, too")
    func transaction() {
        let token = meter.observe(\.level, options: [.initial, .new]) { [log] _, change in
            if log.note(change) == 2 { change.endObservation() }
        }
        withKeyValueTransaction { meter.level = 1 }
        withKeyValueTransaction { meter.level = 2 }
        #expect(log.take() == ["·→0", "·→1"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "1.3 Elsewhere nothing of the call is delivered after the initial call that ended it", arguments: [false, true])
    func elsewhere(isSeveral: Bool) {
        let (pump, log, tank) = (Pump(), log, Tank())
        let token =
            isSeveral
            ? tank.observe(\.level, \.tags, options: [.initial, .new], on: pump) { change in
                log.add(change)
                change.endObservation()
            }
            : tank.observe(\.level, options: [.initial, .new], on: pump) { change in
                log.add(change)
                change.endObservation()
            }
        tank.level = 1
        tank.tags = ["a"]
        pump.run()
        #expect(log.take() == ["·→0"])
        #expect(token.isInvalidated && tank.observationInfo.isEmpty)
        tank.level = 2
        pump.run()
        #expect(log.take() == [])
    }

    @Test("1.3 On an actor and on the main actor, too")
    func onActors() async {
        let (recorder, log, tank) = (Recorder(), CallLog(), Tank())
        let token = tank.observe(\.level, options: [.initial, .new], on: recorder) { recorder, change in
            recorder.add(change)
            change.endObservation()
        }
        let other = tank.observeOnMainActor(\.level, options: [.initial, .new]) { change in
            log.add(text(of: change))
            change.endObservation()
        }
        #expect(await recorder.lines(1) == ["·→0"])
        #expect(await log.lines(1) == ["·→0"])
        await recorder.perform { _ in #expect(token.isInvalidated) }
        await MainActor.run { #expect(other.isInvalidated) }
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("1.3 12.1 An iteration is over when a change of it ends it, and others go on")
    func iteration() async {
        let tank = Tank()
        let changes = tank.changes(of: \.level, options: [.initial, .new])
        var (iterator, other) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
        tank.level = 1
        await iterator.next()?.endObservation()
        #expect(await iterator.next() == nil)
        #expect(await other.next()?.newValue == 0)
        #expect(await other.next()?.newValue == 1)
    }

    @Test("1.3 Without .initial it traps, and says what to do")
    func withoutInitial() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let meter = Meter()
            let token = meter.observe(\.level) { _, change in change.endObservation() }
            meter.level = 1
            withExtendedLifetime(token) {}
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("endObservation() cannot end the observation of level that was registered at"))
        #expect(message.contains("without .initial. Register with .initial, or end it by its token's invalidate()"))
    }

    @Test("1.3 A change made by hand ends nothing")
    func madeByHand() {
        KeyValueObservedChange(kind: .setting, newValue: 1, keyPath: \Meter.level).endObservation()
    }
}
