// Classes that are declared in one line, at run time: on the main actor, and tracked by Observation, too.
import Foundation
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingMacros
import KeyValueTracking
import Observation
import TestSupport
import Testing

@Suite("Classes declared by macro")
struct DeclaredClassTests {
    private let person = Person()
    private let document: Document
    private let root = Person()

    init() {
        document = Document(name: "Ada", root: root)
        document.log = []
    }

    /// What is delivered at a key path, as text.
    private func changes<Object: KeyValueObservable, Value>(
        of object: Object, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        _ body: () -> Void
    ) -> [String] {
        let log = Log()
        let token = object.observe(keyPath, options: options) { _, change in
            let values = [change.oldValue.map { "\($0)" }, change.newValue.map { "\($0)" }].compactMap(\.self)
            log.add((change.isPrior ? "prior " : "") + values.joined(separator: " → "))
        }
        body()
        token.invalidate()
        return log.take()
    }

    // MARK: Stored properties

    @Test("20.1 A20 A stored variable is observed as one with @Observed")
    func plain() {
        #expect(
            changes(of: person, \.age) {
                person.age = 18
                person.age += 1
            } == ["0 → 18", "18 → 19"])
        #expect(changes(of: person, \.isAdult) { person.age = 3 } == ["true → false"])
        #expect(changes(of: person, \.tags) { person.tag("a") } == ["[] → [\"a\"]"])
        person.friend = Person()
        #expect(changes(of: person, \.friend?.age) { person.friend?.age = 4 } == ["Optional(0) → Optional(4)"])
        #expect(person.mutable(\.age).value == 3)
    }

    @Test("20.1 A subclass that is declared by macro shares the registrar of its superclass")
    func subclass() {
        let student = Student()
        #expect(changes(of: student, \.age) { student.age = 1 } == ["0 → 1"])
        #expect(changes(of: student as Person, \.age) { student.age = 2 } == ["1 → 2"])
        #expect(
            changes(of: student, \.label) {
                student.school = "x"
                student.grade = 2
            } == ["none 1 → x 1", "x 1 → x 2"])
        #expect(changes(of: student, \.title) { student.age = 3 } == ["Student 2 → Student 3"])
        #expect(student.grades == [1])
        let made = MadeOfHandMade()
        #expect(
            changes(of: made, \.both) {
                made.first = 5
                made.second = 1
            } == ["3 → 7", "7 → 6"])
    }

    @Test("20.1 A property of a generic class is observed")
    func generic() {
        let box = Box("a")
        #expect(changes(of: box, \.value) { box.value = "b" } == ["a → b"])
        #expect(changes(of: box, \.watched) { box.watched = "b" } == ["a → b"])
        #expect(box.count == 1)
        #expect(changes(of: Box(1), \.value) {} == [])
    }

    @Test("20.1 A class with a wrapper, a name that is a keyword, and access levels of all sorts")
    func others() {
        let mixed = Mixed()
        #expect(changes(of: mixed, \.shared) { mixed.shared = 5 } == ["1 → 5"])
        #expect(changes(of: mixed, \.kept) { mixed.kept = 5 } == ["6 → 5"])
        #expect(changes(of: mixed, \.byHand) { mixed.byHand = 5 } == ["2 → 5"])
        #expect(changes(of: mixed, \.default) { mixed.default = 5 } == ["4 → 5"])
        #expect(changes(of: mixed, \.class) { mixed.class = 6 } == ["5 → 6"])
        #expect(mixed.order == ["didSet", "6"])
        let explicit = Explicit()
        #expect(changes(of: explicit, \.value) { explicit.value = 5 } == ["0 → 5"])
        let model = OpenModel()
        #expect(changes(of: model, \.area) { model.height = 4 } == ["2 → 4"])
        #expect(changes(of: model, \.height) { model.height = 5 } == ["4 → 5"])
    }

    @Test("20.1 A class may be coded: its values are coded as if nothing were wrapped")
    func coded() throws {
        let coded = Coded(kind: "k")
        coded.name = "a"
        #expect(changes(of: coded, \.size) { coded.size = 2 } == ["1 → 2"])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(coded)
        #expect(String(decoding: data, as: UTF8.self) == #"{"count":1,"hint":"h","kind":"k","name":"a","size":2}"#)
        let decoded = try JSONDecoder().decode(Coded.self, from: data)
        #expect(decoded.kind == "k" && decoded.name == "a" && decoded.size == 2 && decoded.count == 1)
        #expect(changes(of: decoded, \.size) { decoded.size = 3 } == ["2 → 3"])
        let byHand = try encoder.encode(CodedByHand())
        #expect(String(decoding: byHand, as: UTF8.self) == #"{"n":"","s":1}"#)
    }

    @Test("20.2 A class that is @unchecked Sendable keeps its didSet")
    func unchecked() {
        let model = UncheckedModel()
        #expect(changes(of: model, \.count) { model.count = 1 } == ["0 → 1"])
        #expect(model.sets == 1)
    }

    @Test("17.1 D23 A class that is declared Sendable has shared properties alone, as the compiler checks")
    func sendable() async throws {
        let counter = HitCounter(limit: 400)
        let log = Log()
        let tokens = [
            counter.onChange(of: \.hits) { @Sendable old, new in if new != old + 1 { log.add("\(old) → \(new)") } },
            counter.onChange(of: \.isFull) { @Sendable old, new in log.add("\(old) → \(new)") },
        ]
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<100 { counter.hits += 1 } } }
        }
        #expect(log.take() == ["false → true"])
        #expect(counter.observationInfo.map(\.keyPath) == ["hits", "isFull"])
        for token in tokens { token.invalidate() }
        #expect(changes(of: counter, \.names) { counter.add("a") } == ["[] → [\"a\"]"])
        #expect(changes(of: counter, \.owner) { counter.owner = "b" } == ["nil → Optional(\"b\")"])
        #expect(changes(of: counter, \.limit) { counter.mutable(\.limit).value = 4 } == ["400 → 4"])
        try counter.setValue(5, forKey: "limit")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(counter)
        #expect(String(decoding: data, as: UTF8.self) == #"{"hits":400,"limit":5,"names":["a"],"owner":"b"}"#)
        let decoded = try JSONDecoder().decode(DecodedLimit.self, from: Data(#"{"limit":5,"unit":"m"}"#.utf8))
        #expect(changes(of: decoded, \.limit) { decoded.limit = 0 } == ["5 → 0"])
    }

    // MARK: Own code

    @Test("20.2 Old value, priors, willSet, the store, didSet, new value, observers: in this order")
    func order() {
        let token = document.observe(\.name, options: [.old, .new, .prior]) { [document] _, change in
            let values = change.isPrior ? "prior \(change.oldValue!)" : "\(change.oldValue!) → \(change.newValue!)"
            document.log.append(values)
        }
        document.name = "Katherine"
        token.invalidate()
        #expect(document.log == ["prior Ada", "willSet Ada to Katherine", "didSet Ada to Katherine", "Ada → Kathe"])
        #expect(document.name == "Kathe")
    }

    @Test("20.2 Views run willSet and didSet, and tell which elements changed")
    func views() {
        document.pages = [1]
        document.log = []
        let log = Log()
        let token = document.observe(\.pages, options: [.old, .new]) { _, change in
            log.add("\(change.kind) \(change.newValue ?? []) \(change.indexes.map { "\($0.ranges)" } ?? "")")
        }
        document.mutable(\.pages).append(2)
        document.mutable(\.pages).value = []
        token.invalidate()
        #expect(log.take() == ["insertion [2] [Range(1..<2)]", "setting [] "])
        #expect(document.log == ["pages 1 to 2", "pages 2 to 0"])
    }

    @Test("4.2 20.2 Where the class says that a property notifies by hand, a set is silent and a pair tells once")
    func automaticOff() {
        let manual = Manual()
        let told = changes(of: manual, \.value) {
            manual.value = 1
            manual.value += 1
            manual.changeValue(for: \.value) { manual.value = 3 }
        }
        #expect(told == ["2 → 3"])
        #expect(manual.sets == 3)
    }

    // MARK: References

    @Test("6.5 20.2 A weak property is observed when it is set; the death of its object is silent")
    func weakProperty() {
        var owner: Person? = Person()
        let told = changes(of: document, \.owner?.age) {
            document.owner = owner
            owner?.age = 1
            owner = nil
        }
        #expect(told == ["nil → Optional(0)", "Optional(0) → Optional(1)"])
        #expect(document.owner == nil)
        let next = Person()
        next.age = 9
        #expect(changes(of: document, \.owner?.age) { document.owner = next } == ["nil → Optional(9)"])
    }

    @Test("20.2 A weak property with didSet, and an unowned one, are observed, and keep nothing alive")
    func weakWithCode() {
        let (first, second) = (Person(), Person())
        second.age = 2
        let told = changes(of: document, \.delegate?.age) {
            document.delegate = first
            document.delegate = second
        }
        #expect(told == ["nil → Optional(0)", "Optional(0) → Optional(2)"])
        #expect(document.log == ["delegate -1 to 0", "delegate 0 to 2"])
        #expect(changes(of: document, \.root.age) { document.root = second } == ["0 → 2"])
        // It is read, and set again: nothing is accessed in place meanwhile.
        func change(_ owner: inout Person?) {
            owner = first
            #expect(document.owner == nil)
        }
        change(&document.owner)
        #expect(document.owner === first)
        weak var temporary: Person?
        let tokens = document.observe(\.owner, options: [.old, .new]) { _, _ in }
        do {
            let person = Person()
            temporary = person
            document.owner = person
        }
        #expect(temporary == nil && document.owner == nil)
        tokens.invalidate()
    }
}

