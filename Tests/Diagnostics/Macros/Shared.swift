// Classes with shared properties, and what the compiler says of them: each part below is compiled with this head, and must
// draw the message of its first line (Scripts/test-diagnostics --macros).
import KeyValueObserving
import KeyValueObservingMacros

// expect: stored property 'limit' of 'Sendable'-conforming class 'Counter' is mutable
@KeyValueObservable
final class Counter: Sendable {
    var hits = 0
    @NotObserved var limit = 0
}

// expect: stored property '_limit' of 'Sendable'-conforming class 'Counter' is mutable
final class Counter: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @KeyValueShared var hits = 0
    @Observed var limit = 0
}

// expect: (it compiles)
@KeyValueObservable
final class Counter: Sendable {
    var hits = 0
    private(set) var names: [String] = []
    func add(_ name: String) async { names.append(name) }
}

// expect: a shared property runs no willSet and didSet: write @ObservedShared, and @unchecked Sendable for the class
@KeyValueObservable
final class Counter: Sendable {
    var hits = 0 { didSet { print(hits) } }
}

// expect: a weak or unowned property cannot be shared: make it a constant
@KeyValueObservable
final class Counter: Sendable {
    weak var next: Counter?
}

// expect: class 'Counter' has no initializers
@KeyValueObservable
final class Counter: Sendable {
    var hits: Int
}

// expect: type 'Model' does not conform to the 'Sendable' protocol
final class Model {}
@KeyValueObservable
final class Counter: Sendable {
    var model = Model()
}
