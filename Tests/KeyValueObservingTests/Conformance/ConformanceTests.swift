// What Cocoa and other implementations promise, by the numbers of the cases: what the sections do not tell by themselves.
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
        // #42
        Case("#45 With prior and old there are two calls, both with the old value", "prior nil→· | nil→·") {
            $1.watch($0, \.text, [.old, .prior])
            $0.text = "Hello"
        },
        Case("#47 The initial values of paths come before each registration returns", "·→nil | ·→0 | after | ·→nil") {
            $0.child = Sample("c")
            $1.watch($0, \.child?.text, [.initial, .new])
            $1.watch($0, \.child?.number, [.initial, .new])
            $1.log.add("after")
            $1.watch($0, \.child?.derived, [.initial, .new, .old])
        },
        // #57
        Case("#55 2.2 2.5 An optional that stays nil is delivered, and nil is not absent", "·→nil | nil→nil | nil→foo")
        {
            $1.watch($0, \.text, [.initial, .old, .new])
            $0.text = nil
            $0.text = "foo"
        },
        // #14
        Case(
            "#62 Calls before and at first, where a setter transforms the value", "prior nil→· | nil→set_bob | ·→set_x"
        ) {
            let renamed = Renamed()
            $1.watch(renamed, \.name, [.prior, .old, .new])
            renamed.name = "bob"
            $1.stop()
            renamed.name = "x"
            $1.watch(renamed, \.name, [.initial, .old, .new])
        },
        Case("#64 An entry of a dictionary is observed by its key", "·→nil | nil→a | a→nil") {
            let entry = Sample("a")
            $1.watch($0, \.children["a"], [.initial, .old, .new])
            $0.children["a"] = entry
            $0.children["a"] = nil
            withExtendedLifetime(entry) {}
        },
        Case(
            "#67 What one registration asked for does not reach another, on paths too",
            "nil→y | ·→y | nil→!!!y!!! | ·→!!!y!!!"
        ) {
            for keyPath in [\Sample.child?.text, \Sample.child?.derived] {
                $1.watch($0, keyPath, [.old, .new])
                $1.watch($0, keyPath, .new)
            }
            $0.child = Sample("c", text: "y")
        },
    ]

    private static let order: [Case] = [
        Case("#75 A set through a key path or a view is one change, as the property's own", "·→a | ·→b | ·→set_c") {
            $1.watch($0, \.text, .new)
            $0[keyPath: \.text] = "a"
            $0.mutable(\.text).value = "b"
            let renamed = Renamed()
            $1.watch(renamed, \.name, .new)
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
        Case("#87 The middle appears, is replaced, and the old one is left alone", "nil→Hello | Hello→Hello") {
            let first = Sample("first", text: "Hello")
            $1.watch($0, \.child?.text, [.old, .new])
            $0.child = first
            $0.child = Sample("second", text: "Hello")
            first.text = "detached"
        },
        Case("#88 A path goes on behind a computed property", "·→11 | ·→9") {
            $1.watch($0, \.child?.derived?.count, .new)
            $0.child = Sample("c", text: "Hello")
            $0.child?.text = "you"
        },
        // #92
        Case("#90 A change of each level of a path of three is delivered", "nil→nil | nil→leaf | leaf→nil | nil→nil") {
            let nodes = [Sample("a"), Sample("b")]
            $1.watch($0, \.child?.child?.child, [.old, .new])
            $0.child = nodes[0]
            nodes[1].child = Sample("leaf")
            nodes[0].child = nodes[1]
            nodes[0].child = nil
            $0.child = nil
        },
        Case(
            "#94 Replacing the middle again and again is one change each time",
            "nil→x | x→nil | nil→nil | nil→4 | 4→nil"
        ) {
            let third = Sample("3")
            $1.watch($0, \.child?.child, [.old, .new])
            $0.child = Sample("1", child: Sample("x"))
            $0.child = nil
            $0.child = third
            third.child = Sample("4")
            $0.child = nil
        },
        Case(
            "#95 #96 Through dictionaries, each set of an object is one change",
            "nil→leaf | leaf→leaf | leaf→new | new→nil"
        ) {
            let (outer, inner) = (Sample("outer"), Sample("inner", text: "leaf"))
            $1.watch($0, \.children["a"]?.children["b"]?.text, [.old, .new])
            outer.children["b"] = inner
            $0.children["a"] = outer
            outer.children["b"] = inner
            inner.text = "new"
            $0.children["a"] = nil
        },
        Case("#102 6.4 Components that give the same object again do not double the change", "·→ford") {
            let car = Sample("car")
            $0.child = car
            $1.watch($0, \.itself.child?.itself.text, .new)
            car.text = "ford"
        },
        Case("#103 In a path of four, a new subtree, a lost one and the leaf are one change each", "·→7 | ·→8 | ·→nil")
        {
            let (leaf, other) = (Sample("leaf"), Sample("other"))
            other.number = 8
            $0.child = Sample("a", child: Sample("b", child: leaf))
            $1.watch($0, \.child?.child?.child?.number, .new)
            leaf.number = 7
            $0.child?.child?.child = other
            leaf.number = 9
            $0.child?.child = nil
        },
        Case(
            "#106 When the middle is replaced, its computed leaf is followed on the new one only",
            "!!!a!!!→!!!b!!! | !!!b!!!→!!!c!!!"
        ) {
            let (old, new) = (Sample("old", text: "a"), Sample("new", text: "b"))
            $0.child = old
            $1.watch($0, \.child?.derived, [.old, .new])
            $0.child = new
            new.text = "c"
            old.text = "d"
        },
        // #114 #115
        Case("#116 1.4 Every prefix of a path is observed, and may be nil", "·→nil | nil→nil | nil→nil | nil→x | x→nil")
        {
            let nodes = [Sample("a"), Sample("b")]
            $1.watch($0, \.child?.child?.text, [.initial, .old, .new])
            $0.child = nodes[0]
            nodes[0].child = nodes[1]
            nodes[1].text = "x"
            nodes[0].child = nil
            nodes[1].text = "y"
        },
    ]

    private static let dependentKeys: [Case] = [
        Case("#118 A dependent property changes once, with its own value", "computed ·→!!!Hello!!! | stored ·→(Hello)")
        {
            $1.watch($0, \.derived, as: "computed", .new)
            $1.watch($0, \.echo, as: "stored", .new)
            $0.text = "Hello"
            $0.number = 1
        },
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
            $0.left = 1
            $0.right = 2
        },
        Case(
            "#123 5.2 In declared rings of two and three, each changes once with what they all read",
            "a 0→1 | b 0→2 | x 0→10 | z 0→30"
        ) {
            let rings = Rings()
            $1.watch(rings, \.a, as: "a", [.old, .new])
            $1.watch(rings, \.b, as: "b", [.old, .new])
            $1.watch(rings, \.x, as: "x", [.old, .new])
            $1.watch(rings, \.z, as: "z", [.old, .new])
            rings.leaf = 1
        },
        Case(
            "#124 Where declared paths meet in one object, its change is delivered once, and not at all behind nil",
            "·→· | ·→· | ·→·"
        ) {
            let shared = Sample("shared")
            $0.child = Sample("a", child: shared)
            $1.watch($0, \.meeting)
            shared.text = "x"
            $0.child?.child = nil
            shared.text = "y"
            $0.child = nil
        },
        // #119
        Case(
            "#130 A dependent of a dependent has the old value from before the change",
            "bob BOB! nil→· | twice BOB! nil twice→·"
        ) {
            let renamed = Renamed()
            $1.watch(renamed, \.bobName, as: "bob", .old)
            $1.watch(renamed, \.twiceRemoved, as: "twice", .old)
            renamed.name = "bob"
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
        Case("#164 The number of elements is a setting, old and new", "setting 0→1 | setting 1→2") {
            $1.watchElements($0, \.names.count)
            $0.mutable(\.names).append("one")
            $0.mutable(\.names).insert("two", at: 0)
        },
        Case("#167 Replacing the object that holds the array is a setting of the whole", #"setting []→["a"]"#) {
            $0.child = Sample("old")
            $1.watchElements($0, \.child?.names)
            let new = Sample("new")
            new.names = ["a"]
            $0.child = new
        },
        Case(
            "#173 Elements come in the order of their indexes, inserted ones after the change, removed ones before it",
            #"insertion [0, 2] ·→["x", "y"] | removal [1, 4] ["a", "c"]→· | replacement [0, 2] ["x", "b"]→["p", "q"]"#
        ) {
            $0.names = ["a", "b", "c"]
            $1.watchElements($0, \.names)
            let view = $0.mutable(\.names)
            view.insert(contentsOf: ["x", "y"], at: RangeSet(0, 2))
            view.removeSubranges(RangeSet(4, 1))
            view.replaceSubranges(RangeSet(2, 0), with: ["p", "q"])
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
        Case("#180 A setter that drops what is inserted is a setting of what is left", "setting []→[]") {
            $1.watchElements($0, \.dropping)
            $0.mutable(\.dropping).append("a")
        },
        Case(
            "#192 #195 #312 Members that really come and go, by a view of a getter and a setter",
            "insertion ·→[1, 2, 3] | removal [1]→· | insertion ·→[4] | removal [3, 4]→· | replacement [2]→[3]"
        ) {
            $1.watchElements($0, \.marks)
            let view = $0.mutable(\.marks)
            view.formUnion([1, 2, 3])
            view.subtract([1, 7])
            view.insert(4)
            view.insert(4)
            view.formIntersection([2])
            view.set([3])
        },
    ]
}

/// The counterpart of the object that the suites of other implementations try everything on.
final class Sample: KeyValueObservable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    let description: String

    @Observed var text: String? {
        didSet { echo = text.map { "(\($0))" } }
    }
    /// Stored, and kept up to date by `text`.
    @Observed private(set) var echo: String?
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
    @Observed private var storedMarks: Set<Int> = []
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
    /// Keeps nothing.
    var dropping: [String] {
        get { names }
        set { names = newValue.filter { _ in false } }
    }
    var marks: Set<Int> {
        get { storedMarks }
        set { storedMarks = newValue }
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
    var bobName: String { "BOB! \(name ?? "nil")" }
    var twiceRemoved: String { "\(bobName) twice" }
}

/// Observes on behalf of a test, and writes what it gets into one log.
final class Watcher {
    let log = Log()
    private var tokens: [KeyValueObservation] = []

    func watch<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, as name: String? = nil,
        _ options: KeyValueObservingOptions = []
    ) {
        tokens.append(object.observe(keyPath, options: options) { [log] in log.add($1, as: name) })
    }

    func watchElements<Value>(_ sample: Sample, _ keyPath: KeyPath<Sample, Value>) {
        tokens.append(sample.observe(keyPath, options: [.old, .new]) { [log] in log.addToMany($1) })
    }

    func stop() { tokens = [] }
}
