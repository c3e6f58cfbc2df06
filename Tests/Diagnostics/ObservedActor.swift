// expect: an actor cannot be observed, because there are no key paths to its properties; let it own an object that can, or isolate a class to a global actor
import KeyValueObserving

actor Counter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
}
