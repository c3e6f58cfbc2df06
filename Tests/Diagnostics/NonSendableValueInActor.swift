// expect: type 'Address' does not conform to the 'Sendable' protocol
import KeyValueObserving

final class Address {
    var city = ""
}

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var address = Address()
}

actor Screen {}

func observe(_ person: Person, in screen: Screen) -> KeyValueObservation {
    person.observe(\.address, on: screen) { _, _ in }
}
