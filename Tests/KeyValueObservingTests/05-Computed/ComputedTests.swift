// Computed properties and dependent keys: section 5 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("5 Computed properties and dependent keys")
struct ComputedTests {
    private let log = Log()

    @Test("5.1 C17 What the getter read last is what it depends on")
    func followsBranches() {
        let object = Branching()
        let observation = object.observe(\.value, options: [.old, .new]) { log.add($1) }
        object.right = 5
        #expect(log.take() == [], "the other branch is not read")
        object.left = 1
        object.usesLeft = false
        object.left = 2
        object.right = 6
        #expect(log.take() == ["0→1", "1→5", "5→6"])
        withExtendedLifetime(observation) {}
    }

    @Test("5.1 Computed from computed, and through other objects")
    func throughObjects() {
        let object = Owner()
        let observation = object.observe(\.greeting, options: [.old, .new]) { log.add($1) }
        let first = Person()
        object.person = first
        first.name = "Ada"
        let second = Person()
        second.name = "Grace"
        object.person = second
        first.name = "nobody hears this"
        second.name = "Hopper"
        #expect(
            log.take() == [
                "Hello nobody→Hello ", "Hello →Hello Ada", "Hello Ada→Hello Grace", "Hello Grace→Hello Hopper",
            ])
        withExtendedLifetime(observation) {}
    }

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

    @Test("5.1 A declared dependency may be a path; the declarations of what it leads to count as well")
    func declaredPath() {
        let object = DeclaresPath()
        let observation = object.observe(\.label) { _, _ in log.add("told") }
        object.holder = Person()
        object.holder?.age = 3
        object.source = 1
        #expect(log.take() == ["told", "told", "told"])
        withExtendedLifetime(observation) {}
    }

    @Test("5.1 A declared dependency of another class traps with a sentence")
    func declaredOfAnotherClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DeclaresWrongly().observe(\.value) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("keyPathsAffectingValue(for:) of DeclaresWrongly"))
    }

    @Test("5.1 An override that reads more only at times is followed from the first observation")
    func conditionalOverride() {
        let object = Boosted()
        let token = object.observe(\.age, options: .new) { log.add($1) }
        let base = (object as Person).observe(\Person.age, options: .new) { log.add($1, as: "base") }
        object.age = 20
        object.bonus = 5
        #expect(log.take() == ["·→21", "base ·→21", "·→25", "base ·→25"])
        withExtendedLifetime((token, base)) {}
    }

    @Test("5.1 What a getter observes or changes is not what it depends on")
    func observingInAGetter() {
        let object = Busy()
        let token = object.observe(\.computed, options: .new) { log.add($1) }
        object.source = 1
        object.observedInside = 4
        object.changedInside = 9
        #expect(log.take() == ["·→1"])
        withExtendedLifetime(token) {}
    }

    @Test("5.2 Declared cycles end, each property delivered once for each change")
    func declaredCycle() {
        let object = Ring()
        let tokens = [
            object.observe(\.one, options: .new) { log.add($1, as: "one") },
            object.observe(\.two, options: .new) { log.add($1, as: "two") },
            object.observe(\.three, options: .new) { log.add($1, as: "three") },
        ]
        object.one = 1
        #expect(log.take() == ["one ·→1", "two ·→0", "three ·→0"])
        object.three = 3
        #expect(log.take() == ["one ·→1", "two ·→0", "three ·→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test("5.2 A property that reads a thousand objects is delivered once for a change of any of them")
    func manyObjects() {
        let total = Total(count: 1_000)
        let observation = total.observe(\.sum, options: [.old, .new]) { log.add($1) }
        total.parts[500].left = 1
        total.parts[999].left = 1
        #expect(log.take() == ["0→1", "1→2"])
        total.parts.removeLast(500)
        #expect(log.take() == ["2→0"].filter { _ in total.sum == 0 } + (total.sum == 1 ? ["2→1"] : []))
        withExtendedLifetime(observation) {}
    }

    @Test("5.3 A computed property's change is a setting, with old and new of its own")
    func kindIsSetting() {
        let person = Person()
        let observation = person.observe(\.months, options: [.old, .new, .prior]) { log.add($1) }
        person.age = 1
        person.months = 36
        #expect(log.take() == ["prior 0→·", "0→12", "prior 12→·", "12→36"])
        withExtendedLifetime(observation) {}
    }

    @Test("5.3 What is computed from a property that notifies by hand is silent when that is set")
    func automaticOffSource() {
        let object = ByHand()
        let observation = object.observe(\.doubled, options: .new) { log.add($1) }
        object.value = 2
        #expect(log.take() == [])
        object.automatic = 1
        #expect(log.take() == ["·→5"])
        withExtendedLifetime(observation) {}
    }

    @Test(
        "5.4 A getter that leads back to itself traps and names the cycle",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"))
    func getterCycle() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Endless().observe(\.chicken) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("A dependency cycle: a getter leads back to itself"))
        #expect(message.contains("Endless.yolk") && message.contains("Endless.shell"))
    }

    @Test("5.4 A deep recursion over distinct objects, and a loop over one property, are no cycles")
    func honestRecursion() {
        let first = Link()
        var last = first
        for _ in 0..<1_000 {
            last.next = Link()
            last = last.next!
        }
        let depth = first.observe(\.depth, options: .new) { log.add($1) }
        last.next = Link()
        #expect(log.take() == ["·→1002"])
        let loop = first.observe(\.readOften, options: .new) { log.add($1) }
        first.next = nil
        #expect(log.take() == ["·→1", "·→0"])
        withExtendedLifetime((depth, loop)) {}
    }

    @Test("D6 9.3 A class is asked once for each property, or by each of 8 threads that come first")
    func askedOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_250 {
                        let object = Asked()
                        let tokens = [object.observe(\.one) { _, _ in }, object.observe(\.two) { _, _ in }]
                        withExtendedLifetime(tokens) {}
                    }
                }
            }
        }
        let questions = Dictionary(grouping: Asked.questions.take()) { $0 }
        #expect(
            questions.keys.sorted() == ["automatic one", "automatic two", "dependencies one", "dependencies two"])
        #expect(questions.values.allSatisfy { $0.count <= 8 }, "for 10,000 instances")
        Asked().observe(\.one) { _, _ in }.invalidate()
        #expect(Asked.questions.take() == [])
    }
}

