// Misuse with key-value coding: each part below is compiled with this head, and must draw the message of its first line.
import KeyValueCoding
import KeyValueObserving

final class Person: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0

    static var keyPathsByKey: [String: AnyKeyPath] { ["age": \Person.age] }
}

// A key path with a typo: the compiler prefers the call that takes a string.
// expect: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'String'
func observe(_ person: Person) -> KeyValueObservation { person.observe(\.agee) { person, change in print(change) } }

// expect: value of type 'Person' has no member 'agee'
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, \.agee) { observer, person, change in print(change) }
}
