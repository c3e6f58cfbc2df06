// Which class answers for an inherited property, and when: 4.2 and 5.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.2 5.1 Answers of a subclass")
struct SubclassAnswerTests {
    private let watcher = Watcher()

    /// The deliveries of two shapes with the same declarations, of which one inherits them.
    private func told<Object: KeyValueObservable>(
        _ shape: Object, _ width: ReferenceWritableKeyPath<Object, Int>,
        _ unit: ReferenceWritableKeyPath<Object, String>, _ label: KeyPath<Object, String>
    ) -> [String] {
        watcher.watch(shape, width)
        watcher.watch(shape, label)
        (shape[keyPath: width], shape[keyPath: unit]) = (1, "cm")
        return watcher.log.take()
    }

    @Test("4.2 5.1 C7 An override is called if the conforming class declares a class function, and only then (#157)")
    func asked() {
        #expect(told(UnaskedShape(), \.width, \.unit, \.label) == ["0→1"])
        #expect(told(AskedShape() as AnsweringShape, \.width, \.unit, \.label) == ["shape→shape"])
        // However it is written, the class is asked about a stored property as its declaring class writes it.
        let shape = AskedShape()
        watcher.watch(shape, \.width)
        shape.width = 1
        #expect(watcher.log.take() == [])
    }

    @Test("4.2 The class's function about automatic notification is called at the first registration, not before")
    func askedWhenObserved() {
        let asking = Asking()
        let other = Unchecked(value: asking)
        asking.changeValue(for: \.level) {
            onThreads(1) { _ in other.value.changeValue(for: \.level) {} }
        }
        #expect(Asking.questions.take() == [])
        watcher.watch(asking, \.level)
        #expect(!Asking.questions.take().isEmpty)
    }

    // #323
    @Test("5.1 The answer of a class that sets or observes a manual property in its function counts afterwards")
    func meanwhile() {
        let (shared, watched) = (SharedMeter(), WatchedMeter())
        watcher.watch(shared, \.doubled)
        watcher.watch(watched, \.doubled)
        (shared.scale, watched.scale) = (2, 2)
        #expect(watcher.log.take() == ["0→0", "0→0"])
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