@KeyValueObservable
private final class Manual {
    var value = 0 { didSet { sets += 1 } }
    @NotObserved var sets = 0

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Manual.value }
}

@Suite("Isolated classes declared by macro")
struct IsolatedClassTests {
    @Test("9.8 20.1 A class on the main actor is declared like any other")
    @MainActor
    func mainActor() throws {
        let model = SearchModel()
        let parent = ViewModel()
        let log = Log()
        let tokens = [
            model.observe(\.shout, options: .new) { _, change in log.add(change.newValue!) },
            model.observe(\.parent?.text, options: .new) { _, change in log.add("\(change.newValue! ?? "nil")") },
            model.observe(\.results, options: .new) { _, change in log.add("\(change.newValue!)") },
        ]
        model.query = "ab"
        model.parent = parent
        parent.text = "x"
        model.limit = 1
        for token in tokens { token.invalidate() }
        #expect(log.take() == ["AB", "12", "", "x", "3"])
        #expect(model.queries == ["ab"])
        try model.setValue("by name", forKey: "query")
        #expect(try model.value(forKey: "shout") as? String == "BY NAME")
    }

    @Test("A10 9.8 Methods on the main actor are called there")
    @MainActor
    func callbacks() {
        let screen = MainScreen()
        let model = SearchModel()
        screen.observe(model)
        model.limit = 3
        #expect(screen.limits == ["10 → 3"])
    }
}

