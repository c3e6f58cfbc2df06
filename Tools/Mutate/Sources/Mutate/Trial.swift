// Whether anything notices a variant.

internal import Foundation

/// What came of a variant.
struct Verdict {
    enum Result: String {
        case noticed
        case survived
        case notReached = "not reached"
    }

    let result: Result
    /// How it was noticed, or how many tests ran.
    let note: String
}

/// Runs the tests that reach a variant, in batches, and then what else may notice it.
///
/// Those come first that are about its folder most: the greatest share of what they reach is there.
struct Trial {
    let process: TestProcess
    let reach: Reach
    let witnesses: [RecordedWitness]
    /// Tests that take more seconds are left out.
    let longest: Double
    /// At most so many tests run for one variant.
    let most: Int

    func judge(_ variant: Variant) throws -> Verdict {
        let reaching = reach.order(for: variant.folder).filter { $0.variants.contains(variant.number) }
        let tests = reaching.filter { $0.seconds <= longest }
        let quick = tests.filter { !$0.isSlow }.prefix(most)
        let slow = tests.filter(\.isSlow).prefix(max(0, most - quick.count))
        let batches = [quick.prefix(8), quick.dropFirst(8), slow].map(Array.init)
        for batch in batches where !batch.isEmpty {
            let names = batch.map(\.name)
            // A regular expression for each of many tests costs more than the other tests of their suites.
            let isLarge = names.count > 100
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
        for witness in witnesses {
            if let difference = try witness.difference(of: variant) {
                return Verdict(result: .noticed, note: difference.replacing("\t", with: " "))
            }
        }
        let ran = quick.count + slow.count
        return Verdict(
            result: reaching.isEmpty ? .notReached : .survived, note: "\(ran) of \(reaching.count) tests ran")
    }
}
