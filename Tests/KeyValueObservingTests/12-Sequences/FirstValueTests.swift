// Waiting for one value or change, in each isolation: 12.1, 12.2 and 9.6.
import KeyValueObserving
import TestSupport
import Testing

/// A model that belongs to whoever has it.
private final class Plain: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isReady = false
    @Observed var level = 0
}

@MainActor
private final class OfMainActor: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isReady = false
}

@Suite("12 Waiting for one value")
struct FirstValueTests {
    @Test("12.1 A value that comes later is waited for, whichever thread makes the change")
    func shared() async {
        let tank = Tank()
        let change = Task.detached { for level in 1...100 { tank.level = level } }
        #expect(await tank.values(of: \.level).first { $0 == 100 } == 100)
        await change.value
    }

    @Test("12.1 9.6 A model of the main actor is read there")
    @MainActor
    func onMainActor() async {
        let model = OfMainActor()
        let change = Task { model.isReady = true }
        let value = await model.values(of: \.isReady).first { $0 }
        #expect(value == true && model.observationInfo.isEmpty)
        await change.value
        let next = Task { model.isReady = false }
        #expect(await model.changes(of: \.isReady).first { $0.newValue == false }?.oldValue == true)
        await next.value
    }

    @Test("12.1 Each value is tested once, in order, until one satisfies the condition")
    func tested() async {
        let plain = Plain()
        let log = Log()
        var iterator = plain.changes(of: \.level, options: .new).makeAsyncIterator()
        let value = await plain.values(of: \.level).first { level in
            log.add("\(level)")
            if level < 3 { plain.level = level + 1 }
            return level == 2
        }
        #expect(value == 2 && log.lines == ["0", "1", "2"])
        // The change that was made last was not taken, and goes with the registration.
        #expect(plain.observationInfo.count == 1)
        #expect(await iterator.next()?.newValue == 1)
    }

    @Test("12.2 If the object dies before there is one, it is nil")
    func death() async {
        let last = LastReference()
        let values = last.use { $0.values(of: \.level) }
        let hasBegun = Gate()
        let waiting = Task {
            await values.first { _ in
                hasBegun.open()
                return false
            }
        }
        await hasBegun.wait()
        #expect(last.release())
        #expect(await waiting.value == nil)
    }

    @Test("12.1 What the condition throws is thrown, and the registration ends")
    func throwing() async {
        struct Refusal: Error {}
        let tank = Tank()
        await #expect(throws: Refusal.self) { try await tank.values(of: \.level).first { _ in throw Refusal() } }
        #expect(tank.observationInfo.isEmpty)
    }
}
