// What Cocoa and other implementations promise, by the numbers of the cases: what the sections do not tell by themselves.
// #42 #45 #55 #57 #67 are in ContentTests, #14 in that, too; #87 #90 #92 #94 #102 #103 #115 #116 in 06-Paths; #130 in
// DeclaredDependencyTests; #164 in ManualElementsTests; #118 in PrinciplesTests and PropertyObserverTests; #173 #180 in
// ArrayViewTests; #192 #195 #312 in SetViewTests.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance: options, order, paths, dependent keys and collections")
struct ConformanceTests {
    /// What arrives while a function observes and changes an object.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: [String]
        let run: @Sendable (Sample, Watcher) -> Void

        var testDescription: String { name }

        init(_ name: String, _ expected: String, _ run: @escaping @Sendable (Sample, Watcher) -> Void) {
            self.name = name
            self.expected = expected.isEmpty ? [] : expected.components(separatedBy: " | ")
            self.run = run
        }
    }

    @Test("What arrives", arguments: options + order + paths + dependentKeys + collections)
    func expected(_ one: Case) {
        let (sample, watcher) = (Sample("root"), Watcher())
        one.run(sample, watcher)
        #expect(watcher.log.take() == one.expected)
        watcher.stop()
        #expect(sample.observationInfo.isEmpty)
    }

    private static let options: [Case] = [
        Case("#47 The initial values of paths come before each registration returns", "·→nil | ·→0 | after | ·→nil") {
            $0.child = Sample("c")
            $1.watch($0, \.child?.text, [.initial, .new])
            $1.watch($0, \.child?.number, [.initial, .new])
            $1.log.add("after")
            $1.watch($0, \.child?.derived, [.initial, .new, .old])
        },
        Case("#64 An entry of a dictionary is observed by its key", "·→nil | nil→a | a→nil") {
            $1.watch($0, \.children["a"], [.initial, .old, .new])
            for entry in [Sample("a"), nil] { $0.children["a"] = entry }
        },
    ]

    private static let order: [Case] = [
        Case("#62 #75 A set through a key path or a view is one change, as the property's own", "·→a | ·→b | nil→set_c")
        {
            $1.watch($0, \.text, .new)
            $0[keyPath: \.text] = "a"
            $0.mutable(\.text).value = "b"
            let renamed = Renamed()
            $1.watch(renamed, \.name)
            renamed[keyPath: \.name] = "c"
        },
        // #139
        Case(
            "#73 3.4 Priors, a dependent property and a change made by a handler, change by change",
            "prior 0→· | sum prior 0→· | 0→1 | sum 0→2 | prior 1→· | sum prior 2→· | 1→42 | sum 2→84"
        ) {
            let rings = Rings()
            let token = rings.observe(\.leaf) { rings, _ in if rings.leaf == 1 { rings.leaf = 42 } }
            $1.watch(rings, \.leaf, [.prior, .old, .new])
            $1.watch(rings, \.b, as: "sum", [.prior, .old, .new])
            rings.leaf = 1
            token.invalidate()
        },
    ]

    private static let paths: [Case] = [
        Case(
            "#95 #96 Through dictionaries, each set of an object is one change",
            "nil→leaf | leaf→leaf | leaf→new | new→nil"
        ) {
            let (outer, inner) = (Sample("outer"), Sample("inner", text: "leaf"))
            $1.watch($0, \.children["a"]?.children["b"]?.text)
            outer.children["b"] = inner
            $0.children["a"] = outer
            outer.children["b"] = inner
            inner.text = "new"
            $0.children["a"] = nil
        },
        Case(
            "#88 #106 A path goes on behind a computed property, and follows that on the new middle only",
            "nil→11 | 11→7 | 7→9"
        ) {
            let (old, new) = (Sample("old", text: "Hello"), Sample("new", text: "b"))
            $1.watch($0, \.child?.derived?.count)
            for middle in [old, new] { $0.child = middle }
            new.text = "you"
            old.text = "d"
        },
    ]

    private static let dependentKeys: [Case] = [
        Case("#121 5.2 What depends on two parts of an object changes once when it comes", "·→false | ·→false | ·→true")
        {
            let child = Sample("child")
            $1.watch($0, \.bothTriggers, .new)
            $0.child = child
            child.firstTrigger = true
            child.secondTrigger = true
        },
        Case(
            "#122 5.2 Of two that declare each other both change once each time",
            "left ·→1 | right ·→0 | left ·→1 | right ·→2"
        ) {
            $1.watch($0, \.left, as: "left", .new)
            $1.watch($0, \.right, as: "right", .new)
            ($0.left, $0.right) = (1, 2)
        },
        Case(
            "#123 5.2 In declared rings of two and three, each changes once with what they all read",
            "a 0→1 | b 0→2 | x 0→10 | z 0→30"
        ) {
            let rings = Rings()
            let properties = [("a", \Rings.a), ("b", \.b), ("x", \.x), ("z", \.z)]
            for (name, keyPath) in properties { $1.watch(rings, keyPath, as: name) }
            rings.leaf = 1
        },
        Case(
            "#124 Where declared paths meet in one object, its change is delivered once, and not at all behind nil",
            "·→· | ·→· | ·→·"
        ) {
            let shared = Sample("shared")
            $0.child = Sample("a", child: shared)
            $1.watch($0, \.meeting, [])
            shared.text = "x"
            $0.child?.child = nil
            shared.text = "y"
            $0.child = nil
        },
        Case(
            "#138 What is computed from the elements of a collection follows it and each of them",
            "·→0 | ·→2 | ·→4 | ·→0"
        ) {
            let one = Sample("1")
            $1.watch($0, \.sumOfChildren, .new)
            $0.children["1"] = one
            one.number = 2
            one.number = 4
            $0.children["1"] = nil
            one.number = 5
        },
    ]

    private static let collections: [Case] = [
        Case("#167 Replacing the object that holds the array is a setting of the whole", #"setting []→["a"]"#) {
            $0.child = Sample("old")
            $1.watchElements($0, \.child?.names)
            let new = Sample("new")
            new.names = ["a"]
            $0.child = new
        },
        // #212 #213 #309
        Case(
            "#177 #205 A view of accessors calls the setter once for each change, and never to read", "set | set | set"
        ) {
            let view = $0.mutable(\.counted)
            $1.log.add(view.isEmpty ? "" : "not empty")
            _ = $1.log.take()
            $0.onSet = { [log = $1.log] in log.add("set") }
            view.append("a")
            view.append(contentsOf: ["b", "c"])
            view.remove(at: 0)
            _ = view.count
        },
    ]
}

