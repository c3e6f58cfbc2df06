// Prints what came of the variants.

internal import Foundation

struct Report {
    let variants: [Variant]
    let verdicts: [String: Verdict]

    private typealias Counts = [Verdict.Result: Int]

    func printAll() {
        var rows: [String: Counts] = [:]
        var total: Counts = [:]
        for variant in variants {
            guard let verdict = verdicts[variant.key] else { continue }
            rows[variant.folder, default: [:]][verdict.result, default: 0] += 1
            total[verdict.result, default: 0] += 1
            if verdict.result != .noticed { print("  [\(variant.number)] \(variant.description) (\(verdict.note))") }
        }
        print("\n| where | variants | noticed | survived | not reached | share noticed |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for (name, counts) in rows.sorted(by: { $0.key < $1.key }) { printRow(name, counts) }
        printRow("all", total)
    }

    private func printRow(_ name: String, _ counts: Counts) {
        let all = counts.values.reduce(0, +)
        let results: [Verdict.Result] = [.noticed, .survived, .notReached]
        let numbers = results.map { "\(counts[$0] ?? 0)" }.joined(separator: " | ")
        let share = all == 0 ? "–" : "\(((counts[.noticed] ?? 0) * 1000 / all + 5) / 10) %"
        print("| \(name) | \(all) | \(numbers) | \(share) |")
    }
}
