// expect: cannot assign to property: 'value' is a get-only property
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private(set) var visits = 0
}

func intrude(on person: Person) { person.$visits.value = 99 }