/// The counterpart of the object that the suites of other implementations try everything on.
final class Sample: KeyValueObservable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    let description: String

    @Observed var text: String?
    @Observed var number: UInt32 = 0
    @Observed var child: Sample?
    @Observed var children: [String: Sample] = [:]
    @Observed var firstTrigger = false
    @Observed var secondTrigger = false
    /// Each of the two says that it is affected by the other.
    @Observed var left = 0
    @Observed var right = 0
    /// Says that two paths affect it.
    @Observed var meeting = 0
    @Observed var names: [String] = []
    var onSet: () -> Void = {}

    var derived: String? { text.map { "!!!\($0)!!!" } }
    var bothTriggers: Bool { child.map { $0.firstTrigger && $0.secondTrigger } ?? false }
    var sumOfChildren: UInt32 { children.values.reduce(0) { $0 + $1.number } }
    /// The same object again.
    var itself: Sample { self }

    var counted: [String] {
        get { names }
        set {
            onSet()
            names = newValue
        }
    }

    init(_ description: String, text: String? = nil, child: Sample? = nil) {
        self.description = description
        self.text = text
        self.child = child
    }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \Sample.left: [\Sample.right]
        case \Sample.right: [\Sample.left]
        case \Sample.meeting: [\Sample.child?.child?.text, \Sample.itself.child?.child?.text]
        default: []
        }
    }
}

/// Two properties that declare each other and three in a ring, all computed from one.
private final class Rings: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var leaf = 0
    var a: Int { leaf }
    var b: Int { leaf * 2 }
    var x: Int { leaf * 10 }
    var y: Int { leaf * 20 }
    var z: Int { leaf * 30 }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \Rings.a: [\Rings.b, \Rings.leaf]
        case \Rings.b: [\Rings.a, \Rings.leaf]
        case \Rings.x: [\Rings.y, \Rings.leaf]
        case \Rings.y: [\Rings.z, \Rings.leaf]
        case \Rings.z: [\Rings.x, \Rings.leaf]
        default: []
        }
    }
}

/// Its name's setter keeps something else than what it is given.
private final class Renamed: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var storedName: String?

    var name: String? {
        get { storedName }
        set { storedName = newValue.map { "set_\($0)" } }
    }
}
