// expect: capture of 'log' with non-Sendable type 'Log' in a '@Sendable' closure
import KeyValueObserving

final class Log {
    var lines: [String] = []
}

final class Person: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
}

actor Screen {}

func observe(_ person: Person, in screen: Screen, _ log: Log) -> KeyValueObservation {
    person.observe(\.age, on: screen) { _, change in log.lines.append("\(change)") }
}
