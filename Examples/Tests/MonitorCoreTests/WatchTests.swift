// Key paths that the user names.
import KeyValueCoding
import KeyValueObserving
import MonitorCore
import Testing

@Suite struct WatchTests {
    private let transcript = Transcript()

    /// What is printed of these key paths in a run over the recording, each sample's lines under its heading.
    private func watched(_ keyPaths: String...) throws -> [String] {
        let run = MonitorRun(source: try ProcSource(directory: Fixtures.recording), to: transcript.print)
        for keyPath in keyPaths { try run.watch(keyPath) }
        run.run(samples: 7, listsObservers: false) { true }
        return transcript.lines.filter { $0.hasPrefix("sample") || $0.hasPrefix("  watch ") }
            .map { $0.replacing(/^  watch +/, with: "").replacing(" of 7", with: "") }
    }

    @Test func `a path through what is missing and comes back is followed`() throws {
        #expect(
            try watched("memory.usedFraction") == [
                "sample 1", "memory.usedFraction: – → 0.2500",
                "sample 2", "memory.usedFraction: 0.2500 → 0.3125",
                "sample 3", "memory.usedFraction: 0.3125 → 0.9250",
                "sample 4", "memory.usedFraction: 0.9250 → –",
                "sample 5", "memory.usedFraction: – → 0.6250",
                "sample 6", "memory.usedFraction: 0.6250 → 0.2500",
                "sample 7",
            ])
    }

    @Test func `operators follow the list and its processes, and key paths are told in the order given`() throws {
        #expect(
            try watched("processes.@count", "processes.@max.cpuFraction", "busiest.name") == [
                "sample 1", "processes.@count: 0 → 4",
                "sample 2", "processes.@max.cpuFraction: – → 0.0010", "processes.@max.cpuFraction: 0.0010 → 0.1800",
                "processes.@count: 4 → 5", "busiest.name: – → Web Content",
                "sample 3", "processes.@max.cpuFraction: 0.1800 → 0.0300",
                "processes.@max.cpuFraction: 0.0300 → 0.8700",
                "busiest.name: Web Content → swift-build",
                "sample 4", "processes.@max.cpuFraction: 0.8700 → 0.3000", "processes.@count: 5 → 6",
                "sample 5", "processes.@count: 6 → 4", "processes.@max.cpuFraction: 0.3000 → 0.0200",
                "processes.@max.cpuFraction: 0.0200 → –", "busiest.name: swift-build → –",
                "sample 6", "processes.@count: 4 → 3", "processes.@count: 3 → 4",
                "sample 7", "processes.@max.cpuFraction: – → 0.0400", "busiest.name: – → init",
            ])
    }

    @Test func `a list is told with its positions, and what is made of one as a whole`() throws {
        let lines = try watched("processes", "processes.@unionOfObjects.name")
        #expect(lines.contains("processes: - [4–5] swift-build (4711), cc1 (plus) ) (4720)"))
        #expect(
            lines.contains(
                "processes.@unionOfObjects.name: [init, kworker/0:1, (sd-pam)] → [init, kworker/0:1, (sd-pam), cat]"))
    }

    @Test func `part of a struct has a key of its own`() throws {
        #expect(try watched("load15").contains { $0.hasPrefix("load15: – → ") })
    }

    @Test func `a key path that is named twice is told once`() throws {
        #expect(try watched("processes.@count", "processes.@count").count { $0 == "processes.@count: 5 → 6" } == 1)
    }

    @Test func `the memory of all processes is summed anew when one takes more`() throws {
        let machine = Machine()
        let watch = KeyPathWatch(to: transcript.print)
        try watch.watch("processes.@sum.residentBytes", of: machine)
        var snapshot = Snapshot()
        for pages in [[1, 2], [1, 2], [1, 7]] {
            snapshot.processes = try pages.enumerated().map { try ProcessRecord($0 + 1, "a", pages: $1) }
            Sampler(machine).apply(snapshot)
        }
        let (three, eight) = (3 * PageSize.bytes, 8 * PageSize.bytes)
        #expect(
            transcript.lines.map { $0.replacing(/^  watch +/, with: "") } == [
                "processes.@sum.residentBytes: 0 → \(three)", "processes.@sum.residentBytes: \(three) → \(eight)",
            ])
    }

    @Test(arguments: [
        // Nothing is known of the memory yet, and there is no process.
        ("memory.usedFractoin", "Memory has no key \"usedFractoin\". Did you mean \"usedFraction\"?"),
        (
            "processes.@sum.residentByte",
            "RunningProcess has no key \"residentByte\". Did you mean \"residentBytes\"?"
        ),
        (
            "processes.@cuont",
            "There is no operator \"@cuont\" to apply to Array<RunningProcess>. Did you mean \"@count\"?"
        ),
        (
            "processes.pid",
            """
            Array<RunningProcess> has no key "pid" that can be observed, for a key path is not observed through the \
            elements of a collection. Observe the elements, or an operator such as "@count".
            """
        ),
        ("load", "Machine has no key \"load\". Did you mean \"load1\", \"load5\" or \"load15\"?"),
        ("", "The key path \"\" for Machine has an empty component. Name a key between all dots."),
    ])
    func `a key path that leads nowhere is refused before anything is known`(keyPath: String, text: String) throws {
        let machine = Machine()
        let watch = KeyPathWatch(to: transcript.print)
        let error = #expect(throws: KeyValueCodingError.self) { try watch.watch(keyPath, of: machine) }
        #expect(error?.description == text)
        #expect(machine.observationInfo.isEmpty)
    }

    @Test(arguments: [
        "busiest.name.x", "processor.busyFraction.x", "processes.@max.self", "problems.@max.self",
        "processes.@sum.name", "memory.@count",
    ])
    func `every place is checked, behind whatever may be missing`(keyPath: String) {
        let watch = KeyPathWatch(to: transcript.print)
        #expect(throws: KeyValueCodingError.self) { try watch.watch(keyPath, of: Machine()) }
    }

    @Test(
        arguments: [
            (nil, "–"), (Double?.none as any Sendable, "–"), (0.25 as Double? as any Sendable, "0.2500"), (7, "7"),
            (true, "true"),
            ([1.5, nil] as [Double?], "[1.5000, –]"), ([] as [Int], "[]"), ("sh", "sh"),
        ] as [((any Sendable)?, String)])
    func `values of any type are text`(value: (any Sendable)?, text: String) {
        #expect(ValueText.of(value) == text)
    }
}
