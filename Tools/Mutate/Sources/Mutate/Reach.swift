// Which tests reach which variants.

internal import Foundation
internal import Synchronization

/// What each test reaches, and how long it takes.
struct Reach {
    struct Test: Codable {
        let name: String
        let seconds: Double
        let variants: IndexSet

        /// Whether it takes more than the start of the program.
        var isSlow: Bool { seconds > 0.4 }
    }

    /// What is kept for the next run.
    private struct Record: Codable {
        let stamp: String
        let tests: [Test]
    }

    private(set) var tests: [Test] = []
    /// By folder, the tests in the order in which they are tried.
    private var orders: [String: [Test]] = [:]

    /// Runs each test by itself once and notes what it reaches; what an earlier run with the same variants and tests noted is
    /// kept.
    init(_ build: Build, _ process: TestProcess) throws {
        let all = build.files.flatMap(\.variants)
        let stamp = try build.stamp
        let data = try? Data(contentsOf: build.workplace.reachFile)
        let record = data.flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
        let kept = record?.stamp == stamp ? record?.tests ?? [] : []
        var known = Dictionary(uniqueKeysWithValues: kept.map { ($0.name, $0) })
        let names = try process.tests()
        let missing = names.filter { known[$0] == nil }
        if !missing.isEmpty { print("Recording what \(missing.count) of \(names.count) tests reach") }
        let found = try inParallel(missing) { name -> Test? in
            let (run, variants) = try build.workplace.recording(all.count) { file in
                try process.run([TestFilter.exactly(name)], recordingIn: file, limit: 600)
            }
            if run.outcome == .passed { return Test(name: name, seconds: run.seconds, variants: variants) }
            // It would fail with every variant; the next run tries it again.
            print("  \(name): \(run.outcome.text) without a variant, and is left out")
            return nil
        }
        for test in found.compactMap(\.self) { known[test.name] = test }
        tests = names.compactMap { known[$0] }
        try JSONEncoder().encode(Record(stamp: stamp, tests: tests)).write(to: build.workplace.reachFile)
        for (folder, variants) in Dictionary(grouping: all, by: \.folder) {
            let numbers = IndexSet(variants.map(\.number))
            orders[folder] = tests.map { test in
                (test, share: Double(test.variants.intersection(numbers).count) / Double(test.variants.count + 20))
            }.sorted { $0.share > $1.share }.map(\.0)
        }
    }

    func order(for folder: String) -> [Test] { orders[folder] ?? [] }
}

/// Regular expressions for the names of tests.
enum TestFilter {
    static func exactly(_ name: String) -> String { "^\(NSRegularExpression.escapedPattern(for: name))(/|$)" }

    /// All tests of the suites that these tests are in.
    static func suites(of names: [String]) -> [String] {
        let suites = Set(names.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
        return suites.sorted().map { "^\(NSRegularExpression.escapedPattern(for: $0))/" }
    }
}

/// Does something with each element, two at a time.
func inParallel<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ body: @Sendable (Element) throws -> Result
) throws -> [Result] {
    let state = Mutex((next: 0, results: [Result](), error: (any Error)?.none))
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
        while true {
            let index = state.withLock { state -> Int? in
                guard state.error == nil, state.next < elements.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
            guard let index else { return }
            do {
                let result = try body(elements[index])
                state.withLock { $0.results.append(result) }
            } catch {
                state.withLock { $0.error = error }
            }
        }
    }
    return try state.withLock { state in
        if let error = state.error { throw error }
        return state.results
    }
}
