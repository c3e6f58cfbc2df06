// A limit of events, and what is left out because of it: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    // The limit is the process's, so these have one of their own.
    @Test(
        "19.1 With a limit, what comes later is counted until the limit is renewed; what comes from an event is recorded"
    )
    func limit() async {
        await #expect(processExitsWith: .success) {
            let (cart, log) = (Cart(), CallLog())
            let tokens = [
                cart.observe(\.count) { cart, _ in if cart.count < 10 { cart.price += 1 } },
                cart.observe(\.price) { _, _ in },
                cart.observe(\.count) { _, _ in log.calls += 1 },
            ]
            let limited = KeyValueTrace.beginPart(eventLimit: 1)
            cart.count = 1
            let first: [KeyValueTrace.Kind] = [.change, .delivery, .delivery, .change, .delivery]
            #expect(KeyValueTrace.events.of(cart).map(\.kind) == first)
            cart.count = 10
            cart.count = 11
            withKeyValueTransaction { cart.count = 12 }
            #expect(KeyValueTrace.events.of(cart).count == first.count)
            #expect(KeyValueTrace.unrecordedCount >= 3)
            #expect(log.calls == 4)
            limited.renewLimit()
            cart.count = 13
            #expect(KeyValueTrace.events.of(cart).map(\.kind) == first + [.change, .delivery, .delivery])
            limited.end()
            let count = KeyValueTrace.unrecordedCount
            for value in 14...16 { cart.count = value }
            #expect(KeyValueTrace.unrecordedCount == count, "off, nobody is asked")
            let part = KeyValueTrace.beginPart(eventLimit: 1)
            cart.count = 17
            part.end()
            cart.count = 18
            #expect(KeyValueTrace.unrecordedCount == count)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("19.1 With a limit, registrations and their ends are recorded all the same")
    func limitOfRegistrations() async {
        await #expect(processExitsWith: .success) {
            let cart = Cart()
            let token = cart.observe(\.count) { _, _ in }
            let part = KeyValueTrace.beginPart(eventLimit: 1)
            cart.count = 1
            cart.count = 2
            cart.observe(\.price) { _, _ in }.invalidate()
            #expect(KeyValueTrace.events.of(cart).map(\.kind) == [.change, .delivery, .registration, .end])
            withExtendedLifetime((token, part)) {}
        }
    }

    @Test("19.1 A change of what paths and computed properties depend on is left out as well")
    func limitOfPaths() async {
        await #expect(processExitsWith: .success) {
            let (cart, log) = (Cart(), Log())
            let tokens = [
                cart.observe(\.total, options: [.old, .new]) { log.add($1) },
                cart.observe(\.count, options: [.prior, .old, .new]) { log.add($1) },
            ]
            cart.price = 10
            let part = KeyValueTrace.beginPart(eventLimit: 1)
            cart.count = 1
            let first = KeyValueTrace.events.of(cart).map(\.number)
            _ = log.take()
            cart.count = 2
            #expect(log.take() == ["prior 1→·", "10→20", "1→2"])
            #expect(KeyValueTrace.events.of(cart).map(\.number) == first && !first.isEmpty)
            withExtendedLifetime((tokens, part)) {}
        }
    }
}

private final class CallLog {
    var calls = 0
}
