// expect: cannot convert value of type 'String' to expected argument type 'KeyPath<Person, Value>'
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func watch(_ person: Person) -> KeyValueObservation {
    person.observe("age", options: [.old, .new]) { person, change in print(change) }
}
