// Misuse, and what the compiler says of it: each part below is compiled with this head, and must draw the message of its
// first line (Scripts/test-diagnostics).
import KeyValueObserving
import KeyValueObservingStyles

final class Plain {
    var age = 0
    @Observed var x = 0
}

final class Address {
    var city = ""
}

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var address = Address()
    @Observed private(set) var tags: [String] = []
}

final class Family: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var members: [Person] = []
}

actor Screen {}

// expect: requires that 'Screen' conform to 'KeyValueObserver'
func observe(_ person: Person, _ screen: Screen) {
    KVOController(observer: screen).observe(person, \.age, context: nil)
}

// expect: write changeHandler: before the handler, or pass it as a trailing closure
func observe(_ person: Person) { KVOController(observer: person).observe(person, \.age, { _, _, _ in }) }

// expect: write changeHandler: before the handler, or pass it as a trailing closure
let token = Person().observe(\.age, { _, _ in })

// A13
// expect: value of type 'Plain' has no member 'observe'
let token = Plain().observe(\.age) { _, _ in }

// expect: requires that 'Plain' conform to 'KeyValueObservable'
func read(_ plain: Plain) -> Int { plain.x }

// expect: capture of 'log' with non-Sendable type 'Address' in a '@Sendable' closure
func observe(_ person: Person, in screen: Screen, _ log: Address) -> KeyValueObservation {
    person.changes(of: \.age).deliver(to: screen) { _, change in log.city = "\(change)" }
}

// expect: type 'Address' does not conform to the 'Sendable' protocol
func observe(_ person: Person, in screen: Screen) -> KeyValueObservation {
    person.changes(of: \.address).deliver(to: screen) { _, _ in }
}

// expect: type 'Address' does not conform to the 'Sendable' protocol
func follow(_ person: Person) async {
    for await _ in person.values(of: \.address) {}
}

// expect: this property cannot be set here, so no view that changes it can be made
func intrude(on person: Person) { person.mutable(\.tags).append("intruder") }

// expect: an actor cannot be observed, because there are no key paths to its properties; let it own an object that can, or isolate a class to a global actor
actor Counter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
}

// expect: @Observed works on instance properties of classes that conform to KeyValueObservable
struct Point {
    @Observed var x = 0
}

func read(_ point: Point) -> Int { point.x }

// expect: @Observed works on instance properties of classes
final class Settings: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed static var count = 0
}

// expect: stored property 'keyValueRegistrar' of 'Copyable'-conforming struct 'Size' has non-Copyable type
struct Size: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var width = 0
}

// expect: stored property '_count' of 'Sendable'-conforming class 'Tally' is mutable
final class Tally: KeyValueObservable, Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
}

// expect: 'KeyValueRegistrar' does not conform to 'Decodable'
final class Document: KeyValueObservable, Codable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""
}

// expect: initialization of immutable value 'token' was never used
func observe(_ person: Person) { let token = person.observe(\.age) { person, change in print(change) } }

// expect: cannot convert value of type 'ReferenceWritableKeyPath<Twice, Int>' to expected argument type 'ReferenceWritableKeyPath<Twice, Clamped>'
@propertyWrapper
struct Clamped {
    var wrappedValue: Int
}

final class Twice: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed @Clamped var age = 0
}

// expect: result of call to 'observe(_:options:fileID:line:changeHandler:)' is unused
func observe(_ person: Person) { person.observe(\.age) { _, _ in } }

// expect: value of type 'Person' has no member 'agee'
func observe(_ person: Person) -> KeyValueObservation { person.observe(\.agee) { _, _ in } }

// expect: value of type 'Person' has no member 'agee'
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, \.agee, options: .new) { _, _, _ in }
}

// expect: 'KeyValueChange' may have additional unknown values
func isOfElements(_ change: KeyValueChange) -> Bool {
    switch change {
    case .setting: false
    case .insertion, .removal, .replacement: true
    }
}

// expect: may have additional unknown values
func isBounded(_ policy: KeyValueBufferingPolicy) -> Bool {
    switch policy {
    case .unbounded: false
    case .bufferingNewest, .bufferingOldest, .finishing: true
    }
}

// expect: may have additional unknown values
func isFirst(_ policy: KVOController<Person>.DuplicatePolicy) -> Bool {
    switch policy {
    case .ignore, .replaceRepeated: true
    case .replace, .allow: false
    }
}

// expect: write a list: observe(keyPaths: [\.a, \.b])
func observe(_ person: Person) -> KeyValueObservation {
    person.observe(\.age, \.address, options: .new) { person, change in print(person.age, change) }
}

// expect: write a list: observe(object, keyPaths: [\.a, \.b])
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, \.age, \.address) { observer, person, change in print(observer.age, change) }
}

// expect: for an actor write deliver(to:)
func observe(_ person: Person, in screen: Screen) -> KeyValueObservation {
    person.changes(of: \.age).deliver(on: screen) { change in print(change) }
}

// expect: write initial: true; all other options are those of observe(_:options:)
func observe(_ person: Person) -> KeyValueObservation {
    person.onChange(of: \.age, options: [.initial]) { old, new in print(old + new) }
}

// expect: write initial: true; all other options are those of observe(_:_:options:)
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.onChange(person, \.age, options: .initial) { observer, old, new in print(observer.age, old + new) }
}

// expect: name the object first: onChange(object, \.a) { observer, old, new in }
func observe(_ kvo: KVOController<Person>) {
    kvo.onChange(of: \Person.age) { observer, old, new in print(observer.age, old + new) }
}

// expect: KeyValueObservable; write x, not _x.wrappedValue
final class Silent: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    func grow() { _age.wrappedValue = 1 }
}

// What does not compile for another reason still says which.
// expect: value of type 'KeyValueObservedChange<Int>' has no member 'newest'
func observe(_ person: Person) -> KeyValueObservation {
    person.observe(\.age) { person, change in print(change.newest) }
}

// expect: value of type 'KeyValueObservedChange<Int>' has no member 'newest'
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, \.age) { observer, person, change in print(change.newest) }
}

// expect: value of type 'KeyValueObservedChange<Int>' has no member 'newest'
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, reading: { $0.age }) { observer, person, change in print(change.newest) }
}

// expect: value of type 'Int' has no member 'newest'
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.onChange(person, \.age) { observer, old, new in print(new.newest) }
}

// expect: value of type 'KeyValueObservedChange<Int>' has no member 'newest'
func observe(_ family: Family) -> KeyValueObservation {
    family.observe(eachOf: \.members, \.age) { family, person, change in print(change.newest) }
}

// expect: value of type 'KeyValueObservedChange<Int>' has no member 'newest'
func observe(_ family: Family, _ kvo: KVOController<Person>) {
    kvo.observe(family, eachOf: \.members, \.age) { observer, family, person, change in print(change.newest) }
}

// expect: expects 4 arguments, but 3 were used in closure body
func observe(_ family: Family, _ kvo: KVOController<Person>) {
    kvo.observe(family, eachOf: \.members, \.age) { family, person, change in print(change) }
}

// expect: requires that 'Address' conform to 'Equatable'
func observe(_ person: Person) -> KeyValueObservation { person.onChange(of: \.address) { old, new in print(old, new) } }

// expect: expects 2 arguments, but 1 was used in closure body
func observe(_ person: Person) -> KeyValueObservation { person.observe(\.age) { change in print(change) } }
