// expect: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type '[PartialKeyPath<Person>]'
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func observe(_ person: Person) -> KeyValueObservation { person.observe(\.agee) { _, _ in } }
