// How changes were delivered elsewhere before there were sequences: each part below is compiled with this head, and must draw
// the message of its first line.
import KeyValueObserving

final class Person: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name = ""
}

actor Screen {
    var ages: [Int] = []
}

final class Label {
    var text = ""
}

struct Loop: KeyValueChangeExecutor {
    func execute(_ job: @escaping @Sendable () -> Void) {}
}

// expect: write changes(of: \.a).deliver(on: queue) { change in }; for an actor, deliver(to:)
func observe(_ person: Person) -> KeyValueObservation {
    person.observe(\.age, options: [.old, .new], on: Loop()) { change in print(change.requiredNewValue + 1) }
}

// expect: write changes(of: \.a).deliver(to: actor) { actor, change in }
func observe(_ person: Person, in screen: Screen) -> KeyValueObservation {
    person.observe(\.age, options: .new, on: screen) { screen, change in screen.ages.append(change.requiredNewValue) }
}

// expect: write changes(of: \.a).deliverOnMainActor { change in }
func observe(_ person: Person) -> KeyValueObservation {
    person.observeOnMainActor(\.age) { change in print(change.requiredNewValue + 1) }
}

// expect: write transitions(of: \.a).deliver(on: queue) { old, new in }
func observe(_ person: Person) -> KeyValueObservation {
    person.onChange(of: \.age, on: Loop()) { old, new in print(old + new) }
}

// expect: write transitions(of: \.a).deliver(to: actor) { actor, change in }
func observe(_ person: Person, in screen: Screen) -> KeyValueObservation {
    person.onChange(of: \.age, on: screen) { screen, old, new in screen.ages.append(new - old) }
}

// expect: write transitions(of: \.a).deliverOnMainActor { old, new in }
func observe(_ person: Person) -> KeyValueObservation {
    person.onChangeOnMainActor(of: \.age, initial: true) { old, new in print(old + new) }
}

// expect: write object.changes(of: \.a) or .transitions(of: \.a), and .deliver(on: queue, by: kvo), (to:by:)
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observe(person, \.age, on: Loop()) { observer, change in print(change.requiredNewValue + observer.age) }
}

// expect: write object.changes(of: \.a) or .transitions(of: \.a), and .deliver(on: queue, by: kvo), (to:by:)
func observe(_ person: Person, _ kvo: KVOController<Person>, in screen: Screen) {
    kvo.observe(person, \.age, on: screen) { observer, screen, change in screen.ages.append(change.requiredNewValue) }
}

// expect: write object.changes(of: \.a) or .transitions(of: \.a), and .deliver(on: queue, by: kvo), (to:by:)
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.observeOnMainActor(person, \.age, options: .new) { observer, change in print(observer.age, change) }
}

// expect: write object.changes(of: \.a) or .transitions(of: \.a), and .deliver(on: queue, by: kvo), (to:by:)
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.onChange(of: person, \.age, on: Loop()) { observer, old, new in print(observer.age, old + new) }
}

// expect: write object.changes(of: \.a) or .transitions(of: \.a), and .deliver(on: queue, by: kvo), (to:by:)
func observe(_ person: Person, _ kvo: KVOController<Person>) {
    kvo.onChangeOnMainActor(of: person, \.age) { observer, old, new in print(observer.age, old + new) }
}

// What is written instead.
// expect: (it compiles)
func observe(_ person: Person, _ kvo: KVOController<Screen>, in screen: Screen) -> [KeyValueObservation] {
    person.changes(of: \.age).deliver(on: Loop(), by: kvo) { observer, change in print(observer, change) }
    person.changes(of: \.age).deliver(to: screen, by: kvo) { screen, observer, change in print(observer, change) }
    person.changes(of: \.age).deliverOnMainActor(by: kvo) { observer, change in print(observer, change) }
    return [
        person.changes(of: \.age).deliver(on: Loop()) { change in print(change.requiredNewValue + 1) },
        person.changes(of: \.age).deliver(on: Loop()) { change in await Task.yield() },
        person.changes(of: \.age).deliver(to: screen) { screen, change in screen.ages.append(change.requiredNewValue) },
        person.transitions(of: \.age).deliver(on: Loop()) { old, new in print(old + new) },
        person.transitions(of: \.age).deliver(to: screen) { screen, change in screen.ages.append(change.old) },
        person.transitions(of: \.age).deliverOnMainActor { old, new in print(old + new) },
        person.bind(reading: { person in "\(person.age)" }, to: Label(), \.text),
        person.observe(keyPaths: [\.age, \.name]) { object, change in print(object, change) },
    ]
}
