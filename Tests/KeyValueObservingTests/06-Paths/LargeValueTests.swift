// Large values of computed properties: 2.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.1 Large values of computed properties")
struct LargeValueTests {
    @Test("2.1 Large values before and after are kept as they are")
    func largeValues() {
        let (shop, log) = (Shop(), Log())
        let token = shop.observe(\.address, options: [.old, .new]) { log.add("\($1.oldValue!)→\($1.newValue!)") }
        shop.isOpen = true
        shop.isOpen = false
        #expect(log.take() == ["false f f f f f→true t t t t t", "true t t t t t→false f f f f f"])
        withExtendedLifetime(token) {}
    }
}

private final class Shop: KeyValueObservable {
    struct Address: CustomStringConvertible {
        var isOpen: Bool
        /// Larger than four words together.
        var lines: (String, String, String, String, String)

        var description: String { "\(isOpen) \(lines.0) \(lines.1) \(lines.2) \(lines.3) \(lines.4)" }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isOpen = false
    var address: Address {
        let line = isOpen ? "t" : "f"
        return Address(isOpen: isOpen, lines: (line, line, line, line, line))
    }
}
