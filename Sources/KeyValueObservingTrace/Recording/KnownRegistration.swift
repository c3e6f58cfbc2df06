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
