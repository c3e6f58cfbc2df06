// Manual changes that are announced while a property is being accessed in place: 3.5 and 4.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Pairs that overlap an access in place")
struct AnnouncingInPlaceTests {
    /// Where the access lies in relation to the pair.
    enum Pair: CaseIterable, Codable, Sendable {
        case within, beginsBefore, endsAfter

        var beginsInside: Bool { self != .beginsBefore }
        var endsInside: Bool { self != .endsAfter }
    }

    @Test(
        "3.5 4.2 A property whose pair overlaps an access to it is not read, and delivered once",
        arguments: Pair.allCases, [false, true])
    func ownProperty(pair: Pair, isQuiet: Bool) async {
        await #expect(processExitsWith: .success) { [pair, isQuiet] in
            let (meter, log, sum) = (Meter(), Log(), Chain<Int>())
            let keyPath = isQuiet ? \Meter.quiet : \Meter.level
            let tokens = [
                meter.observe(keyPath, options: [.old, .new]) { log.add($1) },
                meter.observe(\.sum, options: [.old, .new]) { sum.add($1) },
            ]
            for value in 1...2 {
                func access(_ stored: inout Int) {
                    if pair.beginsInside { meter.willChangeValue(for: keyPath) }
                    stored = value
                    if pair.endsInside { meter.didChangeValue(for: keyPath) }
                }
                if !pair.beginsInside { meter.willChangeValue(for: keyPath) }
                if isQuiet { access(&meter.quiet) } else { access(&meter.level) }
                if !pair.endsInside { meter.didChangeValue(for: keyPath) }
            }
            #expect(log.take() == ["0→1", "1→2"])
            #expect(sum.breaks(from: 0, to: 2) == "")
            withExtendedLifetime(tokens) {}
        }
    }

    @Test(
        "3.5 What is computed from a property, whose own pair overlaps an access to that, ends at the value it has",
        arguments: Pair.allCases, [false, true])
    func computed(pair: Pair, isTransaction: Bool) async {
        await #expect(processExitsWith: .success) { [pair, isTransaction] in
            let (meter, log) = (Meter(), Log())
            let token = meter.observe(\.sum, options: [.old, .new]) { log.add($1) }
            func run() {
                if !pair.beginsInside { meter.willChangeValue(for: \.sum) }
                meter.level.change {
                    if pair.beginsInside { meter.willChangeValue(for: \.sum) }
                    $0 += 1
                    meter.hidden += 10
                    if pair.endsInside { meter.didChangeValue(for: \.sum) }
                }
                guard !pair.endsInside else { return }
                meter.hidden += 10
                meter.didChangeValue(for: \.sum)
            }
            if isTransaction { withKeyValueTransaction(run) } else { run() }
            #expect(log.take() == ["0→\(meter.sum)"])
            withExtendedLifetime(token) {}
        }
    }
}

private class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var quiet = 0
    var hidden = 0
    var evaluations = 0
    var sum: Int {
        evaluations += 1
        return level + quiet + hidden
    }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Meter.quiet }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
