// Conformance cases of group 4 in which several dependencies lead through the same objects.
import KeyValueObserving
import Testing

@Suite("Conformance 4: branches")
struct BranchCases {
    private let tree = Tree()
    private let branch = Branch()
    private let watcher = Watcher()

    @Test("#111 Toggling an object on the way leaves each hook once, for computed and for declared dependencies (6.2)")
    func toggledBranch() {
        watcher.watch(tree, \.computed, as: "computed", [.old, .new])
        watcher.watch(tree, \.declared, as: "declared")
        for _ in 1...25 {
            tree.holder.branch = branch
            tree.holder.branch = nil
        }
        tree.holder.branch = branch
        #expect(watcher.take().count == 51 * 2)
        branch.leaf.value = 1
        #expect(watcher.take() == ["computed 0 false→1 false", "declared ·→·"])
        branch.leaf.flag = true
        #expect(watcher.take() == ["computed 1 false→1 true", "declared ·→·"])
        tree.holder.branch = nil
        _ = watcher.take()
        branch.leaf.value = 2
        #expect(watcher.take() == [])
    }

    @Test("#111 After 10,000 toggles a change is one evaluation and one delivery (6.2)")
    func manyToggles() {
        var delivered = 0
        let token = tree.observe(\.computed) { _, _ in delivered += 1 }
        for _ in 1...10_000 {
            tree.holder.branch = branch
            tree.holder.branch = nil
        }
        #expect(delivered == 20_000)
        tree.holder.branch = branch
        delivered = 0
        _ = tree.evaluations.take()
        branch.leaf.value = 1
        #expect(delivered == 1)
        #expect(tree.evaluations.take() == 1)
        withExtendedLifetime(token) {}
    }

    @Test("#112 Two properties that give the same object are each followed to the end")
    func aliases() {
        watcher.watch(tree, \.computedByAliases, as: "computed")
        watcher.watch(tree, \.declaredByAliases, as: "declared")
        tree.holder.branch = branch
        #expect(watcher.take() == ["computed ·→·", "declared ·→·"])
        branch.leaf.value = 1
        #expect(watcher.take() == ["computed ·→·", "declared ·→·"])
        branch.leaf.flag = true
        #expect(watcher.take() == ["computed ·→·", "declared ·→·"])
    }
}

private final class Leaf: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
    @Observed var flag = false
}

private final class Branch: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var leaf = Leaf()
    var score: Int { leaf.value }
}

private final class Holder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var branch: Branch?
}

private final class Tree: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let holder = Holder()
    let evaluations = Counter()

    var selected: Branch? { holder.branch }
    var selectedA: Branch? { holder.branch }
    var selectedB: Branch? { holder.branch }

    var computed: String {
        evaluations.add()
        return "\(selected?.score ?? -1) \(selected?.leaf.flag ?? false)"
    }
    var computedByAliases: String { "\(selectedA?.leaf.flag ?? false) \(selectedB?.score ?? -1)" }
    /// Nobody can see what these two read.
    var declared: Int { 0 }
    var declaredByAliases: Int { 0 }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \Tree.declared: [\Tree.selected?.score, \Tree.selected?.leaf.flag]
        case \Tree.declaredByAliases: [\Tree.selectedA?.leaf.flag, \Tree.selectedB?.score]
        default: []
        }
    }
}
