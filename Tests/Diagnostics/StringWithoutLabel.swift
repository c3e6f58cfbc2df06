// expect: write keyPath: before a key path that is a string
import KeyValueObserving

final class Person: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    static var keyPathsByKey: [String: AnyKeyPath] { ["age": \Person.age] }
}

let person = Person()
try KVOController(observer: person).observe(person, "age") { _, _, _ in }
