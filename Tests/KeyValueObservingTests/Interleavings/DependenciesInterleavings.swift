// 5.1, 6.2: two evaluations of a path at once, and its end in between.
import KeyValueObserving
import Testing

private final class Property: Sendable {
    let name: String

    init(_ name: String) { self.name = name }
}

private let properties = ["x", "y", "z"].map(Property.init)

private func named(_ names: String) -> [Property] {
    names.compactMap { name in properties.first { $0.name == String(name) } }
}

@Suite("6 Interleavings of evaluations")
struct DependenciesInterleavings {
    /// An evaluation that is under way: what `DependencyTracker` does.
    private final class Evaluation {
        let start: Dependencies<Property>.Start
        private var agreed = 0
        private(set) var read: ContiguousArray<Property>?
        private(set) var attached: ContiguousArray<Property> = []
        /// All that was read, and whether the path was attached to it all the time since.
        private(set) var all: [Property] = []
        var isSeamless = true

        init(_ start: Dependencies<Property>.Start) { self.start = start }

        /// Reads a property, to which the path is attached before if that is not expected.
        func read(_ property: Property, _ attach: (Property) -> Void) {
            defer { all.append(property) }
            if read == nil, agreed < start.expected.count, start.expected[agreed] === property {
                agreed += 1
                return
            }
            if read == nil, start.expected[..<agreed].contains(where: { $0 === property }) { return }
            differ()
            if read?.contains(where: { $0 === property }) ?? false { return }
            read?.append(property)
            attached.append(property)
            attach(property)
        }

        /// What was read, if it is not what was expected.
        func differing() -> ContiguousArray<Property>? {
            if read == nil, agreed < start.expected.count || start.expected.isEmpty { differ() }
            return read
        }

        private func differ() { read = read ?? ContiguousArray(start.expected[..<agreed]) }
    }

    /// A path, with the attaches that its properties have.
    private final class Path {
        var dependencies = Dependencies<Property>()
        var attaches: [String: Int] = [:]
        var running: [Int: Evaluation] = [:]
        /// What each thread has still to detach.
        var stale: [Int: ContiguousArray<Property>] = [:]
        /// The evaluations that counted, with what they read.
        var counted: [(number: Int, read: [Property])] = []
        /// The threads whose evaluation is to be made again.
        var repeating: Set<Int> = []
        private var problem: String?

        /// - Parameter reads: What was read when the path was evaluated first.
        init(reads: String) {
            let first = Evaluation(dependencies.begin(isRelying: true))
            running[0] = first
            for property in named(reads) { first.read(property) { attaches[$0.name, default: 0] += 1 } }
            _ = end(0)
            detach(0)
        }

        func detach(_ thread: Int) {
            for property in stale[thread] ?? [] { attaches[property.name, default: 0] -= 1 }
            stale[thread] = nil
        }

        /// Ends the evaluation of a thread.
        ///
        /// - Returns: Whether it is to be made again.
        func end(_ thread: Int) -> Bool {
            guard let evaluation = running.removeValue(forKey: thread) else { return false }
            let outcome: Dependencies<Property>.Outcome
            if let read = evaluation.differing() {
                (outcome, stale[thread]) = dependencies.end(
                    evaluation.start, read: DistinctObjects(read), attached: evaluation.attached, areDeclared: false)
            } else {
                outcome = dependencies.end(asExpected: evaluation.start)
            }
            if outcome == .changed || outcome == .unchanged {
                counted.append((evaluation.start.number, evaluation.all))
                if !evaluation.isSeamless { problem = "an evaluation counts that a change would have escaped" }
            }
            return outcome == .outdated && evaluation.start.isRelying
        }

        /// What is wrong now.
        func check() -> String? {
            for evaluation in running.values where evaluation.all.contains(where: { attaches[$0.name, default: 0] < 1 })
            {
                evaluation.isSeamless = false
            }
            let missing = dependencies.properties.first { attaches[$0.name, default: 0] < 1 }
            if let missing { return "the path depends on \(missing.name) and is not attached" }
            return attaches.values.contains { $0 < 0 } ? "something is detached twice" : problem
        }

