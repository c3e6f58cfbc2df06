// expect: no exact matches in call to instance method 'append'
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private(set) var tags: [String] = []
}

func intrude(on person: Person) { person.$tags.append("intruder") }
