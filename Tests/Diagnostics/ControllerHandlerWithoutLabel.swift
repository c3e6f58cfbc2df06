// expect: write changeHandler: before the handler, or pass it as a trailing closure
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

let person = Person()
KVOController(observer: person).observe(person, \.age, { _, _, _ in })
