// Whole runs, compared word for word.
import MonitorCore
import Testing

@Suite struct RunTests {
    private let transcript = Transcript()

    private func run(
        _ directory: String = Fixtures.recording, samples: Int = 10, list: Bool = false, pause: () -> Bool = { true }
    ) throws {
        let source = try ProcSource(directory: directory)
        MonitorRun(source: source, to: transcript.print).run(samples: samples, listsObservers: list, pause: pause)
    }

    @Test func `a recording prints what observers are told, word for word`() throws {
        try run()
        #expect(transcript.lines == (try Fixtures.lines(of: "run.txt")))
    }

    @Test func `the list says who observes what, between the samples and the summary`() throws {
        // Once a key was asked for, as other tests do, the process knows the name of that computed property.
        try MonitorRun(source: ProcSource(directory: Fixtures.recording)) { _ in }.watch("memory.usedFraction")
        try run(list: true)
        // Where in a file a registration is made is not a promise.
        let list = transcript.lines.map { $0.replacing(/:[0-9]+$/, with: ":LINE") }
        let (samplesAndSummary, expected) = (try Fixtures.lines(of: "run.txt"), try Fixtures.lines(of: "list.txt"))
        let start = try #require(list.firstIndex(of: expected[0]))
        let end = start + expected.count
        #expect(list[start..<end] == expected[...])
        #expect(list[..<start] + list[end...] == samplesAndSummary[...])
    }

    @Test func `a single tree is read for each sample, and what stays the same is not printed`() throws {
        var pauses = 0
        try run(Fixtures.recording + "/sample-1", samples: 3) {
            pauses += 1
            return true
        }
        #expect(pauses == 2)
        #expect(
            transcript.lines.filter { $0.hasPrefix("sample") } == ["sample 1 of 3", "sample 2 of 3", "sample 3 of 3"])
        let second = try #require(transcript.lines.firstIndex(of: "sample 2 of 3"))
        #expect(Array(transcript.lines[second...].prefix(3)) == ["sample 2 of 3", "sample 3 of 3", "summary"])
    }

    @Test func `a run that is interrupted ends with its summary`() throws {
        try run(samples: 5) { false }
        #expect(transcript.lines.first == "sample 1 of 5")
        #expect(!transcript.lines.contains("sample 2 of 5"))
        #expect(transcript.lines.contains("  samples              1 of 5"))
    }

    @Test func `a problem that stays is told once`() throws {
        try run(Fixtures.recording + "/sample-4", samples: 3)
        #expect(transcript.lines.filter { $0.hasPrefix("  problem ") }.count == 3)
        #expect(transcript.lines.contains("  problems             3"))
    }
}
