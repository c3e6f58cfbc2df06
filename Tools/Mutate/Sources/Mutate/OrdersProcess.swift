// Runs the scenarios of Scripts/explore in a process of their own.

internal import Foundation
internal import Synchronization

/// Runs threads in many orders against a variant that no test notices.
final class OrdersProcess: Sendable {
    private let program: URL
    private let seconds: Double
    private let folder: URL
    /// On one core a thread hands over to another one several times faster.
    private let freeCores = Mutex([0, 1])

    /// - Parameters:
    ///   - seconds: How long the scenarios run together.
    ///   - workplace: Where they were built.
    /// - Throws: An error if something is found without a variant.
    init(seconds: Double, _ workplace: Workplace) throws {
        self.seconds = seconds
        program = Product.orders.folder(in: workplace).appending(path: "Explore")
        folder = workplace.scratch
        if let finding = try finding(variant: nil) { throw FoundWithoutVariant(finding: finding) }
    }

    struct FoundWithoutVariant: Error, CustomStringConvertible {
        let finding: String

        var description: String { "The scenarios find something without a variant: \(finding)" }
    }

    /// What the scenarios find; nil if nothing.
    func finding(variant: Int?) throws -> String? {
        let log = folder.appending(path: "orders-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let core = freeCores.withLock { $0.popLast() }
        defer { if let core { freeCores.withLock { $0.append(core) } } }
        var environment = ProcessInfo.processInfo.environment
        environment["MUTATION"] = variant.map(String.init)
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // As Scripts/explore has them.
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0"
        environment["MALLOC_ARENA_MAX"] = "1"
        let taskset = "/usr/bin/taskset"
        let pinned = core.flatMap { FileManager.default.fileExists(atPath: taskset) ? [taskset, "-c", "\($0)"] : nil }
        let arguments = (pinned ?? []) + [program.path, "--preemptions", "2", "--seconds", "\(seconds)"]
        let process = try Spawned(arguments, environment: environment, output: log.path)
        switch process.wait(upTo: 2 * seconds + 30) {
        case 0: return nil
        case let status?: return Self.finding(in: log) ?? "the process ends with \(status)"
        case nil: return Self.finding(in: log) ?? "the process hangs"
        }
    }

    private static func finding(in log: URL) -> String? {
        let lines = ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n")
        return lines.first { $0.hasPrefix("explore: ") }.map {
            String($0.dropFirst("explore: ".count).replacing("\t", with: " "))
        }
    }
}
