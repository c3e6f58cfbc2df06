// Reflecting, dumping or describing any object of the library is always safe: 1.6.
import KeyValueObserving
import Testing

@Suite("1.6 Dumping and reflecting")
struct DumpTests {
    @Test("1.6 Tokens, controllers, views and objects may be dumped at any time", arguments: State.allCases)
    func dumping(state: State) async {
        await #expect(processExitsWith: .success) { [state] in
            var person: Person? = Person()
            person?.friend = Person()
            person?.address = Address(city: "Oslo")
            let screen = Screen()
            let controller = KVOController(observer: screen, retainsObserved: false)
            let tokens = [
                person!.observe(\.age, options: [.old, .new, .prior]) { _, _ in },
                person!.observe(\.address?.city, options: [.old, .new]) { person, change in
                    show(person)
                    show(change)
                },
                person!.observe(\.friend?.summary) { _, _ in },
                person!.observe(\.isAdult) { _, _ in },
            ]
            controller.observe(person, keyPaths: [\.age, \.address?.city, \.summary]) { _, person, _ in show(person) }
            person!.kvoController.observe(person!.friend, \.name) { _, _, _ in }
            switch state {
            case .quiet: break
            case .ended: for token in tokens { token.invalidate() }
            case .open: person!.willChangeValue(for: \.age)
            case .changed: person!.address?.city = "Rome"
            case .dead: person = nil
            case .deadWhileOpen:
                person!.willChangeValue(for: \.address)
                person = nil
            }
            for token in tokens { show(token) }
            show(controller)
            show(screen)
            if let person {
                show(person)
                show(person.kvoController)
                show(person.observationInfo)
                show(person.mutable(\.tags))
            }
            for token in tokens { _ = token.isInvalidated }
        }
    }

    enum State: CaseIterable, Codable, Sendable { case quiet, ended, open, changed, dead, deadWhileOpen }
}

/// Walks through all that a value shows of itself, in every way there is.
private func show<Value>(_ value: Value) {
    var text = String(describing: value) + String(reflecting: value)
    dump(value, to: &text)
    var left = 20_000
    func walk(_ mirror: Mirror, _ depth: Int) {
        for child in mirror.children where left > 0 && depth < 30 {
            left -= 1
            walk(Mirror(reflecting: child.value), depth + 1)
        }
        mirror.superclassMirror.map { walk($0, depth + 1) }
    }
    walk(Mirror(reflecting: value), 0)
}
