// A program that goes on until it is ended.
import Foundation
import Synchronization

/// A program of this package in a process of its own, which ends with this object.
final class RunningProgram {
    private let process = Process()
    private let (output, input, problems) = (Pipe(), Pipe(), Pipe())
    private let ending: AsyncStream<Void>

    init(_ name: String, _ arguments: String...) throws {
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: name)
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, problems)
        let (ending, end) = AsyncStream.makeStream(of: Void.self)
        self.ending = ending
        process.terminationHandler = { _ in end.finish() }
        try Self.unblockingSignals { [process] in try process.run() }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    private static let starting = Mutex(())

    /// Runs `body` with no signal blocked, and alone.
    ///
    /// Threads of Dispatch block signals, and a process inherits that. It also inherits what another one is given that
    /// starts meanwhile.
    private static func unblockingSignals(_ body: () throws -> Void) rethrows {
        try starting.withLock { _ in
            var (none, before) = (sigset_t(), sigset_t())
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            try body()
        }
    }

    /// Waits until it prints something, and returns that.
    func text() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

    /// Sends it a signal, and waits for its end.
    ///
    /// - Returns: How it ended: an exit code, or the signal that ended it, with what it wrote to standard error.
    func end(by signal: Int32) async -> (reason: Process.TerminationReason, status: Int32, problems: String) {
        kill(process.processIdentifier, signal)
        for await _ in ending {}
        let problems = String(decoding: problems.fileHandleForReading.availableData, as: UTF8.self)
        return (process.terminationReason, process.terminationStatus, problems)
    }
}
