// What is allowed and probably a mistake is said, once. The handler is one for the whole process, so each test that sets
// it has a process of its own.
import Dispatch
import KeyValueObserving
import TestSupport
import Testing

@Suite("Notes")
struct DiagnosticNoteTests {
    @Test("3.5 An object that dies between will and did of what is observed is reported, once; a pair that ends is not")
    func openWill() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            func leaveOpen() -> KeyValueObservation {
                let valve = Valve()
                let token = valve.observe(\.flow) { _, _ in }
                valve.willChangeValue(for: \.flow)
                valve.flow = 3
                valve.willChangeValue(for: \.pressure)
                return token
            }
            do {
                let valve = Valve()
                let token = valve.observe(\.flow) { _, _ in }
                valve.willChangeValue(for: \.flow)
                valve.didChangeValue(for: \.flow)
                valve.changeValue(for: \.pressure) {}
                withExtendedLifetime(token) {}
            }
            notes.expect()
            let first = leaveOpen()
            notes.expect(["Valve", "flow", "changeValue(for:)"])
            let second = leaveOpen()
            notes.expect()
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("1.4 D18 A path through a property of a class that is not observable is reported once")
    func unobservablePart() async {
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
        }
    }

    @Test("6.8 A key path through an index or a forced optional is noted once, with its line; others are not")
    func unsafePart() async {
        await #expect(processExitsWith: .success) {
            let (notes, person) = (Notes(), Person())
            (person.tags, person.friend) = (["a"], Person())
            for _ in 0..<2 { _ = person.observe(\.tags[0].count) { _, _ in } }
            notes.expect(["DiagnosticNoteTests.swift:", "leads through an index"])
            for _ in 0..<2 { _ = person.observe(\.friend!.age) { _, _ in } }
            notes.expect(["leads through a forced optional"])
            _ = person.observe(\.friend?.tags.first) { _, _ in }
            notes.expect()
        }
    }

    @Test("6.8 It is noted before the first read, which may end the program")
    func endingPart() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Person().observe(\.friend!.age) { _, _ in }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("DiagnosticNoteTests.swift:") && text.contains("Write ? in place of !."))
    }

    @Test("1.7 A16 What is ignored is reported once: what a line repeats by default, and both places under .ignore")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            let (notes, valve, log) = (Notes(), Valve(), Log())
            let (controller, allowing) = (
                KVOController(observer: log), KVOController(observer: log, duplicates: .allow)
            )
            for round in 0..<3 {
                controller.observe(valve, \.flow, fileID: "Plant/Loop.swift", line: 7) { _, _, _ in }
                allowing.observe(valve, \.flow, fileID: "Plant/Loop.swift", line: 8) { _, _, _ in }
                if round == 1 {
                    notes.expect(["flow", "Valve", "Plant/Loop.swift:7", ".allow"])
                } else {
                    notes.expect()
                }
            }
            controller.observe(valve, \.flow, fileID: "Plant/Loop.swift", line: 9) { _, _, _ in }
            notes.expect()
            let ignoring = KVOController(observer: log, duplicates: .ignore)
            for round in 0..<3 {
                ignoring.observe(valve, \.flow, fileID: "Plant/First.swift", line: 1) { _, _, _ in }
                if round == 1 { notes.expect(["flow", "Valve", "Plant/First.swift:1"]) } else { notes.expect() }
            }
            ignoring.observe(valve, keyPaths: [\.pressure, \.flow], fileID: "Plant/Second.swift", line: 2) { _, _, _ in
            }
            notes.expect(["flow", "Valve", "Plant/First.swift:1", "Plant/Second.swift:2", "duplicates: .allow"])
        }
    }

    @Test(
        "17.5 Handlers that are slower than the threads that set a shared property are noted once, with what to write")
    func slowHandlers() async {
        await #expect(processExitsWith: .success) {
            let notes = Notes()
            let gauge = SharedDial()
            let (isInside, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let token = gauge.observe(\.level, options: [.new], fileID: "Plant/Dial.swift", line: 7) { _, change in
                if change.newValue == 1 {
                    isInside.signal()
                    goesOn.wait()
                }
            }
            let thread = Task.detached { gauge.level = 1 }
            isInside.wait()
            for level in 2...10_003 { gauge.level = level }
            goesOn.signal()
            await thread.value
            notes.expect(["level", "SharedDial", "Plant/Dial.swift:7", "changes(of: \\.level", "bufferingPolicy"])
            withExtendedLifetime(token) {}
        }
    }
}

private final class SharedDial: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var level = 0
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
