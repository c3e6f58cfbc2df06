// What has no end, and a stack that is nearly full, while somebody traces: 3.4, 19.2.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Test(
        "3.4 19.2 An endless change traps and names the properties while somebody traces, too",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func endless() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            onASmallStack {
                let cart = Cart()
                let tokens = [
                    cart.observe(\.count, fileID: "Count.swift", line: 7) { cart, _ in cart.price += 1 },
                    cart.observe(\.price, fileID: "Price.swift", line: 8) { cart, _ in cart.count += 1 },
                ]
                KeyValueTrace.start(capacity: 10)
                cart.count = 1
                withExtendedLifetime(tokens) {}
            }
        }
        let message = message(of: result)
        #expect(message.contains("endless"))
        #expect(message.contains("count (registered at Count.swift:7)"))
        #expect(message.contains("price (registered at Price.swift:8)"))
    }
}
