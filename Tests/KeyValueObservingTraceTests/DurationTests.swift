// When events end: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 Durations")
    struct DurationTests {
        private let cart = Cart()

        @Test("19.1 Each change has ended once its handlers have been called, the first one and those that follow")
        func changes() {
            let token = cart.observe(\.count) { _, _ in }
            let events = traced { for count in 1...3 { cart.count = count } }.of(cart).of(.change)
            #expect(events.map { $0.duration != nil } == [true, true, true])
            withExtendedLifetime(token) {}
        }

        @Test("19.1 A change is under way until all have been called, not only those that are called before it")
        func priors() {
            let log = Log()
            let token = cart.observe(\.count, options: .prior) { cart, change in
                let event = KeyValueTrace.events.of(cart).of(.change).last
                log.add("\(change.isPrior ? "before" : "after"): \(event?.duration == nil ? "under way" : "ended")")
            }
            let events = traced { cart.count = 1 }.of(cart).of(.change)
            #expect(log.lines == ["before: under way", "after: under way"])
            #expect(events.map { $0.duration != nil } == [true])
            withExtendedLifetime(token) {}
        }

        @Test("19.1 A change in a transaction has ended when it was noted, before the handlers are called")
        func transaction() {
            let log = Log()
            let token = cart.observe(\.count) { cart, _ in
                log.add("\(KeyValueTrace.events.of(cart).of(.change).map { $0.duration != nil })")
            }
            let events = traced {
                withKeyValueTransaction {
                    cart.count = 1
                    cart.count = 2
                }
            }
            #expect(log.lines == ["[true, true]"])
            #expect(events.of(cart).of(.change).map { $0.duration != nil } == [true, true])
            withExtendedLifetime(token) {}
        }
    }
}
