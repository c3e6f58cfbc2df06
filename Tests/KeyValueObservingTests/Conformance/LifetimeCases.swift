// Conformance cases of group 18: observers, observed objects and tokens that die in every order.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 18: lifetime")
struct LifetimeCases {
    private let log = Log()
    private let watcher = Watcher()

    @Test("#325 An object may die while it is observed; its registrations end (9.4)")
    func observedDies() {
        var sample: Sample? = Sample(child: Sample("child"))
        weak let gone = sample
        let tokens = [
            sample?.observe(\.text) { [log] in log.add($1) },
            sample?.observe(\.derived) { [log] in log.add($1) },
            sample?.observe(\.child?.text) { [log] in log.add($1) },
        ]
        let child = sample?.child
        #expect(tokens.allSatisfy { $0?.isInvalidated == false })
        sample = nil
        #expect(gone == nil)
        #expect(tokens.allSatisfy { $0?.isInvalidated == true })
        child?.text = "a"
        #expect(log.take() == [])
        for token in tokens { token?.invalidate() }
    }

    @Test("#326 An object dies quietly with registrations left, notifying by itself or not")
    func silentObservedDies() {
        var sample: Sample? = Sample()
        weak let gone = sample
        let token = sample?.observe(\.silent, options: .prior) { _, _ in }
        sample = nil
        #expect(gone == nil)
        #expect(token?.isInvalidated == true)
    }

    @Test("#326 What a handler captured is released when the object dies, while the token lives")
    func handlerGoesWithObject() {
        final class Captured {}
        weak var captured: Captured?
        var sample: Sample? = Sample()
        var tokens: [KeyValueObservation] = []
        do {
            let held = Captured()
            captured = held
            for keyPath in [\Sample.text, \Sample.derived, \Sample.child?.text] {
                if let token = sample?.observe(keyPath, changeHandler: { _, _ in withExtendedLifetime(held) {} }) {
                    tokens.append(token)
                }
            }
        }
        #expect(captured != nil)
        sample = nil
        #expect(captured == nil)
        withExtendedLifetime(tokens) {}
    }

    @Test("#328 A token retains neither the object nor the paths' objects, and the object not the token (1.2)")
    func ownership() {
        var child: Sample? = Sample("child")
        weak let goneChild = child
        var sample: Sample? = Sample(child: child)
        weak let goneSample = sample
        var token = sample?.observe(\.child?.text) { _, _ in }
        weak let goneToken = token
        child = nil
        sample?.child = nil
        #expect(goneChild == nil)
        token = nil
        #expect(goneToken == nil)
        token = sample?.observe(\.text) { _, _ in }
        sample = nil
        #expect(goneSample == nil)
        withExtendedLifetime(token) {}
    }

    @Test("#328 The object on a path's way that died is not looked at by the registration that ends later")
    func pathObjectDiesFirst() {
        let sample = Sample()
        let token: KeyValueObservation
        do {
            let box = WeakHolder()
            token = watcher.watch(box, \.target?.text)
            do {
                let target = Sample("target")
                box.target = target
                #expect(watcher.take() == ["·→·"])
            }
            #expect(box.target == nil)
            box.target = sample
            #expect(watcher.take() == ["·→·"])
        }
        #expect(token.isInvalidated)
        sample.text = "a"
        #expect(watcher.take() == [])
    }

    @Test("#329 Invalidating after a temporary object has died does nothing")
    func invalidateAfterDeath() {
        let token = Sample().observe(\.text) { _, _ in }
        #expect(token.isInvalidated)
        token.invalidate()
        #expect(token.isInvalidated)
    }

    @Test("#330 The token decides: dropping it stops the deliveries, and an observer's controller lives as it does")
    func tokenDecides() {
        let sample = Sample()
        var token: KeyValueObservation? = sample.observe(\.text, options: .new) { [log] in log.add($1, as: "token") }
        var screen: Spectator? = Spectator(log: log)
        weak let gone = screen
        screen?.kvo.observe(sample, \.text, options: .new, action: Spectator.textDidChange(_:))
        #expect(token?.isInvalidated == false)
        sample.text = "a"
        #expect(log.take() == ["token ·→a", "screen ·→a"])
        token = nil
        sample.text = "b"
        #expect(log.take() == ["screen ·→b"])
        screen = nil
        #expect(gone == nil)
        sample.text = "c"
        #expect(log.take() == [])
    }

