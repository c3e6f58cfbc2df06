// Computed properties and dependent keys: section 5 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("5 Computed properties and dependent keys")
struct ComputedTests {
    private let kept = Kept()
    private let log = Log()

    @Test("5.1 C17 What the getter read last is what it depends on")
    func followsBranches() {
        let object = Branching()
        object.observe(\.value, options: [.old, .new]) { log.add($1) }.store(in: kept)
        object.right = 5
        #expect(log.take() == [], "the other branch is not read")
        object.left = 1
        object.usesLeft = false
        object.left = 2
        object.right = 6
        #expect(log.take() == ["0→1", "1→5", "5→6"])
    }

    // #132
    @Test(
        "5.1 Declared dependencies are added to those found by reading; a subclass adds to its superclass's")
    func declared() {
        let base = DeclaresMore()
        let derived = DeclaresYetMore()
        let tokens = [
            base.observe(\.total) { _, _ in log.add("base") },
            (derived as DeclaresMore).observe(\.total) { _, _ in log.add("derived") },
        ]
        base.read = 1
        base.declared = 1
        base.other = 1
        #expect(log.take() == ["base", "base"])
        derived.read = 1
        derived.declared = 1
        derived.other = 1
        #expect(log.take() == ["derived", "derived", "derived"])
        withExtendedLifetime(tokens) {}
    }

    // #140
    @Test("5.1 A declared dependency may be a path; the declarations of what it leads to count as well")
    func declaredPath() {
        let object = DeclaresPath()
        object.observe(\.label) { _, _ in log.add("told") }.store(in: kept)
        object.holder = Person()
        object.holder?.age = 3
        object.source = 1
        #expect(log.take() == ["told", "told", "told"])
    }

    @Test("5.1 A declared dependency of another class traps with a sentence")
    func declaredOfAnotherClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DeclaresWrongly().observe(\.value) { _, _ in }
        }
        #expect(words("keyPathsAffectingValue(for:) of DeclaresWrongly", missingIn: message(of: result)) == [])
    }

    @Test("5.1 What a getter observes or changes is not what it depends on")
    func observingInAGetter() {
        let object = Busy()
        object.observe(\.computed, options: .new) { log.add($1) }.store(in: kept)
        object.source = 1
        object.observedInside = 4
        object.changedInside = 9
        #expect(log.take() == ["·→1"])
    }

    @Test("D6 9.3 A class's functions are called once for each property, or by each of 8 threads that come first")
    func askedOnce() {
        onThreads(8) { _ in
            for _ in 0..<1_250 {
                let object = Asked()
                for keyPath in [\Asked.one, \.two] { object.observe(keyPath) { _, _ in }.invalidate() }
            }
        }
        let questions = Dictionary(grouping: Asked.questions.take()) { $0 }
        #expect(
            questions.keys.sorted() == ["automatic one", "automatic two", "dependencies one", "dependencies two"])
        #expect(questions.values.allSatisfy { $0.count <= 8 }, "for 10,000 instances")
        Asked().observe(\.one) { _, _ in }.invalidate()
        #expect(Asked.questions.take() == [])
    }

    @Test("3.5 A getter that sets another property that it has read is evaluated again")
    func setsWhatItRead() {
        let cached = CachesInput()
        cached.observe(\.output, options: [.old, .new]) { log.add($1) }.store(in: kept)
        cached.input = 1
        #expect(log.take().last == "0→1")
    }

    // MARK: What goes meanwhile

    @Test("9.4 If a getter removes the observation, no observer is notified, and the handler is released")
    func getterThatRemoves() {
        let pair = Pair()
        weak var witness: Log?
        do {
            let captured = Log()
            witness = captured
            pair.token = pair.observe(\.sum) {
                captured.add($1)
                log.add($1)
            }
        }
        pair.first = 1
        pair.isRemoving = true
        pair.first = 2
        #expect(log.take() == ["0→1"] && witness == nil)
    }

    @Test("9.4 A change in the deinit of the object where the path starts is not delivered")
    func changeInDeinit() {
        var pair: Pair? = Pair()
        pair?.observe(\.sum) { log.add($1) }.store(in: kept)
        pair?.first = 1
        pair?.setsInDeinit = true
        pair = nil
        #expect(log.take() == ["0→1"])
    }
}

/// Ends its registration in its getter, or changes in its deinit.
private final class Pair: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0
    var token: KeyValueObservation?
    var isRemoving = false
    var setsInDeinit = false

    var sum: Int {
        if isRemoving { token = nil }
        return first + second
    }

    deinit {
        if setsInDeinit { first = 5 }
    }
}

private final class Branching: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var usesLeft = true
    @Observed var left = 0
    @Observed var right = 0
    var value: Int { usesLeft ? left : right }
}

private class DeclaresMore: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var read = 0
    @Observed var declared = 0
    @Observed var other = 0
    var total: Int { read }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \DeclaresMore.total ? [\DeclaresMore.declared] : []
    }
}

private final class DeclaresYetMore: DeclaresMore {
    override class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        var keyPaths = super.keyPathsAffectingValue(for: keyPath)
        if keyPath == \DeclaresMore.total { keyPaths.insert(\DeclaresYetMore.other) }
        return keyPaths
    }
}

private final class Busy: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var source = 0
    @Observed var observedInside = 0
    @Observed var changedInside = 0
    private lazy var inside = observe(\.changedInside, options: [.old, .new]) { _, _ in }

    var computed: Int {
        withExtendedLifetime(inside) {}
        let token = observe(\.observedInside, options: [.initial, .new]) { _, _ in }
        token.invalidate()
        changedInside = 7
        return source
    }
}

private final class DeclaresPath: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var holder: Person?
    @Observed var source = 0
    var middle: Int { 0 }
    var label: String { "constant" }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \DeclaresPath.label: [\DeclaresPath.holder?.age, \DeclaresPath.middle]
        case \DeclaresPath.middle: [\DeclaresPath.source]
        default: []
        }
    }
}

private final class DeclaresWrongly: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [\Person.age] }
}

private final class Asked: KeyValueObservable {
    static let questions = Questions()

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var one = 0
    @Observed var two = 0

    private static func name(_ keyPath: AnyKeyPath) -> String { keyPath == \Asked.one ? "one" : "two" }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        questions.add("automatic \(name(keyPath))")
        return true
    }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        questions.add("dependencies \(name(keyPath))")
        return []
    }
}

/// Its getter returns what it found in the cache, and then fills it.
private final class CachesInput: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var input = 0
    @Observed private var cache = 0
    var output: Int {
        let known = cache
        if known != input { cache = input }
        return known
    }
}
