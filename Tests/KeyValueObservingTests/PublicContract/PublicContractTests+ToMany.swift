// Every declaration of the public contract as a user writes it: by hand, to-many properties, actors.
import KeyValueObserving
import TestSupport
import Testing

extension PublicContractTests {
    /// Notifies by hand.
    final class Thermometer: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        var raw = 0
        var days: [String] = []
        var signs: Set<String> = []

        static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Thermometer.degrees }

        var degrees: Int {
            get {
                accessValue(for: \.degrees)
                return raw
            }
            set {
                willChangeValue(for: \.degrees)
                raw = newValue
                didChangeValue(for: \.degrees)
            }
        }
        var names: [String] {
            get {
                accessValue(for: \.names)
                return days
            }
            set {
                changeValue(for: \.names) { days = newValue }
            }
        }
        var marks: Set<String> {
            get {
                accessValue(for: \.marks)
                return signs
            }
            set {
                changeValue(for: \.marks) { signs = newValue }
            }
        }
        var isWarm: Bool { degrees > 20 }
    }

    @MainActor
    final class MainModel: @MainActor KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
        @Observed var items: [Int] = []
        static var asked: [AnyKeyPath] = []

        static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
            asked.append(keyPath)
            return keyPath != \MainModel.count
        }
    }

    class Base: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var count = 0
        static let asked = Questions()

        class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
            asked.add("\(type(of: keyPath).rootType)")
            return true
        }
    }

    final class Derived: Base {}
}

@Suite("The public contract: by hand and to-many")
struct PublicContractToManyTests {
    typealias Person = PublicContractTests.Person
    typealias Thermometer = PublicContractTests.Thermometer
    typealias Base = PublicContractTests.Base
    typealias Derived = PublicContractTests.Derived

    let person = Person()
    let log = Log()

    @Test("Manual notification: willChangeValue and didChangeValue, seen by computed properties")
    func value() {
        let thermometer = Thermometer()
        let tokens = [
            thermometer.observe(\.degrees, options: [.old, .new]) { [log] in log.add($1) },
            thermometer.observe(\.isWarm, options: [.old, .new]) { [log] in log.add($1) },
        ]
        thermometer.degrees = 30
        #expect(log.take() == ["0→30", "false→true"])
        withExtendedLifetime(tokens) {}
    }