    @Test("#332 A handler that captures its own token lets go of it when it is cancelled")
    func handlerCapturesToken() {
        final class Holder {
            var token: KeyValueObservation?
        }
        let sample = Sample()
        weak var goneHolder: Holder?
        weak var goneToken: KeyValueObservation?
        do {
            let holder = Holder()
            goneHolder = holder
            holder.token = sample.observe(\.text) { [log] _, change in
                log.add(change, as: holder.token?.isInvalidated == false ? "valid" : "invalid")
            }
            goneToken = holder.token
        }
        sample.text = "a"
        #expect(log.take() == ["valid ·→·"])
        #expect(goneToken != nil)
        goneToken?.invalidate()
        #expect(goneHolder == nil && goneToken == nil)
        sample.text = "b"
        #expect(log.take() == [])
    }

    @Test("#333 When a controller dies its registrations end, and the objects it retained are released")
    func controllerDies() {
        let screen = Spectator(log: log)
        var kvo: KVOController<Spectator>? = KVOController(observer: screen)
        var sample: Sample? = Sample()
        weak let gone = sample
        kvo?.observe(sample, \.text, action: Spectator.redraw)
        sample?.text = "a"
        #expect(log.take() == ["screen redraws"])
        kvo = nil
        sample?.text = "b"
        #expect(log.take() == [])
        #expect(sample?.observationInfo.isEmpty == true)

        kvo = KVOController(observer: screen)
        kvo?.observe(sample, \.text, action: Spectator.redraw)
        sample = nil
        #expect(gone != nil)
        kvo = nil
        #expect(gone == nil)
    }

    @Test("#333 When an observer dies before its controller nothing is delivered, and the registrations go")
    func observerDiesFirst() {
        let sample = Sample()
        var screen: Spectator? = Spectator(log: log)
        let kvo = KVOController(observer: screen!)
        kvo.observe(sample, \.text, action: Spectator.redraw)
        kvo.observe(sample, \.number, action: Spectator.redraw)
        screen = nil
        #expect(kvo.observer == nil)
        sample.text = "a"
        #expect(log.take() == [])
        #expect(sample.observationInfo.isEmpty)
    }

    @Test("#334 An observer that dies takes its registrations on every object with it")
    func observerOfManyDies() {
        let samples = (0..<4).map { Sample("\($0)") }
        var screen: Spectator? = Spectator(log: log)
        for sample in samples { screen?.kvo.observe(sample, \.text, action: Spectator.redraw) }
        for sample in samples { sample.text = "a" }
        #expect(log.take().count == 4)
        screen = nil
        for sample in samples { sample.text = "b" }
        #expect(log.take() == [])
        #expect(samples.allSatisfy { $0.observationInfo.isEmpty })
    }

    @Test("#334 Observed objects that die take their registrations with them, those in an array too")
    func observedOfManyDie() {
        var samples = (0..<4).map { Sample("\($0)") }
        let tokens = samples.map { sample in sample.observe(\.text) { _, _ in } }
        samples.removeLast(2)
        #expect(tokens.map(\.isInvalidated) == [false, false, true, true])
        samples = []
        #expect(tokens.map(\.isInvalidated) == [true, true, true, true])
    }

    @Test("#334 In a hierarchy of classes that each clean up in deinit the registrations end once")
    func hierarchyOfDeinits() {
        class Base: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var value = 0
            var tokens: [KeyValueObservation] = []
            deinit { for token in tokens { token.invalidate() } }
        }
        class Middle: Base {
            deinit { value = 1 }
        }
        final class Last: Middle {
            deinit {
                value = 2
                tokens.removeLast()
            }
        }
        var object: Last? = Last()
        weak let gone = object
        if let object {
            object.tokens = [
                object.observe(\.value) { _, _ in }, (object as Base).observe(\.value) { _, _ in },
            ]
        }
        let outside = object?.observe(\.value) { _, _ in }
        object = nil
        #expect(gone == nil)
        #expect(outside?.isInvalidated == true)
    }

    @Test("#336 The death of the object ends the observation and delivers no nil")
    func endWithoutNil() {
        let root = Sample("root")
        var child: Sample? = Sample("child", text: "a")
        root.child = child
        let token = child?.observe(\.text, options: .new) { [log] in log.add($1) }
        child?.text = "b"
        #expect(log.take() == ["·→b"])
        child = nil
        root.child = nil
        #expect(log.take() == [])
        #expect(token?.isInvalidated == true)
    }
}

/// Refers to an object without keeping it alive.
private final class WeakHolder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var box = WeakBox<Sample>()

    var target: Sample? {
        get { box.object }
        set { box.object = newValue }
    }
}
