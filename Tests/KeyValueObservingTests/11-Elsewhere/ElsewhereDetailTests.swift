// Delivery in an actor, in the cases that come up seldom: 11.2, 11.4, 11.5, 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("11 C2 C3 Delivery in an actor, in the cases that come up seldom")
struct ElsewhereDetailTests {
    private let gauge = Gauge()
    private let recorder = Recorder()

    @Test("11.2 1.6 After the end of a registration nothing is evaluated for it")
    func nothingEvaluated() {
        let token = gauge.observe(\.shown, on: recorder) { _, _ in }
        gauge.level = 1
        #expect(gauge.evaluations.take().count > 0)
        token.invalidate()
        _ = gauge.evaluations.take()
        gauge.level = 2
        #expect(gauge.evaluations.take() == [] && gauge.observationInfo.isEmpty)
    }

    @Test("11.5 1.6 When the actor is gone, its registration has ended, and the next change is the last that evaluates")
    func actorGone() {
        var recorder: Recorder? = Recorder()
        weak let weakRecorder = recorder
        let token = recorder.map { gauge.observe(\.shown, on: $0) { _, _ in } }
        recorder = nil
        #expect(weakRecorder == nil && token?.isInvalidated == true && gauge.observationInfo.isEmpty)
        gauge.level = 1
        _ = gauge.evaluations.take()
        gauge.level = 2
        #expect(gauge.evaluations.take() == [])
    }

    @Test("13.3 11.1 What is ignored for a registration in an actor is not delivered there")
    func ignoring() async {
        let token = gauge.observe(\.level, options: .new, on: recorder) { $0.add($1) }
        token.ignoringChanges { gauge.level = 1 }
        gauge.level = 2
        #expect(await recorder.lines(1) == ["·→2"])
        #expect(token.debugDescription == "KeyValueObservation of level")
    }

    @Test("11.3 2.4 The initial call in an actor has the value only if that was asked for")
    func initial() async {
        let tokens = [
            gauge.observe(\.level, options: .initial, on: recorder) { $0.add($1) },
            gauge.observe(\.level, options: .old, on: recorder) { $0.add($1) },
        ]
        gauge.level = 1
        #expect(await recorder.lines(3).sorted() == ["0→·", "·→·", "·→·"].sorted())
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "11.4 After dropped changes, the whole that takes their place has the values that were asked for, and no more")
    func wholes() async {
        for options in [[], .old, .new, [.old, .new]] as [KeyValueObservingOptions] {
            let (gauge, recorder) = (Gauge(), Recorder())
            gauge.marks = ["a"]
            let token = await recorder.perform { recorder in
                let token = gauge.observe(\.marks, options: options, on: recorder, bufferingPolicy: .newest(1)) {
                    $0.add($1)
                }
                gauge.mutable(\.marks).append("b")
                gauge.mutable(\.marks).append("c")
                return token
            }
            let old = options.contains(.old) ? "[\"a\"]" : "·"
            let new = options.contains(.new) ? "[\"a\", \"b\", \"c\"]" : "·"
            #expect(await recorder.lines(1) == ["\(old)→\(new)"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("9.3 11.4 A value that is dropped dies without a lock: its deinit may ask about the registration")
    func deathOfDropped() async {
        let (necklace, deaths) = (Necklace(), Questions())
        let token = await recorder.perform { recorder in
            let token = necklace.observe(\.bead, options: .new, on: recorder, bufferingPolicy: .newest(1)) { _, _ in }
            for number in 1...3 {
                necklace.bead = Bead { [weak necklace] in
                    deaths.add("\(number) \(necklace?.observationInfo.count ?? 0)")
                }
            }
            #expect(deaths.take() == ["1 1", "2 1"])
            return token
        }
        withExtendedLifetime(token) {}
    }

    @Test(
        "11.4 2.6 Changes of elements copy nothing where no whole value may be needed",
        arguments: [KeyValueBufferingPolicy.unbounded, .newest(3)])
    func copies(policy: KeyValueBufferingPolicy) async {
        let options: KeyValueObservingOptions = policy == .unbounded ? [.old, .new] : []
        let gauge = Gauge()
        gauge.marks.reserveCapacity(100)
        await recorder.perform { recorder in
            let token = gauge.observe(\.marks, options: options, on: recorder, bufferingPolicy: policy) { _, _ in }
            let place = gauge.placeOfMarks
            for mark in 0..<10 {
                gauge.mutable(\.marks).append("\(mark)")
                #expect(gauge.placeOfMarks == place)
            }
            withExtendedLifetime(token) {}
        }
    }
}

/// Does something when it dies.
private final class Bead: Sendable {
    private let onDeath: @Sendable () -> Void

    init(onDeath: @escaping @Sendable () -> Void) {
        self.onDeath = onDeath
    }

    deinit { onDeath() }
}

private final class Necklace: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var bead: Bead?
    @Observed var row: [Bead] = []
}

private final class Gauge: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    let evaluations = Questions()
    @Observed var level = 0
    @Observed var marks: [String] = []

    /// Where the array is in memory.
    var placeOfMarks: UInt { unsafe marks.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

    var shown: String {
        evaluations.add("shown")
        return "\(level)"
    }
}
