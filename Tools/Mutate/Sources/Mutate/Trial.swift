// Whether a test notices a variant.

internal import Foundation

/// What came of a variant.
struct Verdict {
    enum Result: String {
        case noticed
        case survived
        case notReached = "not reached"
    }

    let result: Result
    /// How it was noticed, or how many tests reached it.
    let note: String
}

/// Runs the tests that reach a variant, in batches: those that reach least first, as they are about it most.
struct Trial {
    let process: TestProcess
    let reach: Reach
    /// Tests that take more seconds are left out.
    let longest: Double

    func judge(_ variant: Variant) throws -> Verdict {
        let tests = reach.tests.filter { $0.variants.contains(variant.number) && $0.seconds <= longest }
            .sorted { ($0.isSlow ? 1 : 0, $0.variants.count) < ($1.isSlow ? 1 : 0, $1.variants.count) }
        guard !tests.isEmpty else { return Verdict(result: .notReached, note: "") }
        let quick = tests.filter { !$0.isSlow }
        let batches = [Array(quick.prefix(8)), Array(quick.dropFirst(8)), tests.filter(\.isSlow)]
        for batch in batches where !batch.isEmpty {
            let names = batch.map(\.name)
            // A regular expression for each of many tests costs more than the other tests of their suites.
            let isLarge = names.count > 24
            let filters = isLarge ? TestFilter.suites(of: names) : names.map(TestFilter.exactly)
            let skipped = isLarge ? reach.tests.filter(\.isSlow).map { TestFilter.exactly($0.name) } : []
            let seconds = batch.reduce(0) { $0 + $1.seconds }
            let limit = min(5 + 10 * seconds, 60 + 2 * seconds)
            let outcome = try process.run(filters, skipping: skipped, variant: variant.number, limit: limit).outcome
            if outcome != .passed {
                let test = outcome == .crashed || outcome == .hung ? " in one of \(names.count), \(names[0])" : ""
                return Verdict(result: .noticed, note: outcome.text + test)
            }
        }
        return Verdict(result: .survived, note: "\(tests.count) tests")
    }
}
