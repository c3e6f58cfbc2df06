// How processes come and go in the model, as an observer of the list sees it.
import KeyValueObserving
import MonitorCore
import Testing

@Suite struct ProcessListTests {
    private let machine = Machine()

    /// Applies a sample of these processes.
    private func apply(_ records: [ProcessRecord]) {
        var snapshot = Snapshot()
        snapshot.processes = records
        Sampler(machine).apply(snapshot)
    }

    private func apply(_ records: ProcessRecord...) { apply(records) }

    /// Processes with these identifiers, each named after its own.
    private func records(_ pids: Int...) throws -> [ProcessRecord] {
        try pids.map { try ProcessRecord($0, "p\($0)") }
    }

    /// What an observer of the list gets while the body runs.
    private func told(during body: () throws -> Void) rethrows -> [String] {
        var told: [String] = []
        let observation = machine.observe(\.processes, options: [.old, .new]) { _, change in
            told.append(change.elementsText { $0.map(\.title) } ?? "set")
        }
        try body()
        observation.invalidate()
        return told
    }

    @Test func `the first sample is one insertion`() throws {
        #expect(try told { apply(try records(1, 5, 9)) } == ["+ [0–2] p1 (1), p5 (5), p9 (9)"])
    }

    @Test func `processes that come are one insertion at their places`() throws {
        apply(try records(2, 6))
        #expect(
            try told { apply(try records(1, 2, 4, 5, 6, 9)) } == ["+ [0, 2–3, 5] p1 (1), p4 (4), p5 (5), p9 (9)"])
        #expect(machine.processes.map(\.pid) == [1, 2, 4, 5, 6, 9])
    }

    @Test func `processes that go are one removal from their old places`() throws {
        apply(try records(1, 2, 4, 5, 6, 9))
        #expect(
            try told { apply(try records(2, 6)) } == ["- [0, 2–3, 5] p1 (1), p4 (4), p5 (5), p9 (9)"])
        #expect(machine.processes.map(\.pid) == [2, 6])
    }

    @Test func `a removal comes before an insertion, and there is no third change`() throws {
        apply(try records(1, 2, 3, 4))
        #expect(
            try told { apply(try records(2, 4, 5, 6)) } == ["- [0, 2] p1 (1), p3 (3)", "+ [2–3] p5 (5), p6 (6)"])
    }

    @Test func `a list that stays is not told, whatever becomes of its processes`() throws {
        apply(try records(1, 2))
        #expect(try told { apply(try ProcessRecord(1, "other", ticks: 5), try ProcessRecord(2, "p2")) } == [])
        #expect(machine.processes.map(\.name) == ["other", "p2"])
    }

    @Test func `a process that stays keeps its object, wherever it comes to stand`() throws {
        apply(try records(3, 5))
        let five = machine.processes[1]
        apply(try records(5))
        #expect(machine.processes[0] === five)
        apply(try records(1, 2, 5, 6))
        #expect(machine.processes[2] === five)
    }

    @Test func `an identifier that another program has is a removal and an insertion`() throws {
        apply(try ProcessRecord(1, "init"), try ProcessRecord(7, "ls", startTime: 5), try ProcessRecord(9, "sh"))
        #expect(
            try told {
                apply(
                    try ProcessRecord(1, "init"), try ProcessRecord(7, "cat", startTime: 8), try ProcessRecord(9, "sh"))
            } == ["- [1] ls (7)", "+ [1] cat (7)"])
    }

    @Test func `what is told, replayed on a copy, gives the list`() throws {
        var copy: [Int] = []
        let observation = machine.observe(\.processes, options: [.old, .new]) { _, change in
            guard let indexes = change.indexes else {
                Issue.record("the list was set as a whole")
                return
            }
            if change.kind == .removal {
                #expect(copy[indexes].map { $0 } == change.oldValue?.map(\.pid))
                copy.removeSubranges(indexes)
            } else {
                let positions = indexes.ranges.flatMap { Array($0) }
                for (position, process) in zip(positions, change.newValue ?? []) {
                    copy.insert(process.pid, at: position)
                }
            }
        }
        for sample in 0..<100 {
            let pids = (1...20).filter { (sample * $0 + sample / 3) % 7 < 4 }
            // The higher an identifier, the longer its program lasts.
            apply(try pids.map { try ProcessRecord($0, "p", startTime: sample / $0) })
            #expect(copy == pids)
            #expect(machine.processes.map(\.pid) == pids)
        }
        observation.invalidate()
    }

    @Test func `the summary does not count what ran before as started`() throws {
        let summary = Summary()
        summary.observe(machine)
        apply(try records(1, 2, 3))
        apply(try records(2, 4))
        let line = summary.lines(taken: 2, of: 2, alarms: 0).first { $0.label == "processes" }
        #expect(line?.text == "1 started, 2 ended")
    }
}
