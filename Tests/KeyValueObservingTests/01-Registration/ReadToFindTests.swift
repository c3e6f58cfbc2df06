// What a reading shows of a key path that a protocol writes, or of a property that is overridden: 1.8, 4.1 and 6.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 4.1 What a reading shows of a key path")
struct ReadToFindTests {
    private let log = Log()

    // MARK: Which property it is

    @Test("1.8 One that leads through two objects is not the property of the first, though both have one value")
    func throughTwoObjects() {
        let (first, last) = (Link(), Link())
        (first.next, last.next) = (last, last)
        let controller = KVOController(observer: log, duplicates: .ignore)
        controller.observe(first, \.next) { log, _, _ in log.add("next") }
        controller.observe(first, afterNext(Link.self)) { log, _, _ in log.add("after next") }
        last.next = nil
        #expect(log.take() == ["after next"])
    }

    @Test("1.8 6.1 An override that reads another object's property is observed as its own object's")
    func overrideThatReadsAnother() {
        let vessel = Vessel()
        let twin = Twin(of: vessel)
        let token = twin.observe(\.level, options: [.old, .new]) { [log] in
            log.add($1, as: $0 === twin ? "twin" : "another")
        }
        #expect(twin.observationInfo.count == 1 && vessel.observationInfo.isEmpty)
        vessel.level = 1
        #expect(log.take() == ["twin 0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("1.8 A computed property is neither of two that it reads, though it has the value of the last one")
    func ofTwoProperties() {
        let panel = Panel()
        let tokens = [
            panel.observe(\.left) { [log] _, _ in log.add("left") },
            panel.observe(\.right) { [log] _, _ in log.add("right") },
        ]
        announceTotal(of: panel)
        #expect(log.take() == [])
        withExtendedLifetime(tokens) {}
    }

    private func announceTotal(of object: some Sided & KeyValueObservable) { object.changeValue(for: \.total) {} }

    @Test("1.8 A computed property of another type is not the property that it reads")
    func otherType() {
        let vessel = Vessel()
        let tokens = [
            vessel.observe(\.level) { [log] _, _ in log.add("level") },
            vessel.observe(\.limit) { [log] _, _ in log.add("limit") },
        ]
        announceShown(of: vessel)
        #expect(log.take() == [])
        withExtendedLifetime(tokens) {}
    }

    private func announceShown(of object: some Filled & KeyValueObservable) { object.changeValue(for: \.shown) {} }

    @Test("1.8 A computed property is not the one that it reads, once it had another value")
    func otherValue() {
        let vessel = Vessel()
        let token = vessel.observe(\.level) { [log] _, _ in log.add("level") }
        vessel.level = 1
        #expect(log.take() == ["level"])
        announceDoubled(of: vessel)
        vessel.level = 0
        #expect(log.take() == ["level"])
        announceDoubled(of: vessel)
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }

    private func announceDoubled(of object: some Filled & KeyValueObservable) { object.changeValue(for: \.doubled) {} }

    @Test("1.8 So it is for other objects of its class, which are observed there while both have one value")
    func otherValueOfAnotherObject() {
        let (full, empty) = (Vessel(), Vessel())
        full.level = 1
        let tokens = [full, empty].map { $0.observe(tripled(Vessel.self)) { _, _ in } }
        #expect(!full.isObserved(\.level) && !empty.isObserved(\.level))
        withExtendedLifetime(tokens) {}
    }

    // MARK: Manual properties

    @Test("1.8 4.1 One that reads two manual properties is not the first of them")
    func twoManual() {
        let scale = Scale()
        let token = scale.observe(\.net) { [log] _, _ in log.add("net") }
        announceGross(of: scale)
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }

    private func announceGross(of object: some Weighing & KeyValueObservable) { object.changeValue(for: \.gross) {} }

    // MARK: Properties that read more

    @Test(
        "1.8 B1 An override that reads more is one target, as either class writes it",
        arguments: [true, false])
    func overrideOfEitherClass(isBaseFirst: Bool) {
        let panel = LimitedPanel()
        panel.right = 9
        let controller = KVOController(observer: log, duplicates: .ignore)
        let observe = [
            { [log] in controller.observe(panel as Panel, \.left) { _, _, _ in log.add("called") } },
            { [log] in controller.observe(panel, \.left) { _, _, _ in log.add("called") } },
        ]
        for observe in isBaseFirst ? observe : observe.reversed() { observe() }
        panel.left = 1
        #expect(log.take() == ["called"])
        if isBaseFirst { controller.unobserve(panel as Panel, \.left) } else { controller.unobserve(panel, \.left) }
        panel.left = 2
        #expect(log.take() == [] && panel.observationInfo.isEmpty)
    }

    @Test("4.1 B1 A manual property that reads more is one target, and ends")
    func manualThatReadsMore() {
        let scale = Scale()
        let controller = KVOController(observer: log, duplicates: .ignore)
        for _ in 0..<2 { controller.observe(scale, \.rounded) { log, _, _ in log.add("called") } }
        scale.digits = 1
        scale.changeValue(for: \.rounded) {}
        #expect(log.take() == ["called", "called"])
        controller.unobserve(scale, \.rounded)
        scale.digits = 2
        scale.changeValue(for: \.rounded) {}
        #expect(log.take() == [] && scale.observationInfo.isEmpty)
    }

    @Test("3.5 An announced change of an override ends, although somebody began to observe it meanwhile")
    func overrideObservedMeanwhile() {
        let panel = LimitedPanel()
        panel.right = 9
        let tokens = [panel.observe(\.sum, options: [.old, .new]) { [log] in log.add($1, as: "sum") }]
        panel.willChangeValue(for: \.left)
        let late = panel.observe(\.left, options: [.old, .new]) { [log] in log.add($1, as: "left") }
        panel.left = 1
        panel.didChangeValue(for: \.left)
        #expect(log.take().contains("sum 9→10"))
        panel.left = 2
        #expect(log.take().sorted() == ["left 0→2", "sum 10→11"])
        withExtendedLifetime((tokens, late)) {}
    }

    // MARK: What other objects of the class showed

    @Test("9.1 Asking at one that a protocol writes is not reported where nothing of its type is observed")
    func nothingAlike() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let vessel = Vessel()
            let token = vessel.observe(\.limit) { _, _ in }
            #expect(!vessel.isObserved(level(Vessel.self)))
            #expect(notes.take() == [])
            withExtendedLifetime(token) {}
        }
    }

    // MARK: Whose actor is gone

    @Test(
        "11.5 A property is not observed any more when the actor of its only registration is gone")
    func actorThatIsGone() {
        let vessel = Vessel()
        var recipient: Recipient? = Recipient()
        let tokens = [
            vessel.observe(\.doubled, on: recipient!) { _, _ in },
            vessel.observe(\.level, on: recipient!) { _, _ in },
        ]
        #expect(vessel.isObserved(\.doubled) && vessel.isObserved(\.level))
        recipient = nil
        #expect(!vessel.isObserved(\.doubled) && !vessel.isObserved(\.level))
        withExtendedLifetime(tokens) {}
    }
}

