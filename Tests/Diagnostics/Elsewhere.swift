// Sequences, and what takes them: each part below is compiled with this head, and must draw the message of its first line.
import KeyValueObserving

final class Person: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name = ""
    @Observed var photo = Photo()
}

struct Photo: Sendable {}

actor Screen {
    var ages: [Int] = []
}

final class Label {
    var text = ""
}

struct Loop: KeyValueChangeExecutor {
    func execute(_ job: @escaping @Sendable () -> Void) {}
}

// expect: requires that 'Photo' conform to 'Equatable'
func follow(_ person: Person) -> KeyValueSequence<Photo> { person.values(of: \.photo).removeDuplicates() }

// Changes are no values.
// expect: requires that 'KeyValueObservedChange<Int>' conform to 'Equatable'
func follow(_ person: Person) async {
    for await _ in person.changes(of: \.age).removeDuplicates() {}
}

// expect: has no member 'agee'
func follow(_ person: Person) -> KeyValueSequence<Int> { person.values(of: \.agee) }

// expect: value of type 'KeyValueObservedChange<Int>' has no member 'newest'
func observe(_ person: Person) -> KeyValueObservation {
    person.changes(of: \.age).deliver(on: Loop()) { change in print(change.newest) }
}

// expect: (it compiles)
func observe(_ person: Person, _ kvo: KVOController<Screen>, in screen: Screen) -> [KeyValueObservation] {
    person.changes(of: \.age).deliver(on: Loop()) { change in print(change) }.store(in: kvo)
    var tokens = [
        person.changes(of: \.age).buffer(policy: .bufferingNewest(1)).deliver(on: Loop()) { await screen.note($0) },
        person.values(of: \.age).removeDuplicates().labeled("age").deliver(to: screen) { $0.ages.append($1) },
        person.values(reading: { ($0.age, $0.name) }).deliverOnMainActor { age, name in print(age, name) },
        person.bind(reading: { person in "\(person.age)" }, to: Label(), \.text),
        person.observe(keyPaths: [\.age, \.name]) { object, change in print(object, change) },
    ]
    person.observe(\.age) { _, _ in }.store(in: &tokens)
    return tokens
}

extension Screen {
    func note(_ change: KeyValueObservedChange<Int>) { ages.append(change.requiredNewValue) }
}
