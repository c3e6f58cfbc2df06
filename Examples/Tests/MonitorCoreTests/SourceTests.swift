// Finding and reading trees.
import MonitorCore
import Testing

@Suite struct SourceTests {
    @Test func `without a tree there is one line and exit code 2`() {
        let error = #expect(throws: NoProcTree.self) { try ProcSource(directory: "/no/such/tree") }
        #expect(
            error?.description == "/no/such/tree: no such directory; name a proc tree or a recording with --proc DIR")
        #expect(NoProcTree.exitCode == 2)
    }

    @Test func `a directory without anything to sample is no tree`() {
        let error = #expect(throws: NoProcTree.self) { try ProcSource(directory: Fixtures.directory) }
        #expect(error?.reason == "holds neither meminfo nor loadavg nor stat")
        #expect(throws: NoProcTree.self) { try ProcSource(directory: Fixtures.recording + "/sample-1/meminfo") }
    }

    @Test func `a recording is its samples in order`() throws {
        let source = try ProcSource(directory: Fixtures.recording)
        #expect(source.isRecording)
        #expect(source.trees.map(\.path) == (1...7).map { "\(Fixtures.recording)/sample-\($0)" })
    }

    @Test func `any other tree is one for all samples`() throws {
        let source = try ProcSource(directory: Fixtures.recording + "/sample-2")
        #expect(!source.isRecording)
        #expect(source.trees.count == 1)
    }

    @Test func `missing and malformed files are named, and the rest is read`() {
        let snapshot = ProcTree(path: Fixtures.recording + "/sample-4").read()
        #expect(snapshot.memory == nil)
        #expect(snapshot.load == nil)
        #expect(snapshot.times != nil)
        #expect(
            snapshot.problems == [
                FileProblem(path: "\(Fixtures.recording)/sample-4/meminfo", reason: "no such file"),
                FileProblem(
                    path: "\(Fixtures.recording)/sample-4/loadavg", reason: "malformed: no three load averages"),
                FileProblem(
                    path: "\(Fixtures.recording)/sample-4/4722/stat",
                    reason: "malformed: no command name in parentheses"),
            ])
    }

    @Test func `a process that ended after it was listed is no problem`() {
        let snapshot = ProcTree(path: Fixtures.recording + "/sample-4").read()
        // 4721 is a directory without a stat file.
        #expect(snapshot.processes?.map(\.pid) == [1, 9, 42, 310, 4711, 4720])
    }

    @Test func `a tree that is gone is a problem, not an end`() {
        let snapshot = ProcTree(path: "/no/such/tree").read()
        #expect(snapshot.processes == nil)
        #expect(snapshot.problems.last == FileProblem(path: "/no/such/tree", reason: "cannot be listed"))
    }
}
