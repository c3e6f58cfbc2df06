// The server, in a process of its own.
import Foundation
import Synchronization

/// A server that is running, and ends with this object.
final class ServerProcess {
    private let process = Process()
    private let ending: AsyncStream<Void>
    /// The port that it listens on.
    let port: Int

    /// Starts a server that makes a number of changes in each second.
    ///
    /// - Throws: `NoServer` if it does not say where it listens.
    init(changesPerSecond rate: Int = 0) throws {
        let output = Pipe()
        #if canImport(Darwin)
        let folder = Bundle(for: ServerProcess.self).bundleURL.deletingLastPathComponent()
        #else
        let folder = Bundle.main.bundleURL
        #endif
        process.executableURL = folder.appending(path: "live")
        process.arguments = ["0", "\(rate)"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (ending, end) = AsyncStream.makeStream(of: Void.self)
        self.ending = ending
        process.terminationHandler = { _ in end.finish() }
        try Self.unblockingSignals { [process] in try process.run() }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = line.firstMatch(of: #/http://127\.0\.0\.1:(\d+)/ /#).flatMap({ Int($0.1) }) else {
            process.terminate()
            throw NoServer(output: line)
        }
        self.port = port
    }

    deinit { if process.isRunning { signal(SIGKILL) } }

    private static let starting = Mutex(())

    /// Runs `body` with no signal blocked, and alone.
    ///
    /// Threads of Dispatch block signals, and a process inherits that. It also inherits what another one is given that starts
    /// meanwhile.
    private static func unblockingSignals(_ body: () throws -> Void) rethrows {
        try starting.withLock { _ in
            var (none, before) = (sigset_t(), sigset_t())
            unsafe sigemptyset(&none)
            unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            try body()
        }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end.
    ///
    /// - Returns: The exit code; nil if a signal ended it.
    func end() async -> Int32? {
        for await _ in ending {}
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    #if os(Linux)
    /// How many files and sockets it has open.
    var descriptors: Int {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
        }
    }

    /// How much memory it has, in bytes.
    var residentBytes: Int {
        get throws {
            let fields = try String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)
                .split(separator: " ")
            return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        }
    }

    /// Waits until it has as many files and sockets open.
    func waitForDescriptors(_ isReached: (Int) -> Bool) async throws {
        while try !isReached(descriptors) { try await Task.sleep(for: .milliseconds(5)) }
    }
    #endif
}

/// The server did not say where it listens.
struct NoServer: Error { let output: String }
