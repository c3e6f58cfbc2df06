// A few threads that use the library at the same time, and what must hold in every order.

/// What some threads do, and what it must come to.
struct Scenario: Sendable {
    let name: String
    /// The promises that it is about, by their numbers in the contract.
    let promises: String
    /// How many threads run what tasks and actors have to do.
    let workers: Int
    /// Whether each order leaves something behind on purpose, such as a class that is known from then on.
    let keepsMemory: Bool
    /// Makes one run.
    let make: @Sendable () -> Trial

    init(
        _ name: String, _ promises: String, workers: Int = 0, keepsMemory: Bool = false,
        _ make: @escaping @Sendable () -> Trial
    ) {
        (self.name, self.promises, self.workers, self.keepsMemory) = (name, promises, workers, keepsMemory)
        self.make = make
    }

    static let all =
        registering + ending + controllers + elements + several + paths + announcing + elsewhere
        + binding + objects + shared
}

/// One run of a scenario: fresh objects, the threads, and what is looked at when they are done.
///
/// Whatever the threads and the check use lives until the end.
struct Trial {
    let threads: [() -> Void]
    let check: () -> Void

    /// - Parameters:
    ///   - kept: What else lives until the end.
    ///   - threads: What each thread does.
    ///   - check: Looks at what came of it, with `require`.
    init(keeping kept: Any? = nil, _ threads: [() -> Void], check: @escaping () -> Void = {}) {
        self.threads = threads
        self.check = {
            check()
            withExtendedLifetime(kept) {}
        }
    }

    /// The same, where a journal knows what must hold.
    init(_ journal: Journal, keeping kept: Any? = nil, _ threads: [() -> Void], check: @escaping () -> Void = {}) {
        self.init(keeping: kept, threads) {
            journal.check()
            check()
        }
    }
}

/// Notes a broken promise unless a condition holds.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    if !condition { Findings.all.append(promise()) }
}

/// What is wrong with the order that is being run.
enum Findings {
    nonisolated(unsafe) static var all: [String] = []
}
