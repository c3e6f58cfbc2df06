// How much of everything there may be, and what users get wrong: section 9, 3.4 and 9.4.
import Foundation
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("9 Limits", .timeLimit(.minutes(20)))
struct LimitTests {
    /// Sanitizers make everything many times slower.
    private static func many(_ count: Int) -> Int { isUnderSanitizer ? count / 50 : count }

    /// Whether what a body allocates and keeps is less than so many bytes.
    private static func keepsLess(than bytes: Int, _ body: () -> Void) -> Bool {
        let kept = bytesKept(by: body)
        return isUnderSanitizer || kept < bytes
    }

    @Test("1.8 3.2 100,000 observers of one property are called in order, and end")
    func manyObservers() {
        let gauge = Gauge()
        var calls: [Int] = []
        let count = Self.many(100_000)
        var tokens = (0..<count).map { number in gauge.observe(\.level) { _, _ in calls.append(number) } }
        gauge.level = 1
        #expect(calls == Array(0..<count))
        // Each removal in the middle makes the list anew, so most go at the end.
        while let last = tokens.popLast() { last.invalidate() }
        gauge.level = 2
        #expect(calls.count == count && gauge.observationInfo.isEmpty)
    }

    @Test("1.6 20,000 objects that were observed leave nothing")
    func manyObjects() async {
        await #expect(processExitsWith: .success) {
            func observe(_ count: Int) {
                for _ in 0..<count {
                    let gauge = Gauge()
                    let token = gauge.observe(\.level) { _, _ in }
                    gauge.level = 1
                    withExtendedLifetime(token) {}
                }
            }
            observe(10_000)
            #expect(Self.keepsLess(than: 20_000) { observe(Self.many(20_000)) })
        }
    }

    @Test("9.1 1.6 10,000 threads, one after the other, observe and change")
    func manyThreads() async {
        await #expect(processExitsWith: .success) {
            let gauge = Gauge()
            let shared = Unchecked(value: gauge)
            func run(_ count: Int) {
                for _ in 0..<count / 10 {
                    onThreads(10) { _ in
                        let own = Gauge()
                        let token = own.observe(\.doubled) { _, _ in }
                        own.level = 1
                        shared.value.observe(\.level) { _, _ in }.invalidate()
                        withExtendedLifetime(token) {}
                    }
                }
            }
            let token = gauge.observe(\.level) { _, _ in }
            run(1_000)
            #expect(Self.keepsLess(than: 50_000) { run(Self.many(10_000)) })
            withExtendedLifetime(token) {}
        }
    }

    @Test("2.1 3.1 1.6 Properties that share the bit of observed properties are distinguished")
    func sharedBit() {
        let (panel, log) = (Panel(), Log())
        let first = panel.observe(\.first) { _, _ in log.add("first") }
        let second = panel.observe(\.second) { _, _ in log.add("second") }
        (panel.second, panel.between) = (1, 1)
        #expect(log.take() == ["second"])
        second.invalidate()
        (panel.first, panel.second) = (1, 2)
        #expect(log.take() == ["first"] && panel.isObserved(\.first) && !panel.isObserved(\.second))
        withExtendedLifetime(first) {}
    }

    // #108
    @Test("6.2 A getter that returns a new object each time is followed to the last one, and leaves nothing")
    func newObjects() async {
        await #expect(processExitsWith: .success) {
            let gauge = Gauge()
            var lines: [String] = []
            let token = gauge.observe(\.fresh.level, options: [.old, .new]) { _, change in
                if lines.count < 3 { lines.append(text(of: change)) }
            }
            for level in 1...3 { gauge.level = level }
            #expect(lines == ["0→1", "1→2", "2→3"])
            #expect(Self.keepsLess(than: 20_000) { for level in 0..<Self.many(20_000) { gauge.level = level } })
            withExtendedLifetime(token) {}
        }
    }

    @Test("4.3 9.4 A set in an initializer notifies no observer; a set in a deinit is delivered, and nothing after it")
    func lifecycle() {
        let log = Log()
        var tokens: [KeyValueObservation] = []
        do {
            let fleeting = Fleeting { fleeting in
                tokens.append(fleeting.observe(\.level, options: [.old, .new]) { log.add($1) })
            }
            fleeting.level = 2
        }
        #expect(log.take() == ["1→2", "2→3"])
        #expect(tokens[0].isInvalidated)
    }

    @Test("9.1 A change may be made, and an observation begin and end, while the user holds a Mutex")
    func mutexHeld() async {
        await #expect(processExitsWith: .success) {
            stopsItself {
                let (gauge, log) = (Gauge(), Log())
                let mutex = Mutex(())
                let token = mutex.withLock { _ in
                    let token = gauge.observe(\.level, options: .new) { log.add($1) }
                    gauge.level = 1
                    withKeyValueTransaction { gauge.level = 2 }
                    return token
                }
                mutex.withLock { _ in token.invalidate() }
                #expect(log.take() == ["·→1", "·→2"])
            }
        }
    }
}

private final class Gauge: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var next: Gauge?
    var doubled: Int { level * 2 }
    var fresh: Gauge {
        let gauge = Gauge()
        gauge.level = level
        return gauge
    }
}

/// Changes while it is made and while it ends.
private final class Fleeting: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0

    init(_ whenMade: (Fleeting) -> Void) {
        level = 1
        whenMade(self)
    }

    deinit { level = 3 }
}

/// Has two properties that lie 64 words apart, which is how many bits there are.
private final class Panel: KeyValueObservable {
    struct Four<Value> {
        let values: (Value, Value, Value, Value)

        init(_ value: Value) { values = (value, value, value, value) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    private let gap = (Four(Four(0)), Four(Four(0)), Four(Four(0)), Four(0), Four(0), Four(0), 0, 0, 0)
    @Observed var second = 0
    @Observed var between = 0
}
