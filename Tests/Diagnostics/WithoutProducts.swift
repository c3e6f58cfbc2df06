// Misuse for want of a product: each part below is compiled with this head, and must draw the message of its first line.
import Dispatch
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

// expect: 'addObserver(_:for:options:changeHandler:)' is unavailable: import the product KeyValueObservingStyles
func watch(_ person: Person, _ screen: AnyObject) {
    person.addObserver(screen, for: [\.age]) { screen, person, change in print(change) }
}

// expect: write a list, for: [\.a], and import the product KeyValueObservingStyles
func watch(_ person: Person, _ screen: AnyObject) {
    person.addObserver(screen, for: \.age) { screen, person, change in print(change) }
}

// expect: type 'Any' has no member 'main'
func watch(_ person: Person) -> KeyValueObservation {
    person.changes(of: \.age, options: .new).deliver(on: .main) { change in print(change) }
}

// expect: cannot convert value of type 'String' to expected argument type 'KeyPath<Person, Value>'
func watch(_ person: Person) -> KeyValueObservation { person.observe("age") { person, change in print(change) } }

// expect: cannot convert value of type 'String' to expected argument type 'KeyPath<Person, Value>'
func watch(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, "age") { observer, person, change in print(change) }
}

// expect: for a dispatch queue import the product KeyValueObservingDispatch
func watch(_ person: Person) -> KeyValueObservation {
    person.changes(of: \.age, options: .new).deliver(on: DispatchQueue.main) { change in print(change) }
}