private final class Branching: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var usesLeft = true
    @Observed var left = 0
    @Observed var right = 0
    var value: Int { usesLeft ? left : right }
}

private final class Owner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var person: Person?
    var name: String { person?.name ?? "nobody" }
    var greeting: String { "Hello \(name)" }
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

private final class Boosted: Person {
    @Observed var bonus = 1
    override var age: Int {
        get { super.age > 10 ? super.age + bonus : super.age }
        set { super.age = newValue }
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

private final class Ring: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var one = 0
    @Observed var two = 0
    @Observed var three = 0

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \Ring.one: [\Ring.three]
        case \Ring.two: [\Ring.one]
        case \Ring.three: [\Ring.two]
        default: []
        }
    }
}

private final class Total: KeyValueObservable {
    final class Part: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var left = 0
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var parts: [Part]
    var sum: Int { parts.reduce(0) { $0 + $1.left } }

    init(count: Int) {
        parts = (0..<count).map { _ in Part() }
    }
}

private final class ByHand: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
    @Observed var automatic = 0
    var doubled: Int { value * 2 + automatic }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \ByHand.value }
}

private final class Endless: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var yolk = 0
    @Observed var shell = 0
    var chicken: Int { yolk + egg }
    var egg: Int { shell + chicken }
}

private final class Link: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var next: Link?
    var depth: Int { 1 + (next?.depth ?? 0) }
    var readOften: Int { (0..<5_000).reduce(0) { sum, _ in next == nil ? sum : 1 } }
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
