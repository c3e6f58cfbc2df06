// An observer that controllers call.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport

final class Screen: KeyValueObserver {
    let log = Log()

    func redraw() { log.add("redraw") }

    func ageDidChange(_ change: KeyValueObservedChange<Int>) { log.add(change) }

    func ageChanged(_ change: KeyValueObservedChange<Int>, of person: Person) {
        log.add(text(of: change) + " of \(person.age)")
    }

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        let names: [AnyKeyPath: String] = [\Person.age: "age", \Person.address: "address", \Person.name: "name"]
        log.add("\(names[keyPath] ?? "?") \(text(of: change)) \(String(describing: context))")
    }
}
