// Changes that nobody is notified of, made in handlers: 3.4.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.4 Changes in handlers that nobody is notified of")
struct SilentChangeTests {
    private let log = Log()

    private func changes(_ body: @escaping (Ledger) -> Void, then others: (Ledger) -> KeyValueObservation?) -> [String]
    {
        let ledger = Ledger()
        let tokens = [
            ledger.observe(\.number) { [log] ledger, _ in
                body(ledger)
                log.add("first")
            },
            ledger.observe(\.number) { [log] _, _ in log.add("second") },
        ]
        let other = others(ledger)
        ledger.number = 1
        withExtendedLifetime((tokens, other)) {}
        return log.take()
    }

    @Test("3.4 A set of a property that nobody observes leaves what is being delivered alone")
    func unobserved() {
        let lines = changes({ $0.label = "one" }, then: { _ in nil })
        #expect(lines == ["first", "second"])
    }

    @Test("3.4 So does a change through a view, also where somebody observed the property before")
    func viewOfUnobserved() {
        let lines = changes { ledger in
            ledger.mutable(\.items).append(1)
        } then: { ledger in
            ledger.observe(\.items) { _, _ in }.invalidate()
            return nil
        }
        #expect(lines == ["first", "second"])
    }

    @Test("3.4 4.2 So does a set of a property that notifies manually, which somebody observes")
    func manual() {
        let lines = changes { ledger in
            ledger.quiet.append(1)
        } then: { [log] ledger in
            ledger.observe(\.quiet) { _, _ in log.add("quiet") }
        }
        #expect(lines == ["first", "second"])
    }
}

private final class Ledger: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var label = ""
    @Observed var items: [Int] = []
    @Observed var quiet: [Int] = []

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Ledger.quiet }
}
