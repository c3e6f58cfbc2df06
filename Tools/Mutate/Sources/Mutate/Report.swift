// Prints what came of the variants.

internal import Foundation

struct Report {
    let variants: [Variant]
    let verdicts: [String: Verdict]
    let accepted: Accepted

    private struct Row {
        var noticed = 0
        var survived = 0
        var notReached = 0
        var equivalent = 0

        mutating func add(_ result: Verdict.Result, isEquivalent: Bool) {
            switch result {
            case .noticed: noticed += 1
            case _ where isEquivalent: equivalent += 1
            case .survived: survived += 1
            case .notReached: notReached += 1
            }
        }

        var all: Int { noticed + survived + notReached }
        var share: String { all == 0 ? "–" : "\((noticed * 1000 / all + 5) / 10) %" }
    }

    func printAll(byFile: Bool) {
        var folders: [String: Row] = [:]
        var files: [String: Row] = [:]
        var total = Row()
        for variant in variants {
            guard let result = verdicts[variant.key]?.result else { continue }
            let isEquivalent = accepted.entries[variant.key]?.isEquivalent == true
            folders[variant.folder, default: Row()].add(result, isEquivalent: isEquivalent)
            files[variant.file, default: Row()].add(result, isEquivalent: isEquivalent)
            total.add(result, isEquivalent: isEquivalent)
        }
        printSurvivors()
        print("\n| where | variants | noticed | survived | not reached | equivalent | share noticed |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for (name, row) in (byFile ? files : folders).sorted(by: { $0.key < $1.key }) { printRow(name, row) }
        printRow("all", total)
    }

    private func printRow(_ name: String, _ row: Row) {
        let cells = [name, "\(row.all + row.equivalent)", "\(row.noticed)", "\(row.survived)", "\(row.notReached)"]
        print("| " + (cells + ["\(row.equivalent)", row.share]).joined(separator: " | ") + " |")
    }

    private func printSurvivors() {
        let unnoticed = variants.filter { (verdicts[$0.key]?.result).map { $0 != .noticed } ?? false }
        for (title, isAccepted) in [("Not noticed", false), ("Not noticed, and accepted", true)] {
            let list = unnoticed.filter { (accepted.entries[$0.key] != nil) == isAccepted }
            guard !list.isEmpty else { continue }
            print("\n\(title): \(list.count)")
            for variant in list {
                let result = verdicts[variant.key].map { " (\($0.result.rawValue))" } ?? ""
                print("  [\(variant.number)] \(variant.description)\(result)")
                if let entry = accepted.entries[variant.key] { print("      \(entry.reason)") }
            }
        }
        let noticed = variants.filter { accepted.entries[$0.key] != nil && verdicts[$0.key]?.result == .noticed }
        for variant in noticed { print("Accepted, but noticed: \(variant.description)") }
    }
}
