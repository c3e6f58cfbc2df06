// expect: this property cannot be set here, so no view that changes it can be made
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private(set) var tags: [String] = []
}

func intrude(on person: Person) { person.mutable(\.tags).append("intruder") }
