// expect: import KeyValueCoding and conform to KeyValueCodable to observe by name, or pass a key path, as in observe(\.age)
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func watch(_ person: Person) -> KeyValueObservation {
    person.observe("age", options: [.old, .new]) { person, change in print(change) }
}
