// Conformance cases of group 4: key paths that lead through other objects.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 4: nested key paths")
struct NestedPathCases {
    private let root = Sample("root")
    private let watcher = Watcher()

    /// A chain of objects, `children[0].child === children[1]` and so on.
    private func chain(_ names: String...) -> [Sample] {
        let samples = names.map { Sample($0) }
        for (sample, next) in zip(samples, samples.dropFirst()) { sample.child = next }
        return samples
    }

    @Test("#87 The middle appears, is replaced by one with an equal leaf, and the old one is left alone (6.1, 6.2)")
    func emptyMiddle() {
        let first = Sample("first", text: "Hello")
        watcher.watch(root, \.child?.text, [.old, .new])
        root.child = first
        #expect(watcher.take() == ["nil→Hello"])
        root.child = Sample("second", text: "Hello")
        #expect(watcher.take() == ["Hello→Hello"])
        first.text = "detached"
        #expect(watcher.take() == [])
    }

    @Test("#88 A path goes on behind a computed property")
    func throughComputed() {
        let token = watcher.watch(root, \.child?.derived?.count, .new)
        root.child = Sample("c", text: "Hello")
        #expect(watcher.take() == ["·→11"])
        token.invalidate()
        root.child = Sample("d", text: "Hello")
        #expect(watcher.take() == [])
    }

    @Test("#89 A leaf that stays nil still notifies when the middle comes and goes (6.3)")
    func nilLeaf() {
        watcher.watch(root, \.child?.child)
        root.child = Sample("c")
        root.child = nil
        #expect(watcher.take() == ["·→·", "·→·"])
    }

    @Test("#90 Each level of a path of three notifies")
    func threeLevels() {
        let nodes = chain("a", "b")
        nodes[0].child = nil
        watcher.watch(root, \.child?.child?.child, [.old, .new])
        root.child = nodes[0]
        nodes[1].child = Sample("leaf")
        nodes[0].child = nodes[1]
        nodes[0].child = nil
        root.child = nil
        #expect(watcher.take() == ["nil→nil", "nil→leaf", "leaf→nil", "nil→nil"])
    }

    @Test("#91 Taking the head away is one change")
    func headReplaced() {
        root.child = Sample("c", text: "a")
        watcher.watch(root, \.child?.text, [.old, .new])
        root.child = nil
        #expect(watcher.take() == ["a→nil"])
    }

    @Test("#92 Taking the tail, then the head away is one change each")
    func tailAndHeadReplaced() {
        let nodes = chain("a", "b", "c")
        root.child = nodes[0]
        watcher.watch(root, \.child?.child?.child, [.old, .new])
        nodes[0].child = nil
        root.child = nil
        #expect(watcher.take() == ["c→nil", "nil→nil"])
    }

