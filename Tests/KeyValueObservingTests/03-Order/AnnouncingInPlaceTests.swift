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

    @Test("4.2 An access to a property that notifies manually is silent, and so is one that only a path follows")
    func silentAccess() {
        let (meter, log) = (Meter(), Log())
        let token = meter.observe(\.quiet, options: [.old, .new]) { log.add($1) }
        meter.quiet.change { $0 = 1 }
        let path = meter.observe(\.sum, options: [.old, .new]) { log.add($1) }
        meter.quiet.change { $0 = 2 }
        #expect(log.take() == [])
        withExtendedLifetime((token, path)) {}
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

    @Test("3.5 10.2 What accesses announce in a transaction is evaluated once, at the end")
    func evaluatedOnce() {
        let (meter, log) = (Meter(), Log())
        let token = meter.observe(\.sum, options: [.old, .new]) { log.add($1) }
        meter.evaluations = 0
        withKeyValueTransaction {
            for value in 1...3 {
                meter.quiet.change { quiet in meter.changeValue(for: \.quiet) { quiet = value } }
            }
        }
        #expect(log.take() == ["0→3"] && meter.evaluations == 1)
        withExtendedLifetime(token) {}
    }

    @Test("3.4 A silent set in a handler leaves the order of deliveries alone")
    func silentSetInAHandler() {
        let (meter, log) = (Meter(), Log())
        let tokens = [
            meter.observe(\.level) { meter, _ in
                meter.quiet = 1
                meter.quiet += 1
                log.add("first")
            },
            meter.observe(\.level) { _, _ in log.add("second") },
            meter.observe(\.quiet) { _, _ in log.add("quiet") },
        ]
        meter.level = 1
        #expect(log.take() == ["first", "second"])
        withExtendedLifetime(tokens) {}
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
