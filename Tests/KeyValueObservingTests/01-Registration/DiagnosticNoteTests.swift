// What is allowed and probably a mistake is said, once. The handler is one for the whole process, so each test that sets
// it has a process of its own.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Notes")
struct DiagnosticNoteTests {
    @Test("3.5 An object that dies between will and did of what is observed is reported, once")
    func openWill() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            func leaveOpen() -> KeyValueObservation {
                let valve = Valve()
                let token = valve.observe(\.flow) { _, _ in }
                valve.willChangeValue(for: \.flow)
                valve.flow = 3
                valve.willChangeValue(for: \.pressure)
                return token
            }
            let first = leaveOpen()
            let said = notes.take()
            #expect(said.count == 1)
            #expect(said.contains { $0.contains("Valve") && $0.contains("flow") && $0.contains("changeValue(for:)") })
            let second = leaveOpen()
            #expect(notes.take() == [])
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("3.5 A pair that ends is not reported")
    func closedWill() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            do {
                let valve = Valve()
                let token = valve.observe(\.flow) { _, _ in }
                valve.willChangeValue(for: \.flow)
                valve.didChangeValue(for: \.flow)
                valve.changeValue(for: \.pressure) {}
                withExtendedLifetime(token) {}
            }
            #expect(notes.take() == [])
        }
    }

    @Test("6.8 A key path through an index or a forced optional is noted once, with its line; others are not")
    func unsafePart() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let person = Person()
            person.tags = ["a"]
            person.friend = Person()
            for _ in 0..<2 {
                _ = person.observe(\.tags[0].count) { _, _ in }
                _ = person.observe(\.friend!.age) { _, _ in }
            }
            _ = person.observe(\.friend?.tags.first) { _, _ in }
            let said = notes.take()
            #expect(said.count == 2)
            #expect(said.first?.contains("DiagnosticNoteTests.swift:") ?? false)
            #expect(said.first?.contains("leads through an index") ?? false)
            #expect(said.last?.contains("leads through a forced optional") ?? false)
        }
    }

    @Test(
        "1.4 D18 A path through a property of a class that is not observable is reported once")
    func unobservablePart() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let plant = Plant()
            for _ in 0..<2 { _ = plant.observe(\.maker?.name) { _, _ in } }
            let said = notes.take()
            #expect(said.count == 1)
            for part in ["maker.name", "Plant", "Maker", "KeyValueObservable"] {
                #expect(said.first?.contains(part) ?? false)
            }
            // What cannot change is no gap, and neither is what can be observed.
            _ = plant.observe(\.maker?.founded) { _, _ in }
            _ = plant.observe(\.valve?.flow) { _, _ in }
            _ = plant.observe(\.valve?.limits.upper) { _, _ in }
            _ = plant.observe(\.valve?.limits.lower) { _, _ in }
            #expect(notes.take() == [])
        }
    }

    @Test("A16 Under .ignore, several key paths in one call report the one that is left out")
    func several() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let (valve, plant, log) = (Valve(), Plant(), Log())
            let controller = KVOController(observer: plant, duplicates: .ignore)
            controller.observe(valve, \.flow, fileID: "Plant/First.swift", line: 1) { _, _, _ in log.add("first") }
            controller.observe(valve, keyPaths: [\.pressure, \.flow], fileID: "Plant/Second.swift", line: 2) {
                _, _, _ in
                log.add("second")
            }
            let said = notes.take()
            #expect(said.count == 1)
            for part in ["flow", "Valve", "Plant/First.swift:1", "Plant/Second.swift:2"] {
                #expect(said.first?.contains(part) ?? false)
            }
            valve.flow = 1
            valve.pressure = 2
            #expect(log.take() == ["first", "second"])
        }
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
