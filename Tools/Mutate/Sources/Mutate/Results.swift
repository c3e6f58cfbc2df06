// What came of the variants so far, in a file, so that a run that was interrupted can go on.

internal import Foundation

/// The verdicts by the variants' keys.
///
/// Each is written down at once.
final class Results {
    private(set) var verdicts: [String: Verdict] = [:]
    private let file: URL

    init(_ file: URL) {
        self.file = file
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let result = Verdict.Result(rawValue: parts[0]) else { continue }
            verdicts[parts[2]] = Verdict(result: result, note: parts[1])
        }
    }

    /// Forgets what does not hold.
    func forget(_ keys: some Sequence<String>) throws {
        for key in keys { verdicts[key] = nil }
        try save()
    }

    func note(_ verdict: Verdict, for key: String) throws {
        verdicts[key] = verdict
        try save()
    }

    private func save() throws {
        let lines = verdicts.sorted { $0.key < $1.key }.map { "\($1.result.rawValue)\t\($1.note)\t\($0)\n" }
        try Data(lines.joined().utf8).write(to: file)
    }
}
