// What is built of the copy.

internal import Foundation

/// A program of the copy.
enum Product {
    /// The tests.
    case tests
    /// `Scripts/explore`, whose scheduler has the locks and atomic words of the library.
    case orders

    /// Where it is built.
    func folder(in workplace: Workplace) -> URL {
        build(in: workplace).appending(path: isRelease ? "release" : "debug")
    }

    /// What `swift build` is called with.
    func arguments(in workplace: Workplace) -> [String] {
        let scratch = ["--scratch-path", build(in: workplace).path]
        switch self {
        case .tests:
            return ["--build-tests", "--package-path", workplace.copy.path] + scratch
        case .orders:
            let package = Self.scheduled(in: workplace).appending(path: "Verification/Explore").path
            return ["-c", "release", "--package-path", package] + scratch
        }
    }

    /// Does what must be done before it is built.
    func prepare(in workplace: Workplace) throws {
        guard case .orders = self else { return }
        let copy = workplace.copy.appending(path: "Verification/Explore/Library/copy").path
        let (status, output) = try Command.run(["bash", copy, workplace.copy.path, Self.scheduled(in: workplace).path])
        if status != 0 { throw BuildError(output: output) }
    }

    /// The copy of the copy that has the scheduler.
    private static func scheduled(in workplace: Workplace) -> URL { workplace.scratch.appending(path: "scheduled") }

    private var isRelease: Bool { if case .orders = self { true } else { false } }

    private func build(in workplace: Workplace) -> URL {
        switch self {
        case .tests: workplace.copy.appending(path: ".build")
        case .orders: workplace.scratch.appending(path: "orders")
        }
    }
}
