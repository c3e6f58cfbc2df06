// The tracer's records of registrations, calls and objects.
import KeyValueObserving

/// A registration, and how often its handler was called while tracing was on.
struct KnownRegistration {
    let number: UInt64
    /// The key path or expression observed.
    var keyPath: String
    /// The observer that it was made for, and its label.
    var observer: String?
    let fileID: String
    let line: UInt
    let object: KeyValueTrace.Object?
    /// Whether it was made while tracing was on.
    var isNew = false
    /// The index of the figures of its line.
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

    /// A registration that an object lists.
    init(_ info: KeyValueObservationInfo, number: UInt64, on object: AnyObject) {
        self.number = number
        keyPath = info.keyPath
        observer = EngineTrace.text(of: info.observer, labeled: info.label)
        fileID = info.fileID
        line = info.line
        self.object = KeyValueTrace.Object(object)
    }
}

/// The count and duration of calls.
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

/// An object that the tracer has met, without a strong reference to it.
///
/// The lock of the recorder's contents guards the variables.
final class KnownObject {
    weak let object: AnyObject?
    let name: KeyValueTrace.Object
    /// The object's number among those of its class.
    let number: Int
    /// The order of its last change.
    var lastChange = Order.next()
    /// Whether its earlier registrations are known.
    var isListed = false

    init(_ object: AnyObject, _ name: KeyValueTrace.Object, number: Int) {
        self.object = object
        self.name = name
        self.number = number
    }
}
