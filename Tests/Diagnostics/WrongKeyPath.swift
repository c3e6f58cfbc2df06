// expect: value of type 'Person' has no member 'agee'
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func observe(_ person: Person) -> KeyValueObservation { person.observe(\.agee) { _, _ in } }
