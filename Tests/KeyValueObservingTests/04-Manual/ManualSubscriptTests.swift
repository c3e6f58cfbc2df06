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

    @Test("4.1 3.5 Pairs of two arguments may overlap, and each is delivered when its change ends")
    func overlapping() {
        let tokens = [
            mixer.observe(\.["volume"], options: [.old, .new, .prior]) { log.add($1, as: "volume") },
            mixer.observe(\.["brightness"], options: [.old, .new, .prior]) { log.add($1, as: "brightness") },
        ]
        mixer.willChangeValue(for: \.["volume"])
        mixer.willChangeValue(for: \.["brightness"])
        mixer.levels = ["volume": 1, "brightness": 2]
        mixer.didChangeValue(for: \.["volume"])
        #expect(log.take() == ["volume prior 0→·", "brightness prior 0→·", "volume 0→1"])
        mixer.didChangeValue(for: \.["brightness"])
        #expect(log.take() == ["brightness 0→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 3.5 A change that never ends holds up its own argument and no other")
    func leftOpen() {
        let tokens = [
            mixer.observe(\.["volume"], options: [.old, .new]) { log.add($1, as: "volume") },
            mixer.observe(\.["brightness"], options: [.old, .new]) { log.add($1, as: "brightness") },
        ]
        mixer.willChangeValue(for: \.["volume"])
        mixer["brightness"] = 2
        #expect(log.take() == ["brightness 0→2"])
        mixer.didChangeValue(for: \.["volume"])
        #expect(log.take() == ["volume 0→0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 Computed properties and paths follow the arguments that they read")
    func readByOthers() {
        let studio = Studio()
        studio.mixer = mixer
        let tokens = [
            mixer.observe(\.loudness, options: [.old, .new]) { log.add($1, as: "loudness") },
            studio.observe(\.mixer?["brightness"], options: [.old, .new]) { log.add($1, as: "path") },
        ]
        mixer["volume"] = 1
        mixer["brightness"] = 2
        mixer["bass"] = 3
        mixer["other"] = 4
        #expect(log.take() == ["loudness 0→1", "path 0→2", "loudness 1→4"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 One identity in all subclasses, for each argument")
    func subclasses() {
        let mixer = LoudMixer()
        let tokens = [
            mixer.observe(\LoudMixer.["volume"], options: .new) { log.add($1, as: "derived") },
            (mixer as Mixer).observe(\Mixer.["volume"], options: .new) { log.add($1, as: "base") },
            mixer.observe(\LoudMixer.["bass"], options: .new) { log.add($1, as: "bass") },
        ]
        mixer["volume"] = 1
        #expect(log.take() == ["derived ·→1", "base ·→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 A generic subscript hands each type's values to that type's observers")
    func genericSubscript() async {
        await #expect(processExitsWith: .success) {
            let (attributes, log) = (Attributes(), Log())
            let tokens = [
                attributes.observe(\.[Attributes.Key<String>()], options: [.old, .new]) { log.add($1, as: "text") },
                attributes.observe(\.[Attributes.Key<Int>()], options: [.old, .new]) { log.add($1, as: "number") },
                attributes.observe(\.[Attributes.Key<[Int]>()], options: [.old, .new]) { log.add($1, as: "list") },
            ]
            attributes[Attributes.Key<Int>()] = 7
            attributes[Attributes.Key<String>()] = "a text that is too long to be kept in two words"
            attributes[Attributes.Key<[Int]>()] = [1, 2]
            #expect(
                log.take() == [
                    "number nil→7", "text nil→a text that is too long to be kept in two words", "list nil→[1, 2]",
                ])
            attributes[Attributes.Key<Int>()] = nil
            #expect(log.take() == ["number 7→nil"])
            withExtendedLifetime(tokens) {}
        }
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
    var loudness: Int { self["volume"] + self["bass"] }
}

private final class LoudMixer: Mixer {}

private final class Studio: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var mixer: Mixer?
}

/// Has one value of each type.
private final class Attributes: KeyValueObservable {
    struct Key<Value>: Hashable {}

    let keyValueRegistrar = KeyValueRegistrar()
    private var values: [ObjectIdentifier: Any] = [:]

    subscript<Value>(key: Key<Value>) -> Value? {
        get {
            accessValue(for: \.[key])
            return values[ObjectIdentifier(Value.self)] as? Value
        }
        set {
            willChangeValue(for: \.[key])
            values[ObjectIdentifier(Value.self)] = newValue
            didChangeValue(for: \.[key])
        }
    }
}
