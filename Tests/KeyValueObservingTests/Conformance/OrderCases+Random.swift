// Handlers that change what they observe at random: what each observer gets must remain one story.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 3: random re-entrancy")
struct RandomOrderCases {
    @Test(
        "#71 Whatever handlers set, each observer sees a chain of values that ends in the current one (3.4)",
        arguments: 0..<150)
    func chains(seed: UInt64) {
        let run = RandomRun(seed: seed, changesInPriors: false)
        run.perform()
        #expect(run.problems == [])
    }

    @Test(
        "#71 Whatever other properties prior handlers set, each observer sees a chain of values (3.4)",
        arguments: 0..<150)
    func chainsWithPriors(seed: UInt64) {
        let run = RandomRun(seed: seed, changesInPriors: true)
        run.perform()
        #expect(run.problems == [])
    }
}

private final class Net: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var a = 0
    @Observed var b = 0
    @Observed var child: Net?

    var sum: Int { a + (child?.a ?? 0) }
    /// Which properties it reads depends on one of them.
    var chosen: Int { a % 2 == 0 ? b : (child?.b ?? -1) }

    init(child: Net? = nil) { self.child = child }
}

extension Net? {
    /// The object, or one that stands for none.
    fileprivate subscript(or _: Int) -> Net { self ?? Net() }
}

/// One random run, the same for the same seed.
private final class RandomRun {
    private(set) var problems: [String] = []
    private let root = Net(child: Net())
    private let others = [Net(), Net(child: Net())]
    private let changesInPriors: Bool
    private var random: SplitMix
    /// What is being set by whom is not set again by handlers.
    private var underWay: [(object: Net, name: String)] = []
    private var observed: [(name: String, keyPath: KeyPath<Net, Int>, told: Int)] = []
    private var tokens: [KeyValueObservation] = []

    init(seed: UInt64, changesInPriors: Bool) {
        random = SplitMix(state: seed)
        self.changesInPriors = changesInPriors
    }

    func perform() {
        var keyPaths: [(String, KeyPath<Net, Int>)] = [
            ("a", \.a), ("b", \.b), ("sum", \.sum), ("child.a", \.child[or: -1].a), ("child.sum", \.child[or: -1].sum),
        ]
        // A computed property that a prior handler redirects to the property that is changing has a test of its own.
        if !changesInPriors { keyPaths.append(("chosen", \.chosen)) }
        for (name, keyPath) in keyPaths.shuffled(using: &random) {
            observe(name, keyPath)
            if Bool.random(using: &random) { observe("\(name) again", keyPath) }
        }
        for _ in 0..<30 {
            change()
            for (name, keyPath, told) in observed where root[keyPath: keyPath] != told {
                problems.append("\(name) is \(root[keyPath: keyPath]) and got \(told)")
            }
        }
    }

    private func observe(_ name: String, _ keyPath: KeyPath<Net, Int>) {
        let index = observed.count
        observed.append((name, keyPath, root[keyPath: keyPath]))
        let isPrior = Int.random(in: 0..<3, using: &random) == 0
        tokens.append(
            root.observe(keyPath, options: isPrior ? [.old, .new, .prior] : [.old, .new]) {
                [unowned self] _, change in
                if change.oldValue != observed[index].told {
                    problems.append("\(name): \(text(of: change)) after \(observed[index].told)")
                }
                if let new = change.newValue { observed[index].told = new }
                if changesInPriors || !change.isPrior, Int.random(in: 0..<6, using: &random) == 0 { self.change() }
            })
    }

    /// Makes a random change, unless there are too many under way.
    private func change() {
        guard underWay.count < 4 else { return }
        let value = Int.random(in: 0..<10, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: change(root, "a") { $0.a = value }
        case 1: change(root, "b") { $0.b = value }
        case 2: change(root.child, "a") { $0.a = value }
        case 3: change(root.child, "b") { $0.b = value }
        case 4: change(root, "a") { $0.a += 1 }
        case 5: change(root.child, "b") { $0.b += 1 }
        case 6: change(root, "child") { $0.child = others.randomElement(using: &random) }
        default: change(root, "child") { $0.child = nil }
        }
    }

    private func change(_ object: Net?, _ name: String, _ body: (Net) -> Void) {
        guard let object else { return }
        if changesInPriors, underWay.contains(where: { $0.object === object && $0.name == name }) { return }
        underWay.append((object, name))
        defer { underWay.removeLast() }
        body(object)
    }
}
