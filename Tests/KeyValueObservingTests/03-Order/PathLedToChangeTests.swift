// A path that is led to a property that is changing: the last rule of 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Paths that are led to a change under way")
struct PathLedToChangeTests {
    private let wagon = Wagon()
    private let train = Train()
    private let questions = Questions()
    private let log = Log()

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

    @Test("3.5 The same where the value is stored before the path comes: it hears no change that it has seen")
    func afterTheStore() {
        let chain = Chain<Int?>()
        let other = wagon.observe(\.speed) { _, _ in }
        let path = train.observe(\.wagon?.speed, options: [.old, .new]) { chain.add($1) }
        wagon.willChangeValue(for: \.speed)
        wagon.speed = 1
        train.wagon = wagon
        wagon.didChangeValue(for: \.speed)
        #expect(chain.breaks(from: nil, to: 1) == "")
        withExtendedLifetime((other, path)) {}
    }

    @Test("3.5 So it is where the property notifies manually, and somebody observed it when the change began")
    func byHand() {
        let log = Log()
        let other = wagon.observe(\.load) { _, _ in }
        let path = train.observe(\.wagon?.load, options: [.old, .new]) { log.add($1) }
        wagon.willChangeValue(for: \.load)
        train.wagon = wagon
        #expect(log.take() == ["nil→0"])
        wagon.storedLoad = 1
        wagon.didChangeValue(for: \.load)
        #expect(log.take() == ["0→1"])
        withExtendedLifetime((other, path)) {}
    }

    @Test("3.5 3.1 Of many paths, those that come, or go and come back, hear the change once", arguments: [2, 20])
    func many(count: Int) {
        let log = log
        let trains = (0..<count + 3).map { _ in Train() }
        let tokens = trains.enumerated().map { index, train in
            if index < count { train.wagon = wagon }
            return train.observe(\.wagon?.speed, options: [.old, .new]) { log.add($1, as: "\(index)") }
        }
        wagon.willChangeValue(for: \.speed)
        for index in count..<count + 3 { trains[index].wagon = wagon }
        #expect(log.take() == (count..<count + 3).map { "\($0) nil→0" })
        for index in [0, count] {
            trains[index].wagon = nil
            trains[index].wagon = wagon
            #expect(log.take() == ["\(index) 0→nil", "\(index) nil→0"])
        }
        wagon.speed = 1
        wagon.didChangeValue(for: \.speed)
        #expect(log.take() == (0..<count + 3).map { "\($0) 0→1" })
        wagon.speed = 2
        #expect(log.take() == (0..<count + 3).map { "\($0) 1→2" })
        withExtendedLifetime((tokens, trains)) {}
    }

    @Test("3.5 A computed property that begins to read a changing property is delivered when that change ends")
    func computed() {
        let log = Log()
        let other = wagon.observe(\.load) { _, _ in }
        let token = wagon.observe(\.shown, options: [.old, .new]) { log.add($1) }
        wagon.willChangeValue(for: \.load)
        wagon.showsLoad = true
        #expect(log.take() == ["-1→0"])
        wagon.storedLoad = 1
        wagon.didChangeValue(for: \.load)
        #expect(log.take() == ["0→1"])
        withExtendedLifetime((other, token)) {}
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
    @Observed var showsLoad = false
    var storedLoad = 0
    var shown: Int { showsLoad ? load : -1 }

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
