// Handlers that change what they observe at random: what each observer is told must remain one story.
import KeyValueObserving
import Testing

@Suite("Conformance 3: random re-entrancy")
struct RandomOrderCases {
    @Test("#71 Whatever handlers set, each observer sees a chain of values that ends in the current one (3.4)", arguments: 0..<150)
    func chains(seed: UInt64) {
        var run = Run(seed: seed)
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

/// One random run, the same for the same seed.
private struct Run {
    private let state: State

    var problems: [String] { state.problems }

    init(seed: UInt64) { state = State(seed: seed) }

    mutating func perform() {
        let root = state.root
        let keyPaths: [(String, KeyPath<Net, Int>)] = [
            ("a", \.a), ("b", \.b), ("sum", \.sum), ("chosen", \.chosen),
            ("child.a", \.child[or: -1].a), ("child.sum", \.child[or: -1].sum),
        ]
        for (name, keyPath) in keyPaths.shuffled(using: &state.random) {
            state.observe(name, keyPath)
            if Bool.random(using: &state.random) { state.observe("\(name) again", keyPath) }
        }
        for _ in 0..<30 {
            state.change()
            state.check()
        }
        withExtendedLifetime(root) {}
    }
}

extension Net? {
    /// The object, or one that stands for none.
    fileprivate subscript(or _: Int) -> Net { self ?? Net() }
}

private final class State {
    let root = Net(child: Net())
    let others = [Net(), Net(child: Net())]
    var random: Generator
    private(set) var problems: [String] = []
    private var depth = 0
    private var last: [(name: String, keyPath: KeyPath<Net, Int>, value: Int)] = []
    private var tokens: [KeyValueObservation] = []

    init(seed: UInt64) { random = Generator(state: seed) }

    func observe(_ name: String, _ keyPath: KeyPath<Net, Int>) {
        let index = last.count
        last.append((name, keyPath, root[keyPath: keyPath]))
        let options: KeyValueObservingOptions =
            Int.random(in: 0..<3, using: &random) == 0 ? [.old, .new, .prior] : [.old, .new]
        tokens.append(
            root.observe(keyPath, options: options) { [unowned self] _, change in
                if change.oldValue != last[index].value {
                    problems.append("\(name): \(text(of: change)) after \(last[index].value)")
                }
                if !change.isPrior { last[index].value = change.newValue ?? -100 }
                if !change.isPrior, Int.random(in: 0..<6, using: &random) == 0 { self.change() }
            })
    }

    /// Makes a random change, unless there are too many under way.
    func change() {
        guard depth < 4 else { return }
        depth += 1
        defer { depth -= 1 }
        let value = Int.random(in: 0..<10, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: root.a = value
        case 1: root.b = value
        case 2: root.child?.a = value
        case 3: root.child?.b = value
        case 4: root.a += 1
        case 5: root.child = others.randomElement(using: &random)
        default: root.child = nil
        }
    }

    /// Everybody was told of the present.
    func check() {
        for (name, keyPath, value) in last where root[keyPath: keyPath] != value {
            problems.append("\(name) is \(root[keyPath: keyPath]) and was told \(value)")
        }
    }
}

/// A small generator of numbers, the same everywhere.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
