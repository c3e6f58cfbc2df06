// What the library assumes of the Swift runtime, and what it does otherwise.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("What is assumed of the runtime")
struct RuntimeReportTests {
    @Test("All that is assumed holds here, unless the checks fail on purpose")
    func holds() {
        for assumption in RuntimeAssumption.checked {
            let isOfMetadata = assumption.sentence == RuntimeAssumption.fields.sentence
            #expect(
                assumption.holds == (!doChecksFail && (hasReflectionMetadata || !isOfMetadata)),
                "\(assumption.sentence)")
        }
        #expect(RuntimeAssumption.checked.count == 7)
    }

    @Test("What is tried for the report holds here; where a property is stored is read from a key path")
    func holdsWhenTried() {
        let storage = "A stored property of an object lies where its key path says, for as long as the object lives."
        let failing = RuntimeAssumption.tried.filter { !$0.holds }.map(\.sentence)
        #expect(failing == (RuntimeAssumption.keyPathComponents.holds ? [] : [storage]))
        #expect(RuntimeAssumption.tried.count == 6)
    }

    @Test("The report has each assumption, whether it holds, and what is done otherwise")
    func report() {
        let lines = KeyValueDiagnostics.runtimeReport.split(separator: "\n")
        #expect(lines.first?.hasPrefix("KeyValueObserving on ") == true)
        #expect(lines.count >= 1 + 2 * RuntimeAssumption.all.count)
        for assumption in RuntimeAssumption.all {
            let place = lines.firstIndex(of: "\(assumption.holds ? "holds" : "fails")  \(assumption.sentence)")
            #expect(place.map { lines[$0 + 1] } == "       Otherwise: \(assumption.otherwise)")
        }
    }

    @Test("The page about the runtime has each assumption in the report's words")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let page = try String(
            contentsOf: root.appending(path: "Sources/KeyValueObserving/Documentation.docc/RuntimeAssumptions.md"),
            encoding: .utf8)
        for assumption in RuntimeAssumption.checked + RuntimeAssumption.tried {
            #expect(page.contains("| \(assumption.sentence) |"))
        }
    }

    @Test("2.7 A stored property is never called computed")
    func stored() {
        let lamp = StreetLamp()
        let tokens = [
            lamp.observe(\.level) { _, _ in }, lamp.observe(\.next?.level) { _, _ in },
            lamp.observe(\.shade) { _, _ in }, lamp.observe(\.count) { _, _ in },
        ]
        let names = lamp.observationInfo.map(\.keyPath)
        #expect(names.count == 4 && names.allSatisfy { !$0.contains("computed") })
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "2.7 Without reflection metadata a stored property is written with its type, in a listing, a change and a note",
        .enabled(if: !hasReflectionMetadata))
    func unnamed() async {
        let (lamp, log) = (StreetLamp(), Log())
        lamp.next = StreetLamp()
        let tokens = [
            lamp.observe(\.level, fileID: "Road/Lamps.swift", line: 3) { log.add("\($1)") },
            lamp.observe(\.next?.level, fileID: "Road/Lamps.swift", line: 4) { log.add("\($1)") },
        ]
        #expect(
            lamp.observationInfo.map(\.keyPath)
                == ["property Int at Lamps.swift:3", "property Optional<StreetLamp>.property Int at Lamps.swift:4"])
        lamp.level = 1
        lamp.next?.level = 2
        #expect(
            log.take() == [
                "setting of property Int at Lamps.swift:3, 0 → 1",
                "setting of property Optional<StreetLamp>.property Int at Lamps.swift:4, 0 → 2",
            ])
        withExtendedLifetime(tokens) {}
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let lamp = StreetLamp()
            let controller = KVOController(observer: lamp, duplicates: .ignore)
            for line in 5...6 as ClosedRange<UInt> {
                controller.observe(lamp, \.level, fileID: "Road/Lamps.swift", line: line) { _, _, _ in }
            }
        }
        #expect(words("property Int of the same StreetLamp", missingIn: message(of: result)) == [])
    }

    @Test("2.2 The kind of a change prints as a word")
    func kinds() {
        let kinds: [KeyValueChange] = [.setting, .insertion, .removal, .replacement]
        #expect(kinds.map { "\($0)" } == ["setting", "insertion", "removal", "replacement"])
    }
}

private class StreetLamp: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed private(set) var shade = 0
    @Observed var next: StreetLamp?
    @ObservedShared var count = 0
}
