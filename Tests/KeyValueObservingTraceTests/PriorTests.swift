// Observers that are called before a change: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Test(
        "19.1 19.2 Who is not called before a change, since their own has been announced, has no event",
        arguments: [false, true])
    func priorOfAnnounced(isDistinct: Bool) {
        let (cart, log) = (Cart(), Log())
        let options: KeyValueObservingOptions = isDistinct ? [.prior, .new, .distinct] : [.prior, .new]
        let token = cart.observe(\.total, options: options) { log.add($1) }
        cart.price = 1
        _ = log.take()
        let events = traced {
            cart.willChangeValue(for: \.total)
            cart.count = 2
            cart.didChangeValue(for: \.total)
        }.of(cart)
        #expect(log.lines == ["prior ·→·", "·→2"])
        #expect(events.of(.delivery).map(\.isPrior) == [true, false])
        #expect(events.of(.skip).isEmpty)
        withExtendedLifetime(token) {}
    }
}
