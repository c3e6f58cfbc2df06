// A value that is followed with `for await`.
import MonitorCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct FollowerTests {
    /// The values printed for the recording.
    private func printed(pause: @escaping @Sendable () async -> Bool) async throws -> [String] {
        let source = try ProcSource(directory: Fixtures.recording)
        let lines = Mutex<[String]>([])
        let print: @Sendable (Line) -> Void = { line in
            lines.withLock { $0.append(line.rendered(colored: false)) }
        }
        await Follower().follow(source, samples: 7, to: print, pause: pause)
        return lines.withLock { $0 }.map { $0.replacing(/^  memory.usedFraction +/, with: "") }
    }

    @Test func `each value is printed in order, and the loop ends with the run`() async throws {
        let printed = try await printed {
            await Task.yield()
            return true
        }
        #expect(printed == ["–", "25.0 %", "31.3 %", "92.5 %", "–", "62.5 %", "25.0 %", "25.0 %"])
    }

    @Test func `an interrupt ends the loop`() async throws {
        #expect(try await printed { false } == ["–", "25.0 %"])
    }
}
