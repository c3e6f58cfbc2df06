// Processes that the tests start.
import Foundation
import Hiredis
import Testing

/// A process that is running, with the lines that it prints.
@MainActor final class RunningProgram {
    private let process = Process()
    private let input = Pipe()
    private let lines: AsyncStream<String>
    private let (endings, ending) = AsyncStream.makeStream(of: Void.self)

    init(_ file: URL, _ arguments: [String]) throws {
        let printing: AsyncStream<String>.Continuation
        (lines, printing) = AsyncStream.makeStream(of: String.self)
        let output = Pipe()
        // Reading waits, so it has a thread of its own.
        Thread.detachNewThread { [output] in
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    printing.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            printing.finish()
        }
        process.executableURL = file
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // The output may stay open: a process that was started at the same time may have inherited it.
        process.terminationHandler = { [ending] _ in
            printing.finish()
            ending.finish()
        }
        try Self.unblockingSignals { try process.run() }
    }

    /// Runs `body` with no signal blocked: threads of Dispatch block signals, and a process inherits that.
    private static func unblockingSignals(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// A program of this package.
    convenience init(_ name: String, _ arguments: String...) throws {
        #if canImport(Darwin)
        let folder = Bundle(for: RunningProgram.self).bundleURL.deletingLastPathComponent()
        #else
        let folder = Bundle.main.bundleURL
        #endif
        try self.init(folder.appending(path: name), arguments)
    }

    isolated deinit { signal(SIGKILL) }

    /// The next line; nil if there is none any more.
    func nextLine() async -> String? {
        var lines = lines.makeAsyncIterator()
        return await lines.next(isolation: #isolation)
    }

    /// Passes over lines up to one that is as wanted, and returns it.
    func line(where isWanted: (String) -> Bool) async throws -> String {
        while let line = await nextLine() { if isWanted(line) { return line } }
        throw EndedProgram(name: process.executableURL?.lastPathComponent ?? "a program")
    }

    func write(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    func closeInput() throws { try input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { if process.isRunning { kill(process.processIdentifier, number) } }

    /// Waits for the end.
    ///
    /// - Returns: The status, or the signal that ended it.
    func end() async -> Int32 {
        for await _ in endings {}
        // Cancelled, it has not ended.
        return process.isRunning ? -1 : process.terminationStatus
    }
}

/// A program ended before it printed what was expected.
struct EndedProgram: Error { let name: String }

/// A Redis server on a free port of this machine, with its files in a folder of its own.
///
/// Both go with the object.
@MainActor final class RedisServer {
    let address: RedisAddress
    private let isPersistent: Bool
    private let folder: URL
    private var program: RunningProgram

    /// Starts a server.
    ///
    /// - Parameter isPersistent: Whether it keeps its data in a file.
    /// - Throws: `EndedProgram` if it does not start, or another error if it is not installed.
    init(isPersistent: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "replication-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.isPersistent = isPersistent
        var tries = 0
        while true {
            let address = RedisAddress(port: .random(in: 20_000..<32_000))
            do {
                program = try await Self.start(at: address, in: folder, isPersistent)
                self.address = address
                return
            } catch is EndedProgram where tries < 20 {
                // Most likely something else listens there.
                tries += 1
            }
        }
    }

    isolated deinit {
        program.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    private static func start(
        at address: RedisAddress, in folder: URL, _ isPersistent: Bool
    ) async throws -> RunningProgram {
        let program = try RunningProgram(
            URL(filePath: "/usr/bin/env"),
            [
                "redis-server", "--bind", address.host, "--port", "\(address.port)", "--dir", folder.path(),
                "--save", "", "--appendonly", isPersistent ? "yes" : "no",
            ])
        _ = try await program.line { $0.contains("Ready to accept connections") }
        return program
    }

    /// Starts it again after it has ended.
    func start() async throws { program = try await Self.start(at: address, in: folder, isPersistent) }

    func signal(_ number: Int32) { program.signal(number) }

    /// Ends it, and waits for that.
    func stop(_ signal: Int32 = SIGTERM) async {
        program.signal(signal)
        _ = await program.end()
    }

    func connect() async throws -> RedisConnection { try await .connect(to: address) }
}
