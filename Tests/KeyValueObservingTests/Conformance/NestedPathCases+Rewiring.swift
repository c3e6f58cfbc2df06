// Conformance cases of group 4 about what a path is hooked to after the objects on its way have changed.
import KeyValueObserving
import Testing

@Suite("Conformance 4: rewiring")
struct RewiringCases {
    private let root = Sample("root")
    private let watcher = Watcher()

    @Test("#106 When the middle is replaced, what its computed leaf reads is observed on the new one only")
    func computedLeaf() {
        let old = Sample("old", text: "a")
        let new = Sample("new", text: "b")
        root.child = old
        watcher.watch(root, \.child?.derived, [.old, .new])
        root.child = new
        #expect(watcher.take() == ["!!!a!!!→!!!b!!!"])
        new.text = "c"
        #expect(watcher.take() == ["!!!b!!!→!!!c!!!"])
        old.text = "d"
        #expect(watcher.take() == [])
    }

    @Test("#107 What a path left behind when its middle was chosen anew stays behind, after removal too")
    func chosenMiddle() {
        final class Parent: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var usesSecond = false
            let children = [Sample("first"), Sample("second")]
            var child: Sample { children[usesSecond ? 1 : 0] }
        }
        let parent = Parent()
        parent.children[1].number = 2
        let token = watcher.watch(parent, \.child.number, [.initial, .new])
        #expect(watcher.take() == ["·→0"])
        parent.usesSecond = true
        #expect(watcher.take() == ["·→2"])
        parent.children[0].number = 1
        #expect(watcher.take() == [])
        parent.children[1].number = 3
        #expect(watcher.take() == ["·→3"])
        token.invalidate()
        for child in parent.children { child.number += 1 }
        parent.usesSecond = false
        #expect(watcher.take() == [])
    }

    @Test("#108 A middle that is a new object at each reading is harmless")
    func freshMiddle() {
        final class Fresh: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var seed = 0
            var child: Sample { Sample("fresh", text: "\(seed)") }
        }
        let fresh = Fresh()
        let token = watcher.watch(fresh, \.child.text, [.initial, .old, .new])
        fresh.seed = 1
        fresh.seed = 2
        #expect(watcher.take() == ["·→0", "0→1", "1→2"])
        token.invalidate()
        fresh.seed = 3
        #expect(watcher.take() == [])
    }

    @Test("#110 A weak object that dies delivers nothing, and the path then gives nil (6.5)")
    func weakHop() {
        let linked = Linked()
        var target: Linked? = Linked(name: "target")
        weak let gone = target
        linked.weakly = target
        watcher.watch(linked, \.weakly?.name, as: "leaf", [.old, .new])
        watcher.watch(linked, \.weakly, as: "object")
        target?.name = "x"
        #expect(watcher.take() == ["leaf target→x"])
        target = nil
        #expect(gone == nil)
        #expect(watcher.take() == [])
        #expect(linked.weakly?.name == nil)
        linked.weakly = nil
        #expect(watcher.take() == ["leaf x→nil", "object ·→·"])
    }

    @Test("#114 A path with one weak and one strong hop, observed before the chain is complete")
    func strongThenWeak() {
        let linked = Linked()
        watcher.watch(linked, \.strongly?.weakly?.name, [.initial, .new])
        #expect(watcher.take() == ["·→nil"])
        var end: Linked? = Linked()
        let middle = Linked()
        middle.weakly = end
        linked.strongly = middle
        #expect(watcher.take() == ["·→"])
        end?.name = "1"
        #expect(watcher.take() == ["·→1"])
        end = nil
        #expect(watcher.take() == [])
        #expect(linked.strongly?.weakly?.name == nil)
    }

    @Test("#114 A path with one weak and one strong hop, observed after the chain is complete")
    func weakThenStrong() {
        let linked = Linked()
        var middle: Linked? = Linked()
        let end = Linked()
        middle?.strongly = end
        linked.weakly = middle
        watcher.watch(linked, \.weakly?.strongly?.name, [.initial, .new])
        #expect(watcher.take() == ["·→"])
        end.name = "1"
        #expect(watcher.take() == ["·→1"])
        middle = nil
        #expect(watcher.take() == [])
        #expect(linked.weakly?.strongly?.name == nil)
    }

    @Test("#115 With a nil middle the initial value is nil, and setting the middle delivers the leaf")
    func initialWithNilMiddle() {
        watcher.watch(root, \.child?.text, [.initial, .new])
        #expect(watcher.take() == ["·→nil"])
        root.child = Sample("c", text: "leaf")
        #expect(watcher.take() == ["·→leaf"])
    }

    @Test("#116 Every prefix of a path is observed, and a prefix may be nil (1.4)")
    func prefixes() {
        let nodes = [Sample("a"), Sample("b"), Sample("c")]
        watcher.watch(root, \.child?.child?.child?.text, [.initial, .old, .new])
        #expect(watcher.take() == ["·→nil"])
        root.child = nodes[0]
        nodes[0].child = nodes[1]
        nodes[1].child = nodes[2]
        #expect(watcher.take() == ["nil→nil", "nil→nil", "nil→nil"])
        nodes[2].text = "x"
        #expect(watcher.take() == ["nil→x"])
        nodes[0].child = nil
        nodes[1].child = nil
        nodes[2].text = "y"
        #expect(watcher.take() == ["x→nil"])
    }
}

/// Leads to another object strongly, and to one weakly.
private final class Linked: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var name: String
    @Observed var strongly: Linked?
    @Observed private var box = WeakBox<Linked>()

    var weakly: Linked? {
        get { box.object }
        set { box.object = newValue }
    }

    init(name: String = "") { self.name = name }
}
