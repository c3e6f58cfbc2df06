// A manual change that never ends, and what is read inside `willChangeValue` and `didChangeValue`: 3.5 and 4.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 A change that never ends")
struct OpenWillTests {
    private let log = Log()

    @Test("3.5 It does not keep the object", arguments: [false, true])
    func object(isPath: Bool) {
        weak var weakDoor: Door?
        let token: KeyValueObservation
        do {
            let door = Door()
            weakDoor = door
            token = isPath ? door.observe(\.next?.angle) { _, _ in } : door.observe(\.angle) { _, _ in }
            if isPath { door.willChangeValue(for: \.next) } else { door.willChangeValue(for: \.angle) }
        }
        #expect(weakDoor == nil && token.isInvalidated)
    }

    @Test("3.5 It does not keep a handler whose registration ends")
    func handler() {
        final class Captured {}
        let door = Door()
        var captured: Captured? = Captured()
        weak let weakCaptured = captured
        let token = door.observe(\.angle, options: .old) { [captured] _, _ in _ = captured }
        captured = nil
        door.willChangeValue(for: \.angle)
        token.invalidate()
        #expect(weakCaptured == nil)
        withExtendedLifetime(door) {}
    }

    @Test("3.5 It silences nothing but its own key path, and that on its own thread only")
    func otherThreads() {
        let door = Door()
        let questions = Questions()
        let tokens = [
            door.observe(\.angle, options: [.old, .new]) { questions.add("angle " + text(of: $1)) },
            door.observe(\.width, options: [.old, .new]) { questions.add("width " + text(of: $1)) },
            door.observe(\.isOpen, options: [.old, .new]) { questions.add("isOpen " + text(of: $1)) },
        ]
        let shared = Unchecked(value: door)
        onThreads(1) { _ in shared.value.willChangeValue(for: \.angle) }
        door.angle = 1
        door.width = 2
        #expect(questions.take() == ["angle 0→1", "isOpen false→true", "width 0→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 After the object's death, those that come later are not silenced")
    func laterObjects() {
        for _ in 0..<1_000 {
            let door = Door()
            let token = door.observe(\.angle, options: [.old, .new]) { log.add($1) }
            door.angle = 1
            if log.take() != ["0→1"] {
                Issue.record("silenced")
                break
            }
            door.willChangeValue(for: \.angle)
            withExtendedLifetime(token) {}
        }
    }
}

@Suite("4.1 What is read inside willChangeValue or didChangeValue")
struct ReadingInPairsTests {
    private let log = Log()

    @Test("4.1 What a handler reads during a manual call is not what a getter around it depends on")
    func handlers() {
        let (door, other) = (Door(), Door())
        let tokens = [
            door.observe(\.uses, options: .prior) { _, _ in _ = other.angle },
            door.observe(\.counted, options: [.old, .new]) { log.add($1) },
        ]
        door.angle = 1
        #expect(log.take() == ["0→1"])
        other.angle = 5
        #expect(log.take() == [])
        door.angle = 2
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(tokens) {}
    }
}

private class Door: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var angle = 0
    @Observed var width = 0
    @Observed var next: Door?
    private var storedUses = 0
    var isOpen: Bool { angle > 0 }

    /// How often the angle was looked at, by whoever announces that.
    var uses: Int {
        accessValue(for: \.uses)
        return storedUses
    }

    var counted: Int {
        use()
        return angle
    }

    func use() {
        willChangeValue(for: \.uses)
        storedUses += 1
        didChangeValue(for: \.uses)
    }
}
