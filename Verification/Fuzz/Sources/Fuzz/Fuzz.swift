// The command: gives libFuzzer the target that the environment names.
import CFuzz
import Foundation

/// What is given random input.
enum Target: String, CaseIterable {
    case keypaths, operators, values

    /// Uses the library as the input says; a broken promise ends the process.
    func run(_ input: Input) {
        let root = FuzzNode.graph()
        defer { root.clear() }
        switch self {
        case .keypaths: KeyPathsTarget.run(input, root)
        case .operators: OperatorsTarget.run(input, root)
        case .values: ValuesTarget.run(input, root)
        }
    }

    static let chosen: Target = {
        guard let target = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(Target.init) else {
            fatalError("FUZZ_TARGET must be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return target
    }()
}

/// Ends the process with a sentence if a promise is broken.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fatalError(promise()) }
}

@main
enum Fuzz {
    static func main() {
        _ = Target.chosen
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let status = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            let before = FuzzNode.alive
            Target.chosen.run(Input(UnsafeRawBufferPointer(start: data, count: size)))
            require(FuzzNode.alive == before, "9.4 \(FuzzNode.alive - before) objects are left")
            return 0
        }
        exit(status)
    }
}
