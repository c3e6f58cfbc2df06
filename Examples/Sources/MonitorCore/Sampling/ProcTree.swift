// Reading the files of a proc tree.
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A directory that looks like `/proc`.
package struct ProcTree: Equatable, Sendable {
    /// The directory.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Whether the directory holds any of the files that a sample begins with.
    var looksRight: Bool {
        exists("meminfo") || exists("loadavg") || exists("stat")
    }

    /// Takes a sample.
    ///
    /// What cannot be read or understood is missing in it, and listed as a problem.
    package func read() -> Snapshot {
        var snapshot = Snapshot()
        snapshot.memory = snapshot.noting { () throws(FileProblem) in
            try parse("meminfo", MemoryReading.init(parsing:))
        }
        snapshot.load = snapshot.noting { () throws(FileProblem) in
            try parse("loadavg", LoadAverage.init(parsing:))
        }
        snapshot.times = snapshot.noting { () throws(FileProblem) in
            try parse("stat", ProcessorTimes.init(parsing:))
        }
        guard let identifiers = snapshot.noting(processIdentifiers) else { return snapshot }
        snapshot.processes = identifiers.compactMap { pid in
            snapshot.noting { () throws(FileProblem) in try process(pid) }
        }
        return snapshot
    }

    /// What is running now, in ascending order.
    private func processIdentifiers() throws(FileProblem) -> [Int]? {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .compactMap { name in Int(name).flatMap { $0 > 0 && "\($0)" == name ? $0 : nil } }
                .sorted()
        } catch {
            throw FileProblem(path: path, reason: "cannot be listed")
        }
    }

    /// Reads one process, or nothing if it has ended since the listing.
    ///
    /// Depending on when it ends, its file is not found, or is found and cannot be read. Either way it is gone after.
    private func process(_ pid: Int) throws(FileProblem) -> ProcessRecord? {
        do {
            return try parse("\(pid)/stat") { text throws(MalformedText) in
                let record = try ProcessRecord(parsing: text)
                guard record.pid == pid else { throw MalformedText("it is about process \(record.pid)") }
                return record
            }
        } catch {
            guard exists("\(pid)/stat") else { return nil }
            throw error
        }
    }

    private func parse<Value>(
        _ file: String, _ parser: (String) throws(MalformedText) -> Value
    ) throws(FileProblem) -> Value {
        let path = "\(path)/\(file)"
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            let reason =
                switch (error as? CocoaError)?.code {
                case .fileReadNoSuchFile: "no such file"
                case .fileReadNoPermission: "permission denied"
                default: "cannot be read"
                }
            throw FileProblem(path: path, reason: reason)
        }
        do {
            // Names of commands may be any bytes; what is not UTF-8 among them is replaced.
            return try parser(String(decoding: data, as: UTF8.self))
        } catch {
            throw FileProblem(path: path, reason: "malformed: \(error.reason)")
        }
    }

    private func exists(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(file)")
    }
}
