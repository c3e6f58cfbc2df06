// Values that equal the one a registration was called with last are left out on request.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

private final class Gauge: KeyValueCodable, @unchecked Sendable {
    static var keyPathsByKey: [String: AnyKeyPath] { ["chart": \Gauge.chart] }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var marks: [Int] = [1]
    @Observed var chart = Chart()
}

/// Values of it cannot be compared.
private struct Chart {}

@Suite("16.1 Distinct values")
struct DistinctTests {
    private let gauge = Gauge()
    private let log = Log()

    @Test("16.1 11.4 What was dropped was not delivered, and is not compared with")
    func dropped() async {
        var changes = gauge.changes(of: \.level, options: [.old, .new, .distinct]).buffer(policy: .bufferingNewest(1))
            .makeAsyncIterator()
        gauge.level = 1
        gauge.level = 0
        gauge.level = 5
        gauge.level = 0
        // What waits equals the value at the registration: only the next one is delivered.
        let next = Task { [gauge] in
            while gauge.observationInfo.first.map({ $0.droppedCount < 3 }) ?? true { await Task.yield() }
        }
        await next.value
        gauge.level = 7
        #expect(await changes.next().map { text(of: $0) } == "0→7")
        gauge.level = 8
        gauge.level = 7
        gauge.level = 9
        #expect(await changes.next().map { text(of: $0) } == "7→9")
    }

    @Test("16.1 Each registration has its own last value")
    func late() {
        let first = gauge.observe(\.level, options: [.old, .new, .distinct]) { [log] in log.add($1, as: "first") }
        first.ignoringChanges { gauge.level = 1 }
        let second = gauge.observe(\.level, options: [.old, .new, .distinct]) { [log] in log.add($1, as: "second") }
        gauge.level = 0
        #expect(log.take() == ["second 1→0"])
        gauge.level = 1
        #expect(log.take() == ["first 0→1", "second 0→1"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("16.1 The prior call comes for every change, with the value that was delivered last")
    func prior() {
        let token = gauge.observe(\.level, options: [.old, .new, .prior, .distinct]) { [log] in log.add($1) }
        gauge.level = 0
        gauge.level = 1
        token.ignoringChanges { gauge.level = 2 }
        gauge.level = 1
        #expect(log.take() == ["prior 0→·", "prior 0→·", "0→1", "prior 1→·"])
    }

    @Test(
        "16.1 Changes of elements are always told, and the whole after them counts as told; several in a transaction are a setting",
        arguments: [true, false])
    func elements(isInTransaction: Bool) {
        let token = gauge.observe(\.marks, options: [.old, .new, .distinct]) { [log] in log.add($1) }
        func change() {
            gauge.mutable(\.marks).append(2)
            gauge.mutable(\.marks).removeLast()
        }
        if isInTransaction { withKeyValueTransaction(change) } else { change() }
        #expect(log.take() == (isInTransaction ? [] : ["insertion ·→[2]", "removal [2]→·"]))
        gauge.marks = [1]
        #expect(log.take() == [])
        gauge.marks = []
        #expect(log.take() == ["[1]→[]"])
        withExtendedLifetime(token) {}
    }

    @Test("16.1 By name, values that cannot be compared throw an error that says so")
    func notEquatableByName() {
        let error = #expect(throws: KeyValueCodingError.self) {
            _ = try gauge.observe("chart", options: .distinct) { _, _ in }
        }
        #expect(error?.code == .typeMismatch)
        #expect(
            error?.description.contains(
                #"Gauge cannot be observed at "chart" with .distinct: values of Chart cannot be compared"#) ?? false)
        #expect(gauge.observationInfo.isEmpty)
    }

    @Test("16.1 Values that cannot be compared trap, of key paths and of expressions")
    func notEquatable() async {
        let expression = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Gauge().observe(reading: { ($0.level, $0.chart) }, options: .distinct) { _, _ in }
        }
        #expect(words("the expression at", "cannot be compared", missingIn: message(of: expression)) == [])
        let keyPath = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let log = Log()
            KVOController(observer: log).observe(Gauge(), \.chart, options: .distinct) { _, _, _ in }
            withExtendedLifetime(log) {}
        }
        let sentence = "chart of Gauge cannot be observed with .distinct: values of Chart cannot be compared"
        #expect(words(sentence, missingIn: message(of: keyPath)) == [])
    }
}