private actor Recipient {}

private protocol Linked: KeyValueObservable {
    var next: Link? { get }
}

private final class Link: Linked {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var next: Link?
}

private func afterNext<Root: Linked>(_: Root.Type) -> KeyPath<Root, Link?> { \.next?.next }

private protocol Filled {
    var level: Int { get }
    var shown: Int? { get }
    var doubled: Int { get }
    var tripled: Int { get }
}

private class Vessel: KeyValueObservable, Filled {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var limit: Int?
    var shown: Int? { level }
    var doubled: Int { level * 2 }
    var tripled: Int { level * 3 }
}

private func level<Root: Filled>(_: Root.Type) -> KeyPath<Root, Int> { \.level }
private func tripled<Root: Filled>(_: Root.Type) -> KeyPath<Root, Int> { \.tripled }

private class Twin: Vessel {
    private let other: Vessel

    init(of other: Vessel) {
        self.other = other
    }

    override var level: Int {
        get { other.level }
        set { other.level = newValue }
    }
}

private protocol Weighing: AnyObject {
    var stored: Int { get set }
    var net: Int { get }
    var gross: Int { get }
}

/// The class announces changes of its net and tare weight.
private final class Scale: KeyValueObservable, Weighing {
    let keyValueRegistrar = KeyValueRegistrar()
    var stored = 0

    var net: Int {
        accessValue(for: \.net)
        return stored
    }
    var tare: Int {
        accessValue(for: \.tare)
        return 0
    }
    @Observed var digits = 0
    var rounded: Int {
        accessValue(for: \.rounded)
        return stored + digits
    }
    /// Has the same value as the net weight.
    var gross: Int { net + tare }
}

private protocol Sided {
    var left: Int { get }
    var right: Int { get }
    var total: Int { get }
}

private class Panel: KeyValueObservable, Sided {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var left = 0
    @Observed var right = 0
    var total: Int { left + right }
}

private class LimitedPanel: Panel {
    var sum: Int { left + right }

    override var left: Int {
        get { min(super.left, right) }
        set { super.left = newValue }
    }
}

private func left<Root: Sided>(_: Root.Type) -> KeyPath<Root, Int> { \.left }
private func right<Root: Sided>(_: Root.Type) -> KeyPath<Root, Int> { \.right }

private protocol Wide {
    var width: Int { get }
}

private func width<Root: Wide>(_: Root.Type) -> KeyPath<Root, Int> { \.width }