    @Test("Manual notification: elements at indexes and members of a set")
    func elements() {
        let thermometer = Thermometer()
        let tokens = [
            thermometer.observe(\.names, options: [.old, .new]) { [log] in log.addToMany($1) },
            thermometer.observe(\.marks, options: [.old, .new]) { [log] in log.addToMany($1) },
        ]
        thermometer.mutable(\.names).append(contentsOf: ["a", "b"])
        thermometer.mutable(\.names)[1] = "c"
        #expect(log.take() == [#"insertion [0, 1] ·→["a", "b"]"#, #"replacement [1] ["b"]→["c"]"#])
        let marks = thermometer.mutable(\.marks)
        marks.formUnion(["x", "y"])
        marks.subtract(["x", "z"])
        marks.set(["y", "v", "w"])
        marks.formIntersection(["v"])
        #expect(
            log.take() == [
                #"insertion ·→["x", "y"]"#, #"removal ["x"]→·"#, #"replacement []→["v", "w"]"#,
                #"removal ["w", "y"]→·"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("To-many: a view is a collection as far as its value is one, and keeps its object alive")
    func collection() {
        func count<View: RandomAccessCollection & MutableCollection>(_ view: View) -> Int where View.Index == Int {
            view.indices.reversed().count
        }
        func members<View: Collection>(_ view: View) -> Int where View.Element == String { view.count }
        var person: Person? = Person()
        let tags: ObservedMutableArray<String> = person!.mutable(\.tags)
        let friends: ObservedMutableSet<String> = person!.mutable(\.friends)
        let same: ObservedMutableProperty<[String]> = person!.mutable(\.tags)
        weak let weakPerson = person
        person = nil
        tags.append("x")
        friends.insert("y")
        #expect(count(tags) == 1 && members(friends) == 1 && same[0] == "x" && weakPerson?.tags == ["x"])
        #expect(
            Array(same) == ["x"] && same.first == same.last && friends.contains("y") && same.map(\.count) == [1])
        withExtendedLifetime((tags, friends, same)) {}
    }

    @Test("To-many: every method of an array, on a temporary, with results that need not be used")
    func arrayMethods() {
        person.tags = ["a", "b"]
        let token = person.observe(\.tags) { [log] _, change in
            log.add("\(change.kind)" + (change.indexes.map { " \(Array($0.ranges.joined()))" } ?? ""))
        }
        func step(_ told: [String], _ result: String, _ call: () -> Void, line: Int = #line) {
            call()
            #expect(log.take() == told && person.tags.joined() == result, "line \(line)")
        }
        step(["insertion [2]"], "abc") { person.mutable(\.tags).append("c") }
        step(["insertion [3, 4]"], "abcde") { person.mutable(\.tags).append(contentsOf: ["d", "e"]) }
        step(["insertion [0]"], "xabcde") { person.mutable(\.tags).insert("x", at: 0) }
        step(["insertion [1, 2]"], "xyzabcde") { person.mutable(\.tags).insert(contentsOf: ["y", "z"], at: 1) }
        step(["insertion [0, 2]"], "1x2yzabcde") {
            person.mutable(\.tags).insert(contentsOf: ["1", "2"], at: RangeSet([0..<1, 2..<3]))
        }
        step(["removal [0]"], "x2yzabcde") { person.mutable(\.tags).remove(at: 0) }
        step(["removal [1, 3]"], "xyabcde") { person.mutable(\.tags).removeSubranges(RangeSet([1..<2, 3..<4])) }
        step(["removal [0]"], "yabcde") { person.mutable(\.tags).removeFirst() }
        step(["removal [0]"], "abcde") { person.mutable(\.tags).removeFirst(1) }
        step(["removal [4]"], "abcd") { person.mutable(\.tags).removeLast() }
        step(["removal [3]"], "abc") { person.mutable(\.tags).removeLast(1) }
        step(["removal [2]"], "ab") { person.mutable(\.tags).popLast() }
        step(["removal [0, 1]"], "") { person.mutable(\.tags).removeAll() }
        step(["insertion [0, 1, 2]"], "abc") { person.mutable(\.tags).append(contentsOf: ["a", "b", "c"]) }
        step(["removal [0]"], "bc") { person.mutable(\.tags).removeSubrange(..<1) }
        step(["removal [1]"], "b") { person.mutable(\.tags).removeAll { $0 == "c" } }
        step(["removal [0]"], "") { person.mutable(\.tags).removeAll(keepingCapacity: true) }
        step(["insertion [0, 1, 2]"], "abc") { person.mutable(\.tags).replaceSubrange(0..<0, with: ["a", "b", "c"]) }
        step(["replacement [0]", "insertion [1]"], "xybc") {
            person.mutable(\.tags).replaceSubrange(0...0, with: ["x", "y"])
        }
        step(["replacement [0, 2]"], "1y2c") {
            person.mutable(\.tags).replaceSubranges(RangeSet([0..<1, 2..<3]), with: ["1", "2"])
        }
        step(["removal [0]", "insertion [1]"], "y12c") { person.mutable(\.tags).moveSubranges(RangeSet(0..<1), to: 2) }
        step(["replacement [0, 3]"], "c12y") { person.mutable(\.tags).swapAt(0, 3) }
        step(["replacement [0, 1, 2]"], "12cy") { person.mutable(\.tags).sort() }
        step(["replacement [0, 1, 2, 3]"], "yc21") { person.mutable(\.tags).sort(by: >) }
        step(["replacement [0, 1, 2, 3]"], "12cy") { person.mutable(\.tags).reverse() }
        step(["replacement [1]"], "1xcy") { person.mutable(\.tags)[1] = "x" }
        step(["setting"], "1xcyz") { person.tags.append("z") }
        step(["setting"], "") { person.tags = [] }
        withExtendedLifetime(token) {}
    }

    @Test("To-many: every method of a set, on a temporary, with results that need not be used")
    func setMethods() {
        let token = person.observe(\.friends, options: [.old, .new]) { [log] in log.addToMany($1) }
        person.mutable(\.friends).insert("a")
        person.mutable(\.friends).update(with: "b")
        person.mutable(\.friends).remove("a")
        person.mutable(\.friends).formUnion(["b", "c"])
        person.mutable(\.friends).subtract(["b"])
        person.mutable(\.friends).formIntersection(["d"])
        person.mutable(\.friends).formSymmetricDifference(["e"])
        person.mutable(\.friends).set(["f"])
        person.mutable(\.friends).removeAll()
        #expect(
            log.take() == [
                #"insertion ·→["a"]"#, #"insertion ·→["b"]"#, #"removal ["a"]→·"#, #"insertion ·→["c"]"#,
                #"removal ["b"]→·"#, #"removal ["c"]→·"#, #"insertion ·→["e"]"#, #"replacement ["e"]→["f"]"#,
                #"removal ["f"]→·"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("Small print: replacing at positions with another count traps")
    func replacingAnotherCount() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            person.tags = ["a", "b"]
            person.mutable(\.tags).replaceSubranges(RangeSet(0..<1), with: ["x", "y"])
        }
        #expect(words("2 elements", "1 position", missingIn: message(of: result)) == [])
    }

    @Test(
        "Small print: the key path given to both static functions is rooted at the declaring class")
    func declaringClass() {
        let token = Base().observe(\.count) { _, _ in }
        #expect(Base.asked.take() == ["Base"])
        let derived = Derived().observe(\.count) { _, _ in }
        #expect(Derived.asked.take().last == "Base")
        withExtendedLifetime((token, derived)) {}
    }
}

@Suite("The public contract: actors")
@MainActor
struct PublicContractActorTests {
    typealias MainModel = PublicContractTests.MainModel

    @Test("Small print: a class that overrides a static function conforms as @MainActor KeyValueObservable")
    func mainActor() {
        let model = MainModel()
        var told: [String] = []
        let token = model.observe(\.count) { model, _ in told.append("token \(model.count)") }
        let controller = KVOController(observer: model)
        controller.observe(model, \.count) { _, _, _ in told.append("controller") }
        controller.observe(model, keyPaths: [\.count, \.items]) { _, _, _ in told.append("several") }
        model.kvoController.observe(model, \.items) { _, _, _ in told.append("own") }
        model.count = 1
        model.willChangeValue(for: \.count)
        model.count = 2
        model.didChangeValue(for: \.count)
        model.mutable(\.items).append(1)
        model.mutable(\.items).append(2)
        #expect(told == ["token 2", "controller", "several", "several", "own", "several", "own"])
        #expect(MainModel.asked.contains(\MainModel.count) && model.isObserved(\.items))
        withExtendedLifetime((token, controller)) {}
    }
}
