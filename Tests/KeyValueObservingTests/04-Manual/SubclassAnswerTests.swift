// Which class answers for an inherited property, and when: 4.2 and 5.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.2 5.1 Answers of a subclass")
struct SubclassAnswerTests {
    private let log = Log()

    private func tokens(on shape: some Shape) -> [KeyValueObservation] {
        [
            shape.observe(\.width, options: .new) { log.add($1, as: "width") },
            shape.observe(\.label, options: .new) { log.add($1, as: "label") },
        ]
    }

    private func tokens(on shape: AnsweringShape) -> [KeyValueObservation] {
        [
            shape.observe(\.width, options: .new) { log.add($1, as: "width") },
            shape.observe(\.label, options: .new) { log.add($1, as: "label") },
        ]
    }

    @Test("4.2 5.1 A static function is never asked where the conforming class declares none")
    func neverAsked() {
        let shape = UnaskedShape()
        let tokens = tokens(on: shape)
        shape.width = 1
        shape.unit = "cm"
        #expect(log.take() == ["width ·→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "4.2 5.1 An override is asked where the conforming class declares a class function")
    func asked() {
        let shape = AskedShape()
        let tokens = tokens(on: shape)
        shape.width = 1
        shape.unit = "cm"
        #expect(log.take() == ["label ·→shape"])
        withExtendedLifetime(tokens) {}
    }
}

@Suite("5.1 Answers that take a while")
struct AnswerTests {
    @Test(
        "5.1 A class that sets a manual property while it is asked about it is taken at its word afterwards")
    func settingMeanwhile() {
        let (meter, log) = (SharedMeter(), Log())
        let token = meter.observe(\.doubled, options: [.old, .new]) { log.add($1) }
        meter.scale = 2
        #expect(log.take() == ["0→0"])
        withExtendedLifetime(token) {}
    }

    // #323
    @Test(
        "5.1 So is one that observes meanwhile what reads the property")
    func observingMeanwhile() {
        let (meter, log) = (WatchedMeter(), Log())
        let token = meter.observe(\.doubled, options: [.old, .new]) { log.add($1) }
        meter.scale = 2
        #expect(log.take() == ["0→0"])
        withExtendedLifetime(token) {}
    }
}

/// Makes and observes its shared meter when it is asked about the reading for the first time.
private final class WatchedMeter: KeyValueObservable {
    private static let shared = Unchecked(value: WatchedMeter(isWatched: true))

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var scale = 1
    var doubled: Int { reading * 2 }
    private var token: KeyValueObservation?

    init(isWatched: Bool = false) {
        if isWatched { token = observe(\.doubled) { _, _ in } }
    }

    var reading: Int {
        accessValue(for: \.reading)
        return 0
    }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        guard keyPath == \WatchedMeter.reading, shared.value.token != nil else { return [] }
        return [\WatchedMeter.scale]
    }
}

/// Makes its shared meter when it is asked about the reading for the first time.
private final class SharedMeter: KeyValueObservable {
    static let shared = Unchecked(value: SharedMeter(reading: 1))

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var scale = 1
    private var stored = 0
    var doubled: Int { reading * 2 }

    init(reading: Int = 0) {
        if reading > 0 { self.reading = reading }
    }

    var reading: Int {
        get {
            accessValue(for: \.reading)
            return stored
        }
        set {
            changeValue(for: \.reading) { stored = newValue }
        }
    }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        guard keyPath == \SharedMeter.reading, shared.value.reading >= 0 else { return [] }
        return [\SharedMeter.scale]
    }
}

private class Shape: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var width = 0
    @Observed var unit = "mm"
    @Observed private var name = "shape"
    var label: String { name }
}

private final class UnaskedShape: Shape {
    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Shape.width }
    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Shape.label ? [\Shape.unit] : []
    }
}

private class AnsweringShape: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var width = 0
    @Observed var unit = "mm"
    @Observed private var name = "shape"
    var label: String { name }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { true }
    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }
}

private final class AskedShape: AnsweringShape {
    override class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \AnsweringShape.width && super.automaticallyNotifiesObservers(for: keyPath)
    }
    override class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        let inherited = super.keyPathsAffectingValue(for: keyPath)
        return keyPath == \AnsweringShape.label ? inherited.union([\AnsweringShape.unit]) : inherited
    }
}
