// Prints what came of the variants.

internal import Foundation

struct Report {
    let variants: [Variant]
    let verdicts: [String: Verdict]

    private struct Row {
        var noticed = 0
        var survived = 0
        var notReached = 0

        mutating func add(_ result: Verdict.Result) {
            switch result {
            case .noticed: noticed += 1
            case .survived: survived += 1
            case .notReached: notReached += 1
            }
        }

        var all: Int { noticed + survived + notReached }
        var share: String { all == 0 ? "–" : "\((noticed * 1000 / all + 5) / 10) %" }
    }

    func printAll(byFile: Bool) {
        var rows: [String: Row] = [:]
        var total = Row()
        for variant in variants {
            guard let result = verdicts[variant.key]?.result else { continue }
            rows[byFile ? variant.file : variant.folder, default: Row()].add(result)
            total.add(result)
            if result != .noticed { print("  [\(variant.number)] \(variant.description) (\(result.rawValue))") }
        }
        print("\n| where | variants | noticed | survived | not reached | share noticed |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for (name, row) in rows.sorted(by: { $0.key < $1.key }) { printRow(name, row) }
        printRow("all", total)
    }

    private func printRow(_ name: String, _ row: Row) {
        print("| \(name) | \(row.all) | \(row.noticed) | \(row.survived) | \(row.notReached) | \(row.share) |")
    }
}