@MainActor
@KeyValueCallbacks
private final class MainScreen {
    var limits: [String] = []
    @WhenChanged(\SearchModel.limit) func limitDidChange(_ new: Int, old: Int) { limits.append("\(old) → \(new)") }
}

@Suite("Tracking of classes declared by macro")
struct TrackedClassTests {
    @Test("20.1 Observation tracks plain properties, those with code of their own, and weak ones")
    func tracking() {
        let tracked = Tracked()
        /// Whether a change is noticed by somebody who has read something.
        func notices(_ read: () -> Void, _ change: () -> Void) -> Bool {
            let log = Log()
            withObservationTracking(read) { log.add("changed") }
            change()
            return log.take() == ["changed"]
        }
        #expect(notices({ _ = tracked.plain }, { tracked.plain = 1 }))
        #expect(notices({ _ = tracked.watched }, { tracked.watched = 1 }))
        #expect(notices({ _ = tracked.watched }, { tracked.watched += 1 }))
        #expect(notices({ _ = tracked.other }, { tracked.other = tracked }))
        #expect(!notices({ _ = tracked.plain }, { tracked.watched = 1 }))
        #expect(tracked.count == 3)
    }
}

@KeyValueObservable
private final class Tracked: KeyValueTrackable {
    let observationRegistrar = ObservationRegistrar()
    var plain = 0
    var watched = 0 { didSet { count += 1 } }
    weak var other: Tracked?
    @NotObserved var count = 0
}
