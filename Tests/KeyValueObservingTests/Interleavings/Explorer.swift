// Running the steps of several threads in every order there is.

/// A step of a thread, which no other thread can see half of.
struct Step<State: AnyObject> {
    let name: String
    /// Makes the step.
    ///
    /// - Returns: How the thread goes on.
    let run: (State) -> Next

    enum Next {
        case next
        /// The thread goes on with another of its steps, which comes later.
        case skip(to: Int)
        /// The thread is done.
        case done
    }

    init(_ name: String, _ run: @escaping (State) -> Void) {
        self.name = name
        self.run = {
            run($0)
            return .next
        }
    }

    init(choosing name: String, _ run: @escaping (State) -> Next) {
        self.name = name
        self.run = run
    }
}

/// Runs every interleaving of the steps of a few threads, each from the beginning on a fresh state.
struct Explorer<State: AnyObject> {
    let threads: [[Step<State>]]
    let make: () -> State
    /// What is wrong after a step; nil if nothing is.
    var afterEachStep: (State) -> String? = { _ in nil }
    /// What is wrong when all threads are done; nil if nothing is.
    var atEnd: (State) -> String? = { _ in nil }

    /// What came of it.
    struct Result {
        var interleavings = 0
        /// The first interleaving that went wrong, as text, with what was wrong.
        var failure: String?
    }

    /// One run: what was chosen at each place, and among which threads.
    private struct Run {
        var choices: [Int] = []
        /// The next thread that could have been chosen instead; nil if there was none.
        var alternatives: [Int?] = []
        var steps: [Step<State>] = []
        var problem: String?
    }

    /// Runs all interleavings, or those until the first that goes wrong.
    func explore() -> Result {
        var result = Result()
        var prefix: [Int]? = []
        while let known = prefix {
            let run = run(beginningWith: known)
            result.interleavings += 1
            if let problem = run.problem {
                let steps = zip(run.choices, run.steps).map { "\($0 + 1) \($1.name)" }
                result.failure = "\(problem), after \(steps.joined(separator: "; "))"
                return result
            }
            prefix = following(run)
        }
        return result
    }

    private func run(beginningWith prefix: [Int]) -> Run {
        let state = make()
        var run = Run()
        var positions = threads.map { _ in 0 }
        while true {
            func nextRunnable(from thread: Int) -> Int? {
                var thread = thread
                while thread < threads.count, positions[thread] >= threads[thread].count { thread += 1 }
                return thread < threads.count ? thread : nil
            }
            guard let first = nextRunnable(from: 0) else { break }
            let thread = run.choices.count < prefix.count ? prefix[run.choices.count] : first
            let step = threads[thread][positions[thread]]
            run.choices.append(thread)
            run.alternatives.append(nextRunnable(from: thread + 1))
            run.steps.append(step)
            switch step.run(state) {
            case .next: positions[thread] += 1
            case .skip(let position): positions[thread] = position
            case .done: positions[thread] = threads[thread].count
            }
            run.problem = afterEachStep(state)
            if run.problem != nil { return run }
        }
        run.problem = atEnd(state)
        return run
    }

    /// How the next interleaving begins, in the order of the threads; nil if there is none.
    private func following(_ run: Run) -> [Int]? {
        for place in run.choices.indices.reversed() {
            if let next = run.alternatives[place] { return run.choices[..<place] + [next] }
        }
        return nil
    }
}
