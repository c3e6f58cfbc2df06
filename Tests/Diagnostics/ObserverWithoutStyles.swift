// expect: 'addObserver(_:for:options:changeHandler:)' is unavailable: import the product KeyValueObservingStyles
import KeyValueObserving

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

func watch(_ person: Person, _ screen: AnyObject) {
    person.addObserver(screen, for: [\.age]) { screen, person, change in print(change) }
}
