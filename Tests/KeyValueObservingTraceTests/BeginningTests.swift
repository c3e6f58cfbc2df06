// What had begun before tracing did: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Test("19.1 A call because of a change that was noted before tracing began is no event")
    func beginningInATransaction() {
        let (cart, log) = (Cart(), Log())
        let token = cart.observe(\.count, options: [.old, .new]) { log.add($1) }
        var part: KeyValueTrace.Part?
        withKeyValueTransaction {
            cart.count = 1
            part = KeyValueTrace.beginPart()
        }
        cart.count = 2
        part?.end()
        #expect(log.lines == ["0→1", "1→2"])
        #expect(KeyValueTrace.events.of(cart).lines == ["change count", "change count › delivery count"])
        withExtendedLifetime(token) {}
    }
}