    @Test("#94 Replacing the middle again and again is one change each time")
    func multipleReplacement() {
        let third = Sample("3")
        watcher.watch(root, \.child?.child, [.old, .new])
        root.child = chain("1", "x")[0]
        root.child = nil
        root.child = chain("2", "y")[0]
        root.child = nil
        root.child = third
        third.child = Sample("4")
        root.child = nil
        #expect(
            watcher.take() == ["nil→x", "x→nil", "nil→y", "y→nil", "nil→nil", "nil→4", "4→nil"])
    }

    private let deepPath: KeyPath<Sample, String?> =
        \.children["a"]?.children["b"]?.children["c"]?.children["d"]?.text

    @Test("#95 Through dictionaries, setting the same object again is one change")
    func completeTree() {
        let nodes = (0..<4).map { Sample("\($0)") }
        for (parent, (key, node)) in zip([root] + nodes, zip(["a", "b", "c", "d"], nodes)) {
            parent.children[key] = node
        }
        nodes[3].text = "leaf"
        watcher.watch(root, deepPath, [.old, .new])
        root.children["a"] = nodes[0]
        #expect(watcher.take() == ["leaf→leaf"])
        nodes[2].children["d"] = nodes[3]
        nodes[3].text = "new"
        #expect(watcher.take() == ["leaf→leaf", "leaf→new"])
    }

    @Test("#96 Through dictionaries that lack an entry, each set of the child is one change")
    func incompleteTree() {
        let child = Sample("c")
        watcher.watch(root, deepPath, [.old, .new])
        root.children["a"] = child
        root.children["a"] = child
        #expect(watcher.take() == ["nil→nil", "nil→nil"])
    }

    @Test("#98 A path that begins with a property computed from a path follows both")
    func headComputedFromPath() {
        final class Selecting: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var dictionary = Sample("first")
            var selected: Sample? { dictionary.children["sub"] }
        }
        let selecting = Selecting()
        let old = selecting.dictionary
        let replacement = Sample("second")
        watcher.watch(selecting, \.selected?.number)
        old.children["sub"] = Sample("a")
        selecting.dictionary = replacement
        replacement.children["sub"] = Sample("b")
        #expect(watcher.take().count == 3)
        old.children["sub"] = Sample("c")
        #expect(watcher.take() == [])
        replacement.children["sub"]?.number = 1
        #expect(watcher.take() == ["·→·"])
    }

    @Test("#99 An entry of a dictionary and a path through another entry")
    func dictionaryEntries() {
        final class Store: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var values: [String: String] = [:]
            @Observed var objects: [String: Sample] = [:]
        }
        let store = Store()
        let sub = Sample("sub")
        store.objects["sub"] = sub
        watcher.watch(store, \.values["arbitrary"], as: "value", .new)
        watcher.watch(store, \.objects["sub"]?.text, as: "path", .new)
        store.values["arbitrary"] = "Whatever"
        store[keyPath: \.values["arbitrary"]] = "Whatever"
        #expect(watcher.take() == ["value ·→Whatever", "value ·→Whatever"])
        sub.text = "Hello"
        #expect(watcher.take() == ["path ·→Hello"])
    }

    @Test("#100 The leaf of an attached object changes, and one with the same leaf is attached")
    func leafAndBranch() {
        let nested = Sample("nested")
        root.child = nested
        let attached = watcher.watch(root, \.child?.number, .new)
        nested.number = 5
        #expect(watcher.take() == ["·→5"])
        attached.invalidate()

        let other = Sample("other root")
        watcher.watch(other, \.child?.number, .new)
        other.child = nested
        #expect(watcher.take() == ["·→5"])
    }

    @Test("#102 Components that give the same object again do not double the change (6.4)")
    func selfComponents() throws {
        let car = Sample("car")
        root.child = car
        var told: [(object: Sample, change: KeyValueObservedChange<String?>)] = []
        let keyPath = \Sample.itself.child?.itself.text
        let token = root.observe(keyPath, options: .new) { told.append(($0, $1)) }
        car.text = "ford focus"
        #expect(told.count == 1)
        let (object, change) = try #require(told.first)
        #expect(object === root)
        #expect(change.keyPath == keyPath)
        #expect(change.newValue == .some("ford focus"))
        withExtendedLifetime(token) {}
    }

    @Test("#103 In a path of five, a new subtree, a lost subtree and the leaf are one change each, of the root")
    func fiveLevels() {
        let nodes = chain("b", "c", "d", "e")
        root.child = nodes[0]
        let token = root.observe(\.child?.child?.child?.child?.number, options: .new) {
            [log = watcher.log] object, change in
            log.add(change, as: "\(object)")
        }
        nodes[3].number = 7
        #expect(watcher.take() == ["root ·→7"])
        let subtree = chain("d2", "e2")
        subtree[1].number = 8
        nodes[1].child = subtree[0]
        #expect(watcher.take() == ["root ·→8"])
        nodes[3].number = 9
        #expect(watcher.take() == [])
        nodes[0].child = nil
        #expect(watcher.take() == ["root ·→nil"])
        withExtendedLifetime(token) {}
    }

    @Test("#104 A removed path leaves nothing on the objects it led through")
    func removedPath() {
        let nodes = chain("teacher", "car")
        root.child = nodes[0]
        let tokens = [
            watcher.watch(root, \.child?.text, as: "two"), watcher.watch(root, \.child?.child?.text, as: "three"),
        ]
        nodes[0].text = "a"
        nodes[1].text = "b"
        #expect(watcher.take() == ["two ·→·", "three ·→·"])
        for token in tokens { token.invalidate() }
        nodes[0].text = "c"
        nodes[1].text = "d"
        nodes[0].child = nil
        root.child = nil
        #expect(watcher.take() == [])
        #expect((nodes + [root]).allSatisfy { $0.observationInfo.isEmpty })
    }

    @Test("#104 Nothing of a removed path is evaluated any more")
    func removedPathIsNotEvaluated() {
        final class Counting: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            let evaluations = Counter()
            @Observed var source = 0
            @Observed var next: Counting?
            var computed: Int {
                evaluations.add()
                return source
            }
        }
        let objects = [Counting(), Counting(), Counting()]
        objects[0].next = objects[1]
        objects[1].next = objects[2]
        let token = watcher.watch(objects[0], \.next?.next?.computed)
        _ = objects[2].evaluations.take()
        objects[2].source = 1
        objects[1].next = objects[2]
        objects[0].next = objects[1]
        #expect(objects[2].evaluations.take() == 3)
        token.invalidate()
        objects[2].source = 2
        objects[1].next = objects[2]
        objects[0].next = objects[1]
        #expect(objects[2].evaluations.take() == 0)
    }
}
