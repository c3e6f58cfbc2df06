// A registration that the tracer knows.
import KeyValueObserving

/// A registration, and how often its handler was called while tracing was on.
struct KnownRegistration {
    var registered: EngineTrace.Registered
    let object: KeyValueTrace.Object?
    /// Where the figures of its line are kept.
    var handler: Int?
    var calls = Calls()

    init(_ registered: EngineTrace.Registered, on object: AnyObject?) {
        self.registered = registered
        self.object = object.map { KeyValueTrace.Object(typeName: TypeName.of($0), identity: ObjectIdentifier($0)) }
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

/// An object that is observed, which is not kept alive.
final class WeakObject {
    weak let object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}

/// What a property was last.
struct KnownValue {
    let text: String
    /// The number of the event after which it was so.
    let event: UInt64
    /// How often something was left out before: it may be what changed the property.
    private let leftOut = EngineTrace.leftOutCount

    /// Whether nothing was left out since.
    var isCertain: Bool { leftOut == EngineTrace.leftOutCount }
}
