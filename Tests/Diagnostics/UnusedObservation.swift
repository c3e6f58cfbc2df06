// expect: result of call to 'observe(_:options:fileID:line:changeHandler:)' is unused
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func observe(_ person: Person) { person.observe(\.age) { _, _ in } }
