// A copy of the library with all faults, each behind its number.
import Foundation

/// Writes the copy.
enum FaultyCopy {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Rewrites the sources of a copy of the package, so that a fault is there if the environment names its number.
    static func write(at package: String) throws {
        var failures: [String] = []
        for (index, fault) in Fault.all.enumerated() {
            let path = "\(package)/Sources/\(fault.file)"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            if let faulty = fault.put(into: text, while: "hasFault(\(index + 1))") {
                try faulty.write(toFile: path, atomically: true, encoding: .utf8)
            } else {
                failures.append("\(fault.file) does not have once what \"\(fault.name)\" changes")
            }
        }
        if !failures.isEmpty { throw Failure(description: failures.joined(separator: "\n")) }
        try """
        import Foundation

        /// Whether a fault was put in.
        public func hasFault(_ number: Int) -> Bool { Faults.number == number }

        private enum Faults {
            static let number = Int(ProcessInfo.processInfo.environment["EXPLORE_FAULT"] ?? "0")
        }
        """.write(
            toFile: "\(package)/Sources/KeyValueObserving/Engine/Runtime/Faults.swift", atomically: true,
            encoding: .utf8)
    }
}
