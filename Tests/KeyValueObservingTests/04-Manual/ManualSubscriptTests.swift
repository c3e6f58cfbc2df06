// Subscripts that notify by hand: a property of its own for each argument, 4.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.1 Subscripts that notify by hand")
struct ManualSubscriptTests {
    private let mixer = Mixer()
    private let log = Log()

    @Test("4.1 Each argument of a subscript is a property of its own")
    func arguments() {
        let tokens = [
            mixer.observe(\.["volume"], options: [.old, .new]) { log.add($1, as: "volume") },
            mixer.observe(\.["brightness"], options: [.old, .new]) { log.add($1, as: "brightness") },
        ]
        mixer["volume"] = 1
        #expect(log.take() == ["volume 0→1"])
        mixer["brightness"] = 2
        #expect(log.take() == ["brightness 0→2"])
        mixer["other"] = 3
        #expect(log.take() == [])
        #expect(mixer.isObserved(\.["volume"]) && !mixer.isObserved(\.["other"]))
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 5.1 A computed property that comes to read another argument follows that one")
    func otherArgument() {
        let token = mixer.observe(\.chosen, options: [.old, .new]) { log.add($1) }
        mixer["bass"] = 2
        #expect(log.take() == [])
        mixer.isDeep = true
        #expect(log.take() == ["0→2"])
        mixer["bass"] = 3
        mixer["volume"] = 1
        #expect(log.take() == ["2→3"])
        withExtendedLifetime(token) {}
    }
}

private class Mixer: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var levels: [String: Int] = [:]

    subscript(name: String) -> Int {
        get {
            accessValue(for: \.[name])
            return levels[name] ?? 0
        }
        set {
            willChangeValue(for: \.[name])
            levels[name] = newValue
            didChangeValue(for: \.[name])
        }
    }

    @Observed var isDeep = false
    var chosen: Int { isDeep ? self["bass"] : self["volume"] }
}
