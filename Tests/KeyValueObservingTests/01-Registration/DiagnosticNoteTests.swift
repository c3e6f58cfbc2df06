// What is allowed and probably a mistake is said, once. The handler is one for the whole process, so each test that sets
// it has a process of its own.
import Dispatch
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("Notes")
struct DiagnosticNoteTests {
    @Test(
        "3.5 An object that dies between will and did of what is observed is reported, once; a pair that ends is not",
        .enabled(if: hasReflectionMetadata))
    func openWill() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            func die(closing: Bool) {
                let valve = Valve()
                valve.observe(\.flow) { _, _ in }.store(in: .process)
                valve.willChangeValue(for: \.flow)
                valve.flow = 3
                if closing { valve.didChangeValue(for: \.flow) }
                valve.willChangeValue(for: \.pressure)
                if closing { valve.didChangeValue(for: \.pressure) }
            }
            die(closing: true)
            notes.expect()
            die(closing: false)
            notes.expect(["Valve", "flow", "changeValue(for:)"])
            die(closing: false)
            notes.expect()
        }
    }

    @Test(
        "1.4 6.8 D18 A path through what cannot be observed, an index or a forced optional is noted once, no other",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func unsafePart() async {
        await #expect(processExitsWith: .success) {
            let (notes, plant) = (Notes(), Plant())
            for _ in 0..<2 { _ = plant.observe(\.maker?.name) { _, _ in } }
            notes.expect(["maker.name", "Plant", "Maker", "KeyValueObservable"])
            // What cannot change is no gap, and neither is what can be observed.
            _ = plant.observe(\.maker?.founded) { _, _ in }
            _ = plant.observe(\.valve?.flow) { _, _ in }
            _ = plant.observe(\.valve?.limits.upper) { _, _ in }
            _ = plant.observe(\.valve?.limits.lower) { _, _ in }
            notes.expect()
            let person = Person()
            (person.tags, person.friend) = (["a"], Person())
            for _ in 0..<2 { _ = person.observe(\.tags[0].count) { _, _ in } }
            notes.expect(["DiagnosticNoteTests.swift:", "leads through an index"])
            for _ in 0..<2 { _ = person.observe(\.friend!.age) { _, _ in } }
            notes.expect(["leads through a forced optional"])
            _ = person.observe(\.friend?.tags.first) { _, _ in }
            notes.expect()
        }
    }

    @Test(
        "6.9 A path through a stored property that is not observed is noted once, with its line and the property",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func unobservedPart() async {
        await #expect(processExitsWith: .success) {
            let (notes, robot) = (Notes(), Robot())
            for line in [4, 4, 5] as [UInt] {
                _ = robot.observe(\.job.remaining, fileID: "Plant/Robot.swift", line: line) { _, _ in }
            }
            notes.expect(["job.remaining", "Plant/Robot.swift:4", "Robot", "Declare job @Observed"])
            _ = robot.observe(\.arm?.reserve?.remaining) { _, _ in }
            notes.expect(["arm.reserve.remaining", "DiagnosticNoteTests.swift:", "Arm", "Declare reserve @Observed"])
            _ = robot.observe(\.arm?.job?.remaining) { _, _ in }
            // A constant, what is observed or computed, and what a subclass observes in its place.
            _ = robot.observe(\.base.remaining) { _, _ in }
            _ = robot.observe(\.arm?.current.remaining) { _, _ in }
            _ = robot.observe(\.arm?.place.x) { _, _ in }
            robot.arm = LongArm()
            _ = robot.observe(\.arm?.spare?.remaining) { _, _ in }
            notes.expect()
        }
    }

    @Test(
        "6.8 It is noted before the first read, which may end the program",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func endingPart() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person().observe(\.friend!.age) { _, _ in }
        }
        #expect(words("DiagnosticNoteTests.swift:", "Write ? in place of !.", missingIn: message(of: result)) == [])
    }

    @Test(
        "1.7 A16 What is left out is reported once: what a line repeats without a call, and both places under .ignore",
        .enabled(if: hasReflectionMetadata))
    func leftOut() async {
        await #expect(processExitsWith: .success) {
            let (notes, valve, log) = (Notes(), Valve(), Log())
            let controller = KVOController(observer: log)
            let allowing = KVOController(observer: log, duplicates: .allow)
            for round in 0..<3 {
                controller.observe(valve, \.flow, fileID: "Plant/Loop.swift", line: 7) { _, _, _ in }
                allowing.observe(valve, \.flow, fileID: "Plant/Loop.swift", line: 8) { _, _, _ in }
                notes.expect(round == 1 ? ["flow", "Valve", "Plant/Loop.swift:7", ".allow"] : nil)
            }
            controller.observe(valve, \.flow, fileID: "Plant/Loop.swift", line: 9) { _, _, _ in }
            notes.expect()
            // A handler that was called has been of use: that is a line that runs again.
            for _ in 0..<3 {
                controller.observe(valve, \.pressure, fileID: "Plant/Show.swift", line: 1) { _, _, _ in }
                valve.pressure += 1
            }
            notes.expect()
            let ignoring = KVOController(observer: log, duplicates: .ignore)
            for round in 0..<3 {
                ignoring.observe(valve, \.flow, fileID: "Plant/First.swift", line: 1) { _, _, _ in }
                notes.expect(round == 1 ? ["flow", "Valve", "Plant/First.swift:1"] : nil)
            }
            let both: [PartialKeyPath<Valve>] = [\.pressure, \.flow]
            ignoring.observe(valve, keyPaths: both, fileID: "Plant/Second.swift", line: 2) { _, _, _ in }
            notes.expect(["flow", "Valve", "Plant/First.swift:1", "Plant/Second.swift:2", "duplicates: .allow"])
        }
    }

    @Test(
        "17.5 Handlers that are slower than the threads that set a shared property are noted once, with what to write",
        .enabled(if: hasReflectionMetadata))
    func slowHandlers() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            await setFasterThanHandled(\.count, 2...10_003) { tally, handle in
                tally.observe(\.count, options: [.new], fileID: "Plant/Dial.swift", line: 7) {
                    handle($1.newValue == 1)
                }
            }
            notes.expect(["count", "Tally", "Plant/Dial.swift:7", "changes(of: \\.count", "buffer(policy:"])
        }
    }

    @Test("17.5 Handlers that catch up within a second are not noted")
    func caughtUpHandlers() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            await setFasterThanHandled(\.count, 2...20) { tally, handle in
                tally.observe(\.count, options: [.new]) { handle($1.newValue == 1) }
            }
            notes.expect()
        }
    }

    @Test("17.5 A sequence with a bound, which the note advises, is not noted, however slow what takes it is to begin")
    func boundedSequences() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            await setFasterThanHandled(\.count, 2...10_003) { tally, handle in
                tally.changes(of: \.count).buffer(policy: .bufferingNewest(100))
                    .deliver(on: HandlingExecutor(handle: handle)) { (_: KeyValueObservedChange<Int>) in }
            }
            notes.expect()
        }
    }

    /// Handles the first job before it returns, and runs none.
    private final class HandlingExecutor: KeyValueChangeExecutor {
        private let handle: @Sendable (Bool) -> Void
        private let isFirst = Mutex(true)

        init(handle: @escaping @Sendable (Bool) -> Void) { self.handle = handle }

        func execute(_: @escaping @Sendable () -> Void) {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            handle(isFirst)
        }
    }

    @Test(
        "17.5 P3 One handler of several key paths that is slower than the threads that change them is noted, too",
        .enabled(if: hasReflectionMetadata))
    func slowList() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            await setFasterThanHandled(\.other, 1...10_003) { tally, handle in
                tally.observe(
                    keyPaths: [\.count, \.other], options: [.new], fileID: "Plant/Dial.swift", line: 8
                ) { handle($1.name == "count") }
            }
            notes.expect(["other", "Tally", "Plant/Dial.swift:8", "changes(of: \\.other", "buffer(policy:"])
        }
    }
}

