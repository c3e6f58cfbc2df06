// expect: requires that 'Screen' conform to 'KeyValueObserver'
import KeyValueObserving
import KeyValueObservingStyles

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

final class Screen {}

func observe(_ person: Person, _ screen: Screen) {
    KVOController(observer: screen).observe(person, \.age, context: nil)
}
