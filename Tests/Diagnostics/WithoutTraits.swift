// Misuse for want of a trait: each part below is compiled with this head, and must draw the message of its first line.
import KeyValueInspector
import KeyValueObserving
import KeyValueObservingCombine
import KeyValueObservingMacros

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

// expect: 'KeyValueInspector' is unavailable: enable the package's trait: .package(url: …, from: …, traits: [.defaults, "Inspector"])
func inspect() { KeyValueInspector.start(port: 4777) }

// expect: 'publisher(for:options:)' is unavailable: enable the package's trait: .package(url: …, from: …, traits: [.defaults, "OpenCombine"])
let token = Person().publisher(for: \.age).map { $0 + 1 }.sink { print($0) }

// expect: 'publisher(for:options:)' is unavailable: enable the package's trait
func watch(_ person: Person) { _ = person.publisher(for: \.age, options: [.initial, .new]) }

// expect: swift:14:1: error: enable the package's trait: .package(url: …, from: …, traits: [.defaults, "Macros"])
/// A comment that names @MainActor.
@KeyValueObservable
final class Counter {
    var count = 0
}

// expect: error: enable the package's trait: .package(url: …, from: …, traits: [.defaults, "Macros"])
final class Counter: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @KeyValueShared var count = 0
}

// expect: error: enable the package's trait: .package(url: …, from: …, traits: [.defaults, "Macros"])
@KeyValueCallbacks
final class Screen {
    @WhenChanged(\Person.age) func ageDidChange(_ new: Int) {}
}
