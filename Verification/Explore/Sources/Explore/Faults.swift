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

    /// All of them. The program runs in the root of the package.
    static let all: [Fault] = {
        let path = "Verification/Explore/Faults.txt"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { fatalError("there is no \(path)") }
        return text.components(separatedBy: "\n\n").filter { $0.hasPrefix("#") }.map(Fault.init)
    }()

    private init(_ entry: String) {
        let lines = entry.split(separator: "\n")
        func lines(after mark: String) -> String {
            lines.filter { $0.hasPrefix(mark) }.map { $0.dropFirst(mark.count + 1) }.joined(separator: "\n")
        }
        (name, file, scenario) = (lines(after: "#"), lines(after: "in"), lines(after: "by"))
        (text, changed) = (lines(after: "-"), lines(after: "+"))
    }

    /// The text of a file with this fault, put in while `condition` holds; nil if what it changes is not there once.
    func put(into file: String, while condition: String) -> String? {
        let parts = file.components(separatedBy: text)
        return parts.count == 2 ? parts.joined(separator: changed.replacing("FAULT", with: condition)) : nil
    }
}
