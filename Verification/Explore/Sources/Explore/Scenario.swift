// A few threads that use the library at the same time, and what must hold in every order.

/// What some threads do, and what it must come to.
struct Scenario {
    let name: String
    /// The promises that it is about, by their numbers in the contract.
    let promises: String
    /// How many threads run what tasks and actors have to do.
    let workers: Int
    /// Whether each order leaves something behind on purpose, such as a class that is known from then on.
    let keepsMemory: Bool
    /// Makes one run.
    let make: () -> Trial

    init(
        _ name: String, _ promises: String, workers: Int = 0, keepsMemory: Bool = false,
        _ make: @escaping () -> Trial
    ) {
        self.name = name
        self.promises = promises
        self.workers = workers
        self.keepsMemory = keepsMemory
        self.make = make
    }
}

/// One run of a scenario: fresh objects, the threads, and what is looked at when they are done.
struct Trial {
    let threads: [() -> Void]
    let check: () -> Void

    /// - Parameters:
    ///   - threads: What each thread does.
    ///   - check: Looks at what came of it, with `require`.
    init(_ threads: (() -> Void)..., check: @escaping () -> Void) {
        self.threads = threads
        self.check = check
    }

    private init(threads: [() -> Void], check: @escaping () -> Void) {
        self.threads = threads
        self.check = check
    }

    /// The same, with objects that live until the end.
    func keeping(_ objects: AnyObject...) -> Trial {
        Trial(threads: threads) {
            check()
            withExtendedLifetime(objects) {}
        }
    }

    /// The same, where a journal knows what must hold.
    init(_ journal: Journal, _ threads: (() -> Void)..., check: @escaping () -> Void = {}) {
        self.threads = threads
        self.check = {
            journal.check()
            check()
        }
    }
}

/// Notes a broken promise unless a condition holds.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    if !condition { Findings.add(promise()) }
}

/// What is wrong with the order that is being run.
enum Findings {
    nonisolated(unsafe) private(set) static var all: [String] = []
    static func add(_ finding: String) { all.append(finding) }
    static func clear() { all = [] }
}

extension Scenario {
    static var all: [Scenario] {
        registering + ending + controllers + elements + several + paths + announcing + elsewhere
            + binding + objects + shared + views
    }
}
