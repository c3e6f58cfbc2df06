// expect: cannot convert value of type 'ReferenceWritableKeyPath<Person, Int>' to expected argument type 'ReferenceWritableKeyPath<Person, Clamped>'
import KeyValueObserving

@propertyWrapper
struct Clamped {
    var wrappedValue: Int
}

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed @Clamped var age = 0
}
