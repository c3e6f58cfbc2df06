// Classes with shared properties, and what the compiler says of them: each part below is compiled with this head, and must
// draw the message of its first line (Scripts/test-diagnostics --macros).
import KeyValueObserving
import KeyValueObservingMacros

// expect: stored property '_limit' of 'Sendable'-conforming class 'Counter' is mutable
@KeyValueObservable
final class Counter: Sendable {
    @ObservedShared var hits = 0
    var limit = 0
}

// expect: class 'Counter' has no initializers
@KeyValueObservable
final class Counter: Sendable {
    @ObservedShared var hits: Int
}

// expect: type 'Model' does not conform to the 'Sendable' protocol
final class Model {}
@KeyValueObservable
final class Counter: Sendable {
    @ObservedShared var model = Model()
}