/// Sets a property of a tally to values while another thread is in the handler that it has called for `count`.
///
/// The handler passes on whether that is the call to stay in.
private func setFasterThanHandled(
    _ property: ReferenceWritableKeyPath<Tally, Int>, _ values: ClosedRange<Int>,
    observing observe: (Tally, @escaping @Sendable (Bool) -> Void) -> KeyValueObservation
) async {
    let tally = Tally()
    let (isInside, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    observe(tally) { stays in
        guard stays else { return }
        isInside.signal()
        goesOn.wait()
    }.store(in: .process)
    let thread = Task.detached { tally.count = 1 }
    isInside.wait()
    for value in values { tally[keyPath: property] = value }
    goesOn.signal()
    await thread.value
}

/// What is noted in this process.
private struct Notes {
    private let lines = Questions()

    init() { KeyValueDiagnostics.noteHandler = { [lines] in lines.add($0) } }

    /// Expects one note with these words since the last call, or none.
    func expect(_ words: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let notes = lines.take()
        #expect(notes.count == (words == nil ? 0 : 1), sourceLocation: sourceLocation)
        for word in words ?? [] { #expect(notes.first?.contains(word) ?? false, sourceLocation: sourceLocation) }
    }
}

private final class Valve: KeyValueObservable {
    struct Limits {
        var upper = 9
        var lower: Int {
            get { upper - 9 }
            set { upper = newValue + 9 }
        }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var flow = 0
    @Observed var pressure = 0
    @Observed var limits = Limits()
}

private final class Maker {
    var name = ""
    let founded = 1900
}

private final class Plant: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var maker: Maker?
    @Observed var valve: Valve?
}

private final class Work: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var remaining = 1
}

private final class Robot: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var job = Work()
    let base = Work()
    @Observed var arm: Arm?
}

private class Arm: KeyValueObservable {
    struct Place {
        var x = 1
    }

    let keyValueRegistrar = KeyValueRegistrar()
    var reserve: Work?
    var spare: Work?
    @Observed var job: Work?
    @Observed var place = Place()
    @Observed private var stored = Work()

    var current: Work {
        get { stored }
        set { stored = newValue }
    }
}

private final class LongArm: Arm {
    @Observed private var other: Work?

    override var spare: Work? {
        get { other }
        set { other = newValue }
    }
}
