// Conformance cases of group 1: registration and removal.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Conformance 1: registration and removal")
struct RegistrationCases {
    private let sample = Sample()
    private let watcher = Watcher()

    @Test("#1 A change is delivered once, with the object, the key path, the kind and the new value alone")
    func basicChange() throws {
        var told: [(object: Sample, change: KeyValueObservedChange<String?>)] = []
        let token = sample.observe(\.text, options: .new) { told.append(($0, $1)) }
        watcher.watch(sample, \.number)
        sample.text = "Hello"
        #expect(told.count == 1)
        let (object, change) = try #require(told.first)
        #expect(object === sample)
        #expect(change.keyPath == \Sample.text)
        #expect(change.kind == .setting)
        #expect(change.oldValue == .none)
        #expect(change.newValue == .some("Hello"))
        #expect(change.indexes == nil && !change.isPrior)
        #expect(watcher.take() == [])
        withExtendedLifetime(token) {}
    }

    @Test("#2 Each of two observers is notified of its own key path only")
    func exclusiveKeyPaths() {
        watcher.watch(sample, \.text, as: "text", .new)
        watcher.watch(sample, \.number, as: "number", .new)
        sample.text = "Hello"
        #expect(watcher.take() == ["text ·→Hello"])
        sample.number = 1
        #expect(watcher.take() == ["number ·→1"])
    }

