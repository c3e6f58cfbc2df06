// Faults that are put into a copy of the library on purpose, each of which some scenario finds.
import Foundation

/// A fault, as `Faults.txt` has it.
struct Fault {
    let name: String
    /// The path of a file below `Sources`.
    let file: String
    /// The scenario that finds it.
    let scenario: String
    /// What stands in the file, and what stands there instead; `FAULT` is whether the fault is put in.
    let (text, changed): (String, String)

    /// All of them; the program runs in the root of the package.
    static let all: [Fault] = {
        let path = "Verification/Explore/Faults.txt"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { fatalError("there is no \(path)") }
        return text.components(separatedBy: "\n\n").filter { $0.hasPrefix("#") }.map(Fault.init)
    }()

    private init(_ entry: String) {
        let all = entry.split(separator: "\n")
        func lines(after mark: String) -> String {
            all.filter { $0.hasPrefix(mark) }.map { $0.dropFirst(mark.count + 1) }.joined(separator: "\n")
        }
        (name, file, scenario) = (lines(after: "#"), lines(after: "in"), lines(after: "by"))
        (text, changed) = (lines(after: "-"), lines(after: "+"))
    }

    /// Rewrites the sources of a copy of the package, so that a fault is there if the environment names its number.
    static func writeAll(at package: String) throws {
        var missing: [String] = []
        for (index, fault) in all.enumerated() {
            let path = "\(package)/Sources/\(fault.file)"
            let parts = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: fault.text)
            if parts.count == 2 {
                let changed = fault.changed.replacing("FAULT", with: "hasFault(\(index + 1))")
                try parts.joined(separator: changed).write(toFile: path, atomically: true, encoding: .utf8)
            } else {
                missing.append("\(fault.file) does not have once what \"\(fault.name)\" changes")
            }
        }
        if !missing.isEmpty { throw FaultError(description: missing.joined(separator: "\n")) }
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

struct FaultError: Error, CustomStringConvertible {
    let description: String
}
