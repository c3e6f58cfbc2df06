// Ctrl-C, which ends what goes on until then.
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import status

@Suite(.timeLimit(.minutes(1))) struct InterruptTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the server with its clients`(signal: Int32) async throws {
        let program = try RunningProgram("status", "0")
        let text = program.text()
        let port = try #require(text.firstMatch(of: /nc 127\.0\.0\.1 (\d+),/).flatMap { Int($0.1) })
        var lines = 0
        let group = MultiThreadedEventLoopGroup.singleton
        try await StatusClient(port: port, on: group).forEachLine { _ in
            lines += 1
            if lines == 1 {
                let end = await program.end(by: signal)
                #expect(end.reason == .exit && end.status == 0 && end.problems == "")
            }
            return true
        }
        #expect(lines == 1)
    }

    @Test func `a signal ends a list that waits for a command, as it ends any program`() async throws {
        let program = try RunningProgram("todo")
        let end = await program.end(by: SIGINT)
        #expect(end.reason == .uncaughtSignal && end.status == SIGINT && end.problems == "")
    }

    @Test func `a signal ends a computation that takes long`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // It takes no room, and hours to read.
        let file = folder.appending(path: "large")
        try Data().write(to: file)
        try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 40)
        let program = try RunningProgram("checksum", folder.path)
        #expect(program.text() == "0 %\n")
        let end = await program.end(by: SIGINT)
        #expect(end.reason == .uncaughtSignal && end.status == SIGINT && end.problems == "")
    }
}
