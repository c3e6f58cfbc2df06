// What a binding passes on, in the cases that come up seldom: 13.1, 13.2.
import KeyValueObserving
import Testing

@Suite("13 D13 What a binding passes on")
struct BindingDetailTests {
    private let left = Dial()
    private let right = Dial()

    @Test("13.1 2.3 The target gets the value that the observers got, and not one that the getter makes anew")
    func snapshot() {
        let seen = Guarded<[Dial.Mark]>([])
        let token = left.observe(\.mark, options: .new) { _, change in
            if let mark = change.newValue ?? nil { seen.withLock { $0.append(mark) } }
        }
        let binding = left.bind(\.mark, to: right, \.lastMark)
        left.value = 1
        #expect(seen.withLock { $0.count } == 1 && right.lastMark === seen.withLock { $0.last })
        withExtendedLifetime((token, binding)) {}
    }

    @Test("13.2 A value that is equal already is not set, also where it is written in another way")
    func equalAndDifferent() {
        let binding = left.bindBothWays(\.value, to: right, \.value)
        let sets = right.sets
        left.value = -0.0
        #expect(right.sets == sets && right.value.sign == .plus)
        withExtendedLifetime(binding) {}
    }

    @Test("13.2 An object that dies is bound to nothing, and its binding has ended")
    func dying() {
        let outcome = Guarded<[String]>([])
        var dying: Dial? = Dial()
        dying?.onDeath = { [right] dial in
            let binding = dial.bindBothWays(\.value, to: right, \.value)
            outcome.withLock { $0 = ["\(binding.isInvalidated)", "\(right.observationInfo.count)", "\(right.value)"] }
        }
        dying?.value = 5
        dying = nil
        #expect(outcome.withLock { $0 } == ["true", "0", "0.0"])
    }

    @Test("13.2 13.3 What is ignored for a binding in both directions is passed on in neither")
    func ignoring() {
        let binding = left.bindBothWays(\.value, to: right, \.value)
        binding.ignoringChanges {
            left.value = 1
            #expect(right.value == 0)
            right.value = 2
            #expect(left.value == 1)
        }
        right.value = 3
        #expect(left.value == 3)
    }
}

private final class Dial: KeyValueObservable {
    final class Mark {}

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var stored = 0.0
    private(set) var sets = 0
    var lastMark: Mark?
    var onDeath: ((Dial) -> Void)?

    var value: Double {
        get { stored }
        set {
            sets += 1
            stored = newValue
        }
    }

    /// Another object each time.
    var mark: Mark? { stored < 0 ? nil : Mark() }

    deinit { onDeath?(self) }
}
