// Accesses in place in a transaction, with announced changes around them and inside them: 10.2 and 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 3.5 Accesses in place in a transaction")
struct AccessInTransactionTests {
    private let gauge = Gauge()
    private let log = Log()

    /// What is delivered at the end of a transaction at a property, and at what is computed from it.
    private func delivered(_ property: KeyPath<Gauge, Int>, by body: () -> Void) -> [String] {
        let tokens = [
            gauge.observe(property, options: [.old, .new]) { [log] in log.add($1) },
            gauge.observe(\.sum, options: [.old, .new]) { [log] in log.add($1, as: "sum") },
        ]
        withKeyValueTransaction {
            body()
            #expect(log.take() == [])
        }
        withExtendedLifetime(tokens) {}
        return log.take()
    }

    @Test("10.2 An access is one change, also beside a set", arguments: [false, true])
    func access(isAfterSet: Bool) {
        let lines = delivered(\.level) {
            if isAfterSet { gauge.level = 1 }
            gauge.level.change { $0 = 3 }
        }
        #expect(lines == ["0→3", "sum 0→3"])
    }

    @Test(
        "3.5 A change that is announced within an access to the property belongs to the access",
        arguments: [false, true])
    func pairWithinAnAccess(isSetAfterwards: Bool) {
        let lines = delivered(\.level) {
            gauge.level.change { level in
                gauge.changeValue(for: \.level) { level = 2 }
                level = 3
            }
            if isSetAfterwards { gauge.other = 1 }
        }
        #expect(lines == ["0→3", isSetAfterwards ? "sum 0→4" : "sum 0→3"])
        gauge.level = 5
        #expect(log.take() == [])
    }

    @Test(
        "3.5 4.2 A change of a property that notifies by hand, announced within an access, is delivered with the access"
    )
    func pairWithinASilentAccess() {
        let lines = delivered(\.quiet) {
            gauge.quiet.change { quiet in
                gauge.changeValue(for: \.quiet) { quiet = 2 }
                quiet = 3
            }
            gauge.quiet.change { $0 = 4 }
        }
        #expect(lines == ["0→3", "sum 0→4"])
    }

    @Test("3.5 An access within an announced change belongs to that, also where something else changes meanwhile")
    func accessWithinAPair() {
        let lines = delivered(\.level) {
            gauge.changeValue(for: \.level) {
                gauge.level.change {
                    gauge.other = 1
                    $0 = 3
                }
            }
        }
        #expect(lines.sorted() == ["0→3", "sum 0→4"])
    }
}

private final class Gauge: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var other = 0
    @Observed var quiet = 0
    var sum: Int { other + level + quiet }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Gauge.quiet }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