        /// What is wrong when nothing is under way.
        func checkAtEnd() -> String? {
            let expected = Dictionary(uniqueKeysWithValues: dependencies.properties.map { ($0.name, 1) })
            let attaches = attaches.filter { $0.value != 0 }
            if attaches != expected {
                return "attaches \(attaches.sorted { $0.key < $1.key }), needed \(expected.keys.sorted())"
            }
            let last = dependencies.isEnded ? [] : counted.max { $0.number < $1.number }?.read ?? []
            let names = Set(last.map(\.name))
            return names == Set(expected.keys) ? nil : "depends on \(expected.keys.sorted()), read \(names.sorted())"
        }
    }

    /// The steps of an evaluation that reads some properties; if what it relies on is replaced it is made again, the
    /// third time relying on nothing.
    private static func evaluation(_ thread: Int, reads names: String, isRelying: Bool = true) -> [Step<Path>] {
        var steps: [Step<Path>] = []
        for attempt in 1...3 {
            steps.append(
                Step("begins") { path in
                    path.running[thread] = Evaluation(path.dependencies.begin(isRelying: isRelying && attempt < 3))
                })
            for property in named(names) {
                steps.append(
                    Step("reads \(property.name)") { path in
                        path.running[thread]?.read(property) { path.attaches[$0.name, default: 0] += 1 }
                    })
            }
            let next = steps.count + 2
            steps.append(
                Step(choosing: "ends") { path in
                    let isAgain = path.end(thread)
                    if path.stale[thread] == nil { return isAgain ? .skip(to: next) : .done }
                    if isAgain { path.repeating.insert(thread) }
                    return .next
                })
            steps.append(
                Step(choosing: "detaches") { path in
                    path.detach(thread)
                    return path.repeating.remove(thread) == nil ? .done : .next
                })
        }
        return steps
    }

    private func explore(
        after reads: String, _ threads: [[Step<Path>]], _ location: SourceLocation = #_sourceLocation
    ) -> Int {
        var explorer = Explorer(threads: threads) { Path(reads: reads) }
        explorer.afterEachStep = { $0.check() }
        explorer.atEnd = { $0.checkAtEnd() }
        let result = explorer.explore()
        if let failure = result.failure { Issue.record("after \(reads): \(failure)", sourceLocation: location) }
        return result.interleavings
    }

    @Test(
        "6.2 Of two evaluations at once the one that began last counts, and the path is attached once to what it read",
        arguments: ["x", "xy"], ["x", "xy", "yx", "z"])
    func twoEvaluations(before: String, first: String) {
        for second in ["x", "y", "xz", "yx"] {
            let count = explore(
                after: before, [Self.evaluation(1, reads: first), Self.evaluation(2, reads: second)])
            #expect(count >= 20)
        }
    }

    @Test("6.2 An evaluation that relies on nothing attaches all it reads, whatever others replace meanwhile")
    func relyingOnNothing() {
        for (first, second) in [("xy", "yx"), ("x", "xy"), ("z", "x")] {
            _ = explore(
                after: "xy",
                [Self.evaluation(1, reads: first, isRelying: false), Self.evaluation(2, reads: second)])
            _ = explore(
                after: "xy",
                [
                    Self.evaluation(1, reads: first, isRelying: false),
                    Self.evaluation(2, reads: second, isRelying: false),
                ])
        }
    }

    @Test("6.2 A path that ends while it is evaluated is attached to nothing", arguments: ["x", "y", "yx"])
    func endOfPath(reads: String) {
        let end = [
            Step<Path>("ends the path") { $0.stale[3] = $0.dependencies.end() }, Step("detaches all") { $0.detach(3) },
        ]
        _ = explore(after: "x", [Self.evaluation(1, reads: reads), end])
        _ = explore(after: "x", [Self.evaluation(1, reads: reads), Self.evaluation(2, reads: "z"), end])
    }
}
