// The values of a change, when they are noted, and what they are of: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 Values")
    struct ValueTests {
        @Test("19.1 A change is printed once, with both values, also if observers are called before it")
        func printedOnce() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let cart = Cart()
                let token = cart.observe(\.count, options: [.prior, .old, .new]) { _, _ in }
                KeyValueTrace.start(valueLength: 10, printsChanges: true)
                cart.count = 1
                withExtendedLifetime(token) {}
            }
            let lines = message(of: result).split(separator: "\n").filter { $0.contains("count of Cart") }
            #expect(lines == ["KeyValueObserving: count of Cart: 0 → 1"])
        }
    }
}
