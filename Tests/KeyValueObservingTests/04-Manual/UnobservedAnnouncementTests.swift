// Changes that are announced while nobody observes the object, and what comes before they end: 2.4 and 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 2.4 Announced changes of an object that nobody observes")
struct UnobservedAnnouncementTests {
    private let meter = Meter()
    private let log = Log()

    private func observe<Value>(_ keyPath: KeyPath<Meter, Value>, as name: String) -> KeyValueObservation {
        meter.observe(keyPath, options: [.old, .new]) { [log] in log.add($1, as: name) }
    }

    @Test("2.4 Who registers before the end is not notified of it, and is notified of the next change")
    func registration() {
        meter.willChangeValue(for: \.level)
        meter.raw = 1
        let token = observe(\.level, as: "level")
        meter.raw = 2
        meter.didChangeValue(for: \.level)
        #expect(log.take() == [])
        meter.level = 3
        #expect(log.take() == ["level 2→3"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.5 A path that is led to the object before the end is notified at the end, on whatever thread",
        arguments: [true, false])
    func path(isOnAnotherThread: Bool) {
        let holder = Holder()
        let token = holder.observe(\.meter?.level, options: [.old, .new]) { [log] in log.add($1, as: "path") }
        meter.willChangeValue(for: \.level)
        if isOnAnotherThread {
            let (holder, meter) = (Unchecked(value: holder), Unchecked(value: meter))
            onThreads(1) { _ in holder.value.meter = meter.value }
        } else {
            holder.meter = meter
        }
        #expect(log.take() == ["path nil→0"])
        meter.raw = 1
        meter.didChangeValue(for: \.level)
        #expect(log.take() == ["path 0→1"])
        meter.level = 2
        #expect(log.take() == ["path 1→2"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.5 A pair inside the announced one belongs to it, whether or not somebody registers in between",
        arguments: [true, false])
    func nested(isObserved: Bool) {
        meter.willChangeValue(for: \.level)
        let token = isObserved ? observe(\.level, as: "level") : nil
        meter.willChangeValue(for: \.level)
        let late = observe(\.level, as: "late")
        meter.raw = 1
        meter.didChangeValue(for: \.level)
        meter.raw = 2
        meter.didChangeValue(for: \.level)
        #expect(log.take() == [])
        meter.level = 3
        #expect(log.take() == (isObserved ? ["level 2→3", "late 2→3"] : ["late 2→3"]))
        withExtendedLifetime((token, late)) {}
    }

    @Test("3.5 Several properties announced one after the other, and ended in any order")
    func several() {
        meter.willChangeValue(for: \.level)
        meter.willChangeValue(for: \.title)
        let tokens = [observe(\.level, as: "level"), observe(\.title, as: "title")]
        meter.didChangeValue(for: \.level)
        meter.title = "a"
        meter.didChangeValue(for: \.title)
        #expect(log.take() == [])
        meter.level = 1
        meter.title = "b"
        #expect(log.take() == ["level 0→1", "title a→b"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 A surplus end, one of another property, and one on another thread are ignored")
    func surplus() {
        meter.didChangeValue(for: \.level)
        meter.willChangeValue(for: \.level)
        meter.didChangeValue(for: \.title)
        let other = Unchecked(value: meter)
        onThreads(1) { _ in other.value.didChangeValue(for: \.level) }
        let token = observe(\.level, as: "level")
        meter.raw = 1
        meter.didChangeValue(for: \.level)
        meter.didChangeValue(for: \.level)
        #expect(log.take() == [])
        meter.level = 2
        #expect(log.take() == ["level 1→2"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.5 After the end of another property's change, or one on another thread, the change is still pending",
        arguments: [false, true])
    func stillPending(isOnAnotherThread: Bool) {
        meter.willChangeValue(for: \.level)
        if isOnAnotherThread {
            let other = Unchecked(value: meter)
            onThreads(1) { _ in other.value.didChangeValue(for: \.level) }
        } else {
            meter.didChangeValue(for: \.title)
        }
        let token = observe(\.level, as: "level")
        meter.level = 1
        #expect(log.take() == [])
        meter.didChangeValue(for: \.level)
        meter.level = 2
        #expect(log.take() == ["level 1→2"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 Two properties announced at a time are both free once both have ended")
    func bothEnded() {
        meter.willChangeValue(for: \.level)
        meter.willChangeValue(for: \.title)
        meter.didChangeValue(for: \.title)
        meter.didChangeValue(for: \.level)
        let tokens = [observe(\.level, as: "level"), observe(\.title, as: "title")]
        meter.level = 1
        meter.title = "a"
        #expect(log.take() == ["level 0→1", "title →a"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.2 The class is asked whether a property notifies automatically when somebody observes it, not before")
    func notAsked() {
        let asking = Asking()
        let other = Unchecked(value: asking)
        asking.changeValue(for: \.level) {
            onThreads(1) { _ in other.value.changeValue(for: \.level) {} }
        }
        #expect(Asking.questions.take() == [])
        let token = asking.observe(\.level) { _, _ in }
        #expect(!Asking.questions.take().isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test("3.5 A key path that a subclass writes ends what its superclass began, and the other way round")
    func subclass() {
        let meter = FineMeter()
        (meter as Meter).willChangeValue(for: \.level)
        meter.didChangeValue(for: \FineMeter.level)
        meter.willChangeValue(for: \FineMeter.level)
        (meter as Meter).didChangeValue(for: \.level)
        let token = meter.observe(\.level, options: [.old, .new]) { [log] in log.add($1) }
        meter.level = 1
        #expect(log.take() == ["0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 An announced change of a stored property speaks for the sets in it once somebody observes that")
    func stored() {
        meter.willChangeValue(for: \.title)
        let token = observe(\.title, as: "title")
        meter.title = "a"
        meter.didChangeValue(for: \.title)
        #expect(log.take() == [])
        meter.title = "b"
        #expect(log.take() == ["title a→b"])
        withExtendedLifetime(token) {}
    }
}

private class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var raw = 0
    @Observed var title = ""
    var level: Int {
        get {
            accessValue(for: \.level)
            return raw
        }
        set { changeValue(for: \.level) { raw = newValue } }
    }
}

private final class FineMeter: Meter {}

private final class Asking: KeyValueObservable {
    static let questions = Questions()
    let keyValueRegistrar = KeyValueRegistrar()
    var level: Int {
        accessValue(for: \.level)
        return 0
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        questions.add("asked")
        return false
    }
}

private final class Holder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var meter: Meter?
}
