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

    // #142
    @Test("3.5 Who registers between is not notified at the end, and is notified of the next change")
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
}

private class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var raw = 0
    var level: Int {
        get {
            accessValue(for: \.level)
            return raw
        }
        set { changeValue(for: \.level) { raw = newValue } }
    }
}

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
