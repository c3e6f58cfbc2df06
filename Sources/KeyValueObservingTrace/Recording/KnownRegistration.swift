// A registration that the tracer knows.
import KeyValueObserving

/// A registration, and how often its handler was called while tracing was on.
struct KnownRegistration {
    let number: UInt64
    /// What is observed.
    var keyPath: String
    /// For whom it was made, and its label.
    var observer: String?
    let fileID: String
    let line: UInt
    let object: KeyValueTrace.Object?
    /// Whether it was made while tracing was on.
    var isNew = false
    /// Where the figures of its line are kept.
    var handler: Int?
    var calls = Calls()

    init(_ registered: EngineTrace.Registered, on object: AnyObject?) {
        number = registered.number
        keyPath = registered.keyPath
        observer = registered.observer
        fileID = registered.fileID
        line = registered.line
        self.object = object.map(KeyValueTrace.Object.init)
    }

    /// One that an object lists.
    init(_ info: KeyValueObservationInfo, number: UInt64, on object: AnyObject) {
        self.number = number
        keyPath = info.keyPath
        observer = EngineTrace.text(of: info.observer, labeled: info.label)
        fileID = info.fileID
        line = info.line
        self.object = KeyValueTrace.Object(object)
    }
}

/// How often something was called, and how long it took.
struct Calls {
    var count = 0
    var total = Duration.zero
    var longest = Duration.zero

    mutating func add(_ duration: Duration) {
        count += 1
        total += duration
        longest = max(longest, duration)
    }
}

/// An object that the tracer has met, which is not kept alive.
///
/// The lock of what was recorded guards what changes.
final class KnownObject {
    weak let object: AnyObject?
    let name: KeyValueTrace.Object
    /// Tells it from others of its class.
    let number: Int
    /// The order of its last change.
    var lastChange = Order.next()
    /// Whether the registrations are known that were made before.
    var isListed = false

    init(_ object: AnyObject, _ name: KeyValueTrace.Object, number: Int) {
        self.object = object
        self.name = name
        self.number = number
    }
}
