// A path that is led to a property that is changing: the last rule of 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Paths that are led to a change under way")
struct PathLedToChangeTests {
    private let wagon = Wagon()
    private let train = Train()
    private let questions = Questions()

    private func observeSpeed() -> KeyValueObservation {
        train.observe(\.wagon?.speed, options: [.old, .new]) { [questions] in questions.add(text(of: $1)) }
    }

    @Test(
        "3.5 A path that is led to a property that is changing is delivered when that change ends",
        arguments: [false, true])
    func betweenWillAndDid(isObserved: Bool) {
        let other = isObserved ? wagon.observe(\.speed) { _, _ in } : nil
        let path = observeSpeed()
        wagon.willChangeValue(for: \.speed)
        train.wagon = wagon
        #expect(questions.take() == ["nil→0"])
        wagon.speed = 1
        wagon.didChangeValue(for: \.speed)
        #expect(questions.take() == ["0→1"])
        wagon.speed = 2
        #expect(questions.take() == ["1→2"])
        withExtendedLifetime((other, path)) {}
    }

    @Test(
        "3.5 A path that another thread leads to a changing property is delivered when that change ends",
        arguments: [false, true])
    func onAnotherThread(isObserved: Bool) {
        let other = isObserved ? wagon.observe(\.speed) { _, _ in } : nil
        let path = observeSpeed()
        let held = HeldChange()
        let shared = Unchecked(value: wagon)
        held.begin {
            shared.value.willChangeValue(for: \.speed)
            held.hold()
            shared.value.speed = 1
            shared.value.didChangeValue(for: \.speed)
        }
        train.wagon = wagon
        #expect(questions.take() == ["nil→0"])
        held.finish()
        #expect(questions.take() == ["0→1"])
        withExtendedLifetime((other, path)) {}
    }
}

private final class Wagon: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var speed = 0
    var storedLoad = 0

    /// Called when `load` is read the next time.
    var whileRead: (() -> Void)?

    /// Whoever changes it announces that.
    var load: Int {
        accessValue(for: \.load)
        let whileRead = whileRead
        self.whileRead = nil
        whileRead?()
        return storedLoad
    }
}

private final class Train: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var wagon: Wagon?
}
