// Parts of the program that are traced: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    // Whether tracing is on is the process's, so each has one of its own.
    @Suite("19.1 Parts")
    struct PartTests {
        @Test("19.1 A part is traced from its beginning to its end, also if nobody holds it any more")
        func beginningAndEnd() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
                let part = KeyValueTrace.beginPart(valueLength: 1)
                cart.count = 10
                #expect(KeyValueTrace.isOn)
                part.end()
                part.end()
                #expect(!KeyValueTrace.isOn)
                cart.count = 2
                #expect(KeyValueTrace.events.lines == ["change count 0→1…", "change count › delivery count"])

                var other: KeyValueTrace.Part? = KeyValueTrace.beginPart()
                #expect(KeyValueTrace.isOn && other != nil)
                other = nil
                #expect(!KeyValueTrace.isOn)
                withExtendedLifetime(token) {}
            }
        }

        @Test("19.1 Tracing that was on goes on as it was started, during a part and after it")
        func wasOn() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
                KeyValueTrace.start(capacity: 3, valueLength: 10)
                let part = KeyValueTrace.beginPart(capacity: 100, eventLimit: 1)
                for count in 1...3 { cart.count = count }
                part.renewLimit()
                part.end()
                cart.count = 4
                let lines = ["delivery count", "change count 3→4", "change count › delivery count"]
                #expect(KeyValueTrace.events.lines == lines)
                #expect(KeyValueTrace.isOn)
                KeyValueTrace.stop()
                #expect(!KeyValueTrace.isOn)
                withExtendedLifetime(token) {}
            }
        }

        @Test("19.1 The limit of a part is renewed until tracing is started anew, which goes on after the part")
        func startedMeanwhile() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                let token = cart.observe(\.count) { _, _ in }
                let part = KeyValueTrace.beginPart(eventLimit: 1)
                for count in 1...3 { cart.count = count }
                #expect(KeyValueTrace.events.of(.change).count == 1)
                part.renewLimit()
                cart.count = 4
                #expect(KeyValueTrace.events.of(.change).count == 2)
                KeyValueTrace.start()
                cart.count = 5
                part.renewLimit()
                for count in 6...8 { cart.count = count }
                #expect(KeyValueTrace.events.of(.change).count == 4, "what was started has no limit")
                part.end()
                #expect(KeyValueTrace.isOn)
                withExtendedLifetime(token) {}
            }
        }

        @Test("19.1 Tracing that is stopped during a part ends with the part")
        func stoppedMeanwhile() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                let token = cart.observe(\.count) { _, _ in }
                KeyValueTrace.start()
                let part = KeyValueTrace.beginPart()
                let other = KeyValueTrace.beginPart()
                KeyValueTrace.stop()
                other.end()
                #expect(KeyValueTrace.isOn)
                cart.count = 1
                #expect(KeyValueTrace.events.lines == ["change count", "change count › delivery count"])
                withExtendedLifetime(token) {}
                part.end()
                #expect(!KeyValueTrace.isOn)
            }
        }

        @Test("19.1 A capacity, a length and a limit of a part that cannot be trap")
        func badSettings() async {
            await #expect(processExitsWith: .failure) { _ = KeyValueTrace.beginPart(capacity: 0) }
            await #expect(processExitsWith: .failure) { _ = KeyValueTrace.beginPart(valueLength: -1) }
            await #expect(processExitsWith: .failure) { _ = KeyValueTrace.beginPart(eventLimit: 0) }
        }
    }
}
