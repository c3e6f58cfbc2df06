// Runs other programs.

internal import Foundation

enum Command {
    /// Runs a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked for in the path, and its arguments.
    ///   - environment: What is added to the environment.
    ///   - limit: The seconds after which it is ended.
    /// - Returns: Its status, nil if it was ended, and everything it printed.
    /// - Throws: An error if it cannot be started.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], limit: Double = .infinity
    ) throws -> (status: Int32?, output: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "mutate-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let process = try Spawned(
            ["/usr/bin/env"] + arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: log.path)
        let status = process.wait(upTo: limit)
        return (status, String(decoding: try Data(contentsOf: log), as: UTF8.self))
    }

    /// Runs a program that has to succeed, and gives what it printed.
    @discardableResult
    static func check(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let (status, output) = try run(arguments, environment: environment)
        guard status == 0 else { throw CommandError(command: arguments, output: String(output.suffix(4_000))) }
        return output
    }

    /// Whether there is such a program.
    static func isThere(_ program: String) throws -> Bool { try run(["which", program]).status == 0 }
}

/// A program that something else depends on failed.
struct CommandError: Error, CustomStringConvertible {
    let command: [String]
    let output: String

    var description: String { "\(command.joined(separator: " ")) failed:\n\(output)" }
}
