// expect: conform to KeyValueChangeExecutor; for a dispatch queue import the product KeyValueObservingDispatch
import Dispatch
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func watch(_ person: Person) -> KeyValueObservation {
    person.observe(\.age, options: .new, on: DispatchQueue.main) { change in print(change) }
}