    @Test("#4 One observer of six key paths is notified of each change of each of them")
    func allProperties() {
        watcher.watch(sample, \.text, as: "text", .new)
        watcher.watch(sample, \.number, as: "number", .new)
        watcher.watch(sample, \.triple, as: "triple", .new)
        watcher.watch(sample, \.derived, as: "derived", .new)
        watcher.watch(sample, \.child?.text, as: "child.text", .new)
        watcher.watch(sample, \.child, as: "child", .new)
        sample.text = "a"
        sample.number = 1
        sample.triple = Triple(first: 1, second: 2, third: 3)
        sample.child = Sample("c", text: "b")
        #expect(
            watcher.take() == [
                "text ·→a", "derived ·→!!!a!!!", "number ·→1", "triple ·→Triple(first: 1, second: 2, third: 3)",
                "child.text ·→b", "child ·→c",
            ])
    }

    @Test("#5 After removal neither a property nor a path delivers anything")
    func deregistration() {
        let child = Sample("c", text: "a")
        sample.child = child
        let plain = watcher.watch(sample, \.text)
        let nested = watcher.watch(sample, \.child?.text)
        plain.invalidate()
        nested.invalidate()
        sample.text = "Hello"
        child.text = "b"
        sample.child = nil
        #expect(watcher.take() == [])
        #expect(sample.observationInfo.isEmpty)
    }

    @Test("#6 Removing one of two observers leaves the other")
    func removeOneOfTwo() {
        watcher.watch(sample, \.text, as: "first")
        let second = watcher.watch(sample, \.text, as: "second")
        sample.text = "a"
        #expect(watcher.take() == ["first ·→·", "second ·→·"])
        second.invalidate()
        sample.text = "b"
        #expect(watcher.take() == ["first ·→·"])
    }

    @Test("#8 Removing one registration of two removes exactly that one, then the other")
    func removeEachByItself() {
        let first = watcher.watch(sample, \.text, as: "1")
        let second = watcher.watch(sample, \.text, as: "2")
        first.invalidate()
        sample.text = "a"
        #expect(watcher.take() == ["2 ·→·"])
        second.invalidate()
        sample.text = "b"
        #expect(watcher.take() == [])
    }

    @Test("#9 Two equal registrations are notified twice, and end one at a time (1.1)")
    func duplicates() {
        func observe() -> KeyValueObservation { watcher.watch(sample, \.text, .new) }
        let tokens = [observe(), observe()]
        sample.text = "a"
        #expect(watcher.take() == ["·→a", "·→a"])
        tokens[0].invalidate()
        sample.text = "b"
        #expect(watcher.take() == ["·→b"])
        tokens[1].invalidate()
        #expect(sample.observationInfo.isEmpty)
    }

    @Test("#10 Removing what is not registered does nothing")
    func removeUnregistered() {
        let screen = Spectator()
        screen.kvo.unobserve(sample, \.text)
        screen.kvo.unobserve(sample)
        screen.kvo.unobserve(Sample?.none, \.text)
        screen.kvo.unobserveAll()
        screen.kvo.observe(sample, \.text, action: Spectator.redraw)
        screen.kvo.unobserve(sample, \.number)
        screen.kvo.unobserve(Sample("other"))
        sample.text = "a"
        #expect(screen.log.take() == ["screen redraws"])
    }

    @Test("#12 Removing by key path, where nothing distinguishes registrations, removes all of them")
    func removeWithoutContext() {
        let screen = Spectator()
        let kvo = KVOController(observer: screen, duplicates: .allow)
        kvo.observe(sample, \.text, context: 1)
        kvo.observe(sample, \.text, context: 2)
        sample.text = "a"
        #expect(screen.log.take() == ["screen 1 ·→·", "screen 2 ·→·"])
        kvo.unobserve(sample, \.text)
        sample.text = "b"
        #expect(screen.log.take() == [])
    }

    @Test("#13 Of two observers the one that is removed gets nothing, the other the value", arguments: 0..<4)
    func removeSelfOrOther(removed: Int) {
        let log = Log()
        let renamed = Renamed()
        let screens = [Spectator("a", log: log), Spectator("b", log: log)]
        for screen in screens {
            screen.kvo.observe(renamed, \.name, options: [.old, .new]) { $0.log.add($2, as: $0.name) }
        }
        for (bit, screen) in screens.enumerated() where removed & (1 << bit) != 0 {
            screen.kvo.unobserve(renamed, \.name)
        }
        renamed.name = "bob"
        let expected = [["a nil→set_bob", "b nil→set_bob"], ["b nil→set_bob"], ["a nil→set_bob"], []]
        #expect(log.take() == expected[removed])
        withExtendedLifetime(screens) {}
    }

    @Test("#14 New is what the property says after its setter ran, not what was assigned (2.3)")
    func transformingSetter() {
        let renamed = Renamed()
        watcher.watch(renamed, \.name, as: "told", [.old, .new])
        let bystander = renamed.observe(\.name) { _, _ in }
        renamed.phone = "1"
        #expect(watcher.take() == [])
        renamed.name = "bob"
        #expect(watcher.take() == ["told nil→set_bob"])
        withExtendedLifetime(bystander) {}
    }

    @Test("#17 Observing nil does nothing, in every form")
    func observingNil() {
        let screen = Spectator()
        let nobody: Sample? = nil
        screen.kvo.observe(nobody, \.text, options: .initial) { screen, _, _ in screen.redraw() }
        screen.kvo.observe(nobody, keyPaths: [\.text, \.number], options: .initial) { screen, _, _ in screen.redraw() }
        screen.kvo.observe(nobody, \.text, options: .initial, action: Spectator.redraw)
        screen.kvo.observe(nobody, \.text, options: .initial, action: Spectator.textDidChange(_:))
        screen.kvo.observe(nobody, \.text, options: .initial, action: Spectator.textDidChange(_:of:))
        screen.kvo.observe(nobody, \.text, options: .initial, context: 1)
        #expect(screen.log.take() == [])
        #expect("\(screen.kvo)" == "KVOController of Spectator, observing nothing")
    }

    @Test("#18 Three properties with contexts are each delivered by themselves, and only the kind")
    func contextsOfThreeProperties() {
        let screen = Spectator()
        screen.kvo.observe(sample, \.firstTrigger, context: "flag")
        screen.kvo.observe(sample, \.number, context: 7)
        screen.kvo.observe(sample, \.text, context: [1, 2])
        sample.firstTrigger = true
        #expect(screen.log.take() == ["screen flag ·→·"])
        #expect(screen.lastKeyPath == \Sample.firstTrigger && screen.lastContext == AnyHashable("flag"))
        sample.number = 1
        #expect(screen.log.take() == ["screen 7 ·→·"])
        #expect(screen.lastKeyPath == \Sample.number && screen.lastContext == AnyHashable(7))
        sample.text = "a"
        #expect(screen.log.take() == ["screen [1, 2] ·→·"])
        #expect(screen.lastKeyPath == \Sample.text && screen.lastContext == AnyHashable([1, 2]))
        #expect(screen.lastObject === sample)
    }

    @Test("#19 An observer that goes without removing itself is never called")
    func observerGoes() {
        let log = Log()
        var screen: Spectator? = Spectator(log: log)
        let kvo = KVOController(observer: screen!)
        weak let gone = screen
        kvo.observe(sample, \.text, action: Spectator.redraw)
        sample.text = "a"
        #expect(log.take() == ["screen redraws"])
        screen = nil
        #expect(gone == nil)
        sample.text = "b"
        #expect(log.take() == [])
    }

    @Test("#21 Releasing the token ends the registration (1.2)")
    func releasedToken() {
        let log = Log()
        var token: KeyValueObservation? = sample.observe(\.text) { log.add($1) }
        sample.text = "a"
        #expect(log.take() == ["·→·"])
        #expect(token?.isInvalidated == false)
        token = nil
        sample.text = "b"
        #expect(log.take() == [])
        #expect(sample.observationInfo.isEmpty)
    }

    @Test("#22 Invalidating again does nothing, after the object's death too")
    func invalidateTwice() {
        var mortal: Sample? = Sample()
        let token = mortal?.observe(\.text) { _, _ in }
        token?.invalidate()
        token?.invalidate()
        mortal = nil
        token?.invalidate()
        #expect(token?.isInvalidated == true)
    }

    @Test("#23 An observation that is cancelled twice was notified once before, and never after")
    func cancelTwice() {
        let token = watcher.watch(sample, \.text, .new)
        sample.text = "a"
        token.invalidate()
        token.invalidate()
        sample.text = "b"
        #expect(watcher.take() == ["·→a"])
    }
}
