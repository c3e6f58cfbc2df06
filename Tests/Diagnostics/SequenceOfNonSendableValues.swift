// expect: type 'Address' does not conform to the 'Sendable' protocol
import KeyValueObserving

final class Address {
    var city = ""
}

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var address = Address()
}

func follow(_ person: Person) async {
    for await _ in person.values(of: \.address) {}
}
