// expect: value of type 'Person' has no member 'observe'
import KeyValueObserving

final class Person {
    var age = 0
}

let token = Person().observe(\.age) { _, _ in }
