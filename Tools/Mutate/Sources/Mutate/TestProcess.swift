// Runs tests of the copy in a process of their own.

internal import Foundation

/// Runs the tests of the copy.
///
/// It calls the test program itself: the package manager would look for something to build each time.
struct TestProcess {
    let program: URL
    let folder: URL

    init(_ workplace: Workplace) throws {
        folder = workplace.scratch
        let products = workplace.package.appending(path: ".build/debug")
        let names = try FileManager.default.contentsOfDirectory(atPath: products.path)
        guard let name = names.first(where: { $0.hasSuffix(".xctest") }) else {
            throw CommandError(command: ["swift", "build", "--build-tests"], output: "There is no test program.")
        }
        program = products.appending(path: name)
    }

    enum Outcome: Equatable {
        case passed
        /// With the title of the test that failed.
        case failed(String)
        case crashed
        case hung

        var text: String {
            switch self {
            case .passed: "passed"
            case .failed(let test): "failed: \(test)"
            case .crashed: "crashed"
            case .hung: "hung"
            }
        }
    }

    /// The names of all tests.
    func tests() throws -> [String] {
        let output = try Command.run([program.path, "--testing-library", "swift-testing", "--list-tests"]).output
        return output.split(separator: "\n").map(String.init).filter { $0.contains(".") }
    }

    /// Runs tests.
    ///
    /// - Parameters:
    ///   - filters: Regular expressions; a test runs if one of them is found in its name.
    ///   - skipped: Regular expressions for tests that do not run all the same.
    ///   - variant: The number of the variant to switch on.
    ///   - reached: A file with a byte for each variant, in which what is reached is set to one.
    ///   - limit: The seconds after which they are ended.
    /// - Returns: What came of it, and the seconds that it took. It ends with the first failure.
    /// - Throws: An error if no test has such a name, or the program cannot be started.
    func run(
        _ filters: [String], skipping skipped: [String] = [], variant: Int? = nil, recordingIn reached: URL? = nil,
        limit: Double
    ) throws -> (outcome: Outcome, seconds: Double) {
        let log = folder.appending(path: "tests-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        var environment = ProcessInfo.processInfo.environment
        environment["MUTATION"] = variant.map(String.init)
        environment["MUTATION_REACHED"] = reached?.path
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let arguments =
            [program.path, "--testing-library", "swift-testing"] + filters.flatMap { ["--filter", $0] }
            + skipped.flatMap { ["--skip", $0] }
        let start = ContinuousClock.now
        let process = try Spawned(arguments, environment: environment, output: log.path)
        // A second failure would tell nothing new.
        let status = process.wait(upTo: limit) { reached == nil && Self.failure(in: log) != nil }
        let seconds = start.duration(to: .now) / .seconds(1)
        switch status {
        case 0: return (.passed, seconds)
        case 1: return (.failed(Self.failure(in: log) ?? "a suite"), seconds)
        case 69: throw CommandError(command: arguments, output: "There is no such test.")
        case nil: return (Self.failure(in: log).map { .failed($0) } ?? .hung, seconds)
        default: return (.crashed, seconds)
        }
    }

    /// The title of the first test that failed.
    private static func failure(in log: URL) -> String? {
        guard let output = try? Data(contentsOf: log),
            let place = output.firstRange(of: Data(" recorded an issue ".utf8))
        else { return nil }
        let line = output[..<place.lowerBound].split(separator: UInt8(ascii: "\n")).last ?? Data()
        let words = String(decoding: line, as: UTF8.self).split(separator: " ").dropFirst()
        return words.joined(separator: " ").replacing("\t", with: " ")
    }
}
