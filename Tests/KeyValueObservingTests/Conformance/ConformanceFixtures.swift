// What the conformance tests share: an object with every sort of property, and a watcher that logs what it gets.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport

/// The counterpart of the object that the suites of other implementations try everything on.
class Sample: KeyValueObservable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    let description: String

    @Observed var text: String? {
        didSet { echo = text.map { "(\($0))" } }
    }
    /// Stored, and kept up to date by `text`.
    @Observed private(set) var echo: String?
    @Observed var number: UInt32 = 0
    @Observed var triple = Triple()
    @Observed var child: Sample?
    @Observed var children: [String: Sample] = [:]
    @Observed var firstTrigger = false
    @Observed var secondTrigger = false
    /// Each of the two says that it is affected by the other.
    @Observed var left = 0
    @Observed var right = 0
    /// Does not notify by itself.
    @Observed var silent = 0

    var derived: String? { text.map { "!!!\($0)!!!" } }
    var twiceDerived: String? { derived.map { "---\($0)---" } }
    var bothTriggers: Bool {
        guard let child else { return false }
        return child.firstTrigger && child.secondTrigger
    }
    /// The same object again.
    var itself: Sample { self }

    init(_ description: String = "sample", text: String? = nil, child: Sample? = nil) {
        self.description = description
        self.text = text
        self.child = child
    }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \Sample.silent
    }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \Sample.left: [\Sample.right]
        case \Sample.right: [\Sample.left]
        default: []
        }
    }
}

struct Triple: Equatable {
    var first = 0
    var second = 0
    var third = 0
}

/// Its name's setter keeps something else than what it is given.
final class Renamed: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var storedName: String?
    @Observed var phone: String?

    var name: String? {
        get { storedName }
        set { storedName = newValue.map { "set_\($0)" } }
    }
    var bobName: String { "BOB! \(name ?? "")" }
    var twiceRemoved: String { "\(bobName) twice" }

    init(alreadyNamed name: String? = nil) { storedName = name }
}

/// Holds an object without keeping it alive, for properties that stand for a weak one.
struct WeakBox<Object: AnyObject> {
    weak var object: Object?
}

/// Observes on behalf of a test, and writes what it gets into one log.
final class Watcher {
    let log = Log()
    private var tokens: [KeyValueObservation] = []

    @discardableResult
    func watch<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, as name: String? = nil,
        _ options: KeyValueObservingOptions = []
    ) -> KeyValueObservation {
        let token = object.observe(keyPath, options: options) { [log] in log.add($1, as: name) }
        tokens.append(token)
        return token
    }

    /// What was delivered since the last call.
    func take() -> [String] { log.take() }

    func stop() { tokens = [] }
}

/// Counts what happens, such as evaluations of a getter.
final class Counter {
    private(set) var count = 0

    func add() { count += 1 }

    /// What was counted since the last call.
    func take() -> Int {
        defer { count = 0 }
        return count
    }
}

/// Observes through a controller and writes what it gets into a log.
final class Spectator: KeyValueObserver {
    let name: String
    let log: Log
    private(set) lazy var kvo = KVOController(observer: self)
    /// What was handed back with the last change.
    private(set) var lastContext: AnyHashable?
    private(set) var lastKeyPath: AnyKeyPath?
    private(set) var lastObject: AnyObject?

    init(_ name: String = "screen", log: Log = Log()) {
        self.name = name
        self.log = log
    }

    func redraw() { log.add("\(name) redraws") }

    func textDidChange(_ change: KeyValueObservedChange<String?>) { log.add(change, as: name) }

    func textDidChange(_ change: KeyValueObservedChange<String?>, of sample: Sample) {
        log.add(change, as: "\(name) \(sample)")
    }

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        log.add(change, as: context.map { "\(name) \($0)" } ?? name)
        lastContext = context
        lastKeyPath = keyPath
        lastObject = object
    }
}
