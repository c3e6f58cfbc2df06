// What lies beside an object ends with it: 15.3.
import ForeignClasses
import Foundation
import KeyValueObserving
import KeyValueObservingStyles
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.3 The end of an object", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct EndTests {
    @Test("15.3 B6 Registrations and controllers end with the object at once, without a further call")
    func registrations() throws {
        let (witness, reader) = (Witness(), Reader())
        var object: NotifyingEnding? = try NotifyingEnding.makeObservable(Ending { _ in })
        weak let weakObject = object
        let token = object!.observe(\.value) { [held = Held(witness)] _, _ in _ = held }
        object!.addObserver(reader, for: [\.value]) { [held = Held(witness)] _, _, _ in _ = held }
        reader.kvo.observe(object, \.value) { [held = Held(witness)] _, _, _ in _ = held }
        #expect(!token.isInvalidated && witness.count == 3)
        object = nil
        #expect(weakObject == nil && token.isInvalidated && witness.count == 0)
        object = try NotifyingEnding.makeObservable(Ending { _ in })
        let other = NotifyingBook()
        object!.kvoController.observe(other, \.pages) { _, _, _ in }
        object!.kvoControllerNonRetaining.observe(object!, \.value) { _, _, _ in }
        weak let controllers = object!.kvoController
        #expect(other.observationInfo.count == 1 && controllers != nil)
        object = nil
        #expect(other.observationInfo.isEmpty && controllers == nil)
    }

    @Test("15.3 Another object at the same address has nothing of the one that was there")
    func addresses() throws {
        var addresses: Set<ObjectIdentifier> = []
        for _ in 0..<100 {
            var objects = try (0..<100).map { _ in try NotifyingEnding.makeObservable(Ending { _ in }) }
            #expect(!objects.contains { !$0.observationInfo.isEmpty || $0.isObserved(\.value) })
            addresses.formUnion(objects.map { ObjectIdentifier($0) })
            let tokens = objects.map { $0.observe(\.value) { _, _ in Issue.record("nobody changes it") } }
            objects = []
            #expect(!tokens.contains { !$0.isInvalidated })
        }
        // Memory is used again, or this test proves nothing. The address sanitizer keeps it.
        #expect(addresses.count < 10_000 || isUnderSanitizer)
    }

    @Test("15.3 An object is observed until its last deinit has run: what is set there is delivered")
    func setInDeinit() throws {
        let log = Log()
        var object: NotifyingEnding? = try NotifyingEnding.makeObservable(Ending { $0.value = 2 })
        let token = object!.observe(\.value, options: [.old, .new]) { log.add($1) }
        object!.value = 1
        object = nil
        #expect(log.take() == ["0→1", "1→2"] && token.isInvalidated)
    }

    @Test("15.3 B10 First use in deinit: inert, no trap", arguments: [false, true])
    func firstUseInDeinit(isMade: Bool) throws {
        var tokens: [KeyValueObservation] = []
        func use(_ object: NotifyingEnding) {
            object.value = 1
            tokens.append(object.observe(\.value) { _, _ in })
            object.kvoController.observe(object, \.value) { _, _, _ in }
            object.value = 2
            #expect(object.observationInfo.count == 1)
        }
        // From here on the class is known, so the end of its objects is noted.
        _ = try NotifyingEnding.makeObservable(Ending { _ in })
        if isMade {
            letGo(try NotifyingEnding.makeObservable(Ending { use($0 as! NotifyingEnding) }))
        } else {
            letGo(NotifyingEnding { use($0 as! NotifyingEnding) })
        }
        #expect(tokens.count == 1 && tokens[0].isInvalidated)
    }

    @Test("15.3 B10 The first use of a whole class may be in a deinit; later objects have nothing of it")
    func firstUseOfClass() throws {
        let log = Log()
        var tokens: [KeyValueObservation] = []
        letGo(
            LateEnding<EndTests> { object in
                let object = object as! LateEnding<EndTests>
                tokens.append(object.observe(\.value, options: .new) { log.add($1) })
                object.value = 1
            })
        #expect(log.take() == ["·→1"])
        for _ in 0..<1_000 {
            let object = LateEnding<EndTests> { $0.value = 2 }
            #expect(object.observationInfo.isEmpty)
        }
        letGo(LateEnding<EndTests> { $0.value = 3 })
        #expect(log.take() == [])
    }

    @Test("15.3 1.6 What is set in the deinit of such an object leaves nothing")
    func onStackLeavesNothing() async {
        await #expect(processExitsWith: .success) {
            func use(_ count: Int) {
                for _ in 0..<count { _ = NotifyingEnding { $0.value = 1 } }
            }
            use(1_000)
            #expect(bytesKept { use(10_000) } < 100_000)
        }
    }

    @MainActor
    @Test("15.3 A deinit that an actor runs later sets what it likes; the registrations have ended")
    func isolatedDeinit() async throws {
        let (isSet, isCalled) = (Guarded(false), Guarded(false))
        var view: NotifyingView? = try NotifyingView.makeObservable(
            View { view in
                view.title = "gone"
                isSet.withLock { $0 = view.title == "gone" }
            })
        let token = view!.observe(\.title) { _, _ in isCalled.withLock { $0 = true } }
        // The last reference goes on another thread, so that the deinit is put off.
        let last = Guarded<Unchecked<NotifyingView?>>(Unchecked(value: view))
        view = nil
        onThreads(1) { _ in last.withLock { $0 = Unchecked(value: nil) } }
        #expect(token.isInvalidated)
        while !isSet.withLock({ $0 }) { await Task.yield() }
        #expect(!isCalled.withLock { $0 })
        let next = try NotifyingView.makeObservable(View { _ in })
        #expect(next.observationInfo.isEmpty)
    }

    @Test("15.3 An object that ends in a handler of its own is gone after the change")
    func endsInHandler() throws {
        var object: NotifyingEnding? = try NotifyingEnding.makeObservable(Ending { _ in })
        weak let weakObject = object
        var calls = 0
        let token = object!.observe(\.value) { _, _ in
            object = nil
            calls += 1
        }
        object?.value = 1
        #expect(calls == 1 && weakObject == nil && token.isInvalidated)
    }
}

@MainActor
private final class NotifyingView: View, @MainActor NotifyingSubclass {
    override var title: String {
        get { read(\.title, super.title) }
        set { changeValue(for: \.title) { super.title = newValue } }
    }
}

private final class Reader {
    private(set) lazy var kvo = KVOController(observer: self, retainsObserved: false)
}
