// Key paths that a protocol writes, of stored and of computed properties: 1.8.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 Key paths that a protocol writes")
struct GenericKeyPathTests {
    @Test("1.8 One of a computed property names no stored one, though it reads one only")
    func computed() {
        let clock = Clock()
        clock.seconds = 60
        let token = observe(clock, double(Clock.self))
        #expect(!clock.isObserved(\.seconds))
        let other = clock.observe(\.seconds) { _, _ in }
        #expect(clock.observationInfo.count == 2)
        other.invalidate()
        #expect(!clock.isObserved(\.seconds) && clock.observationInfo.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test("1.8 4.1 An announced change of a computed one is not one of the stored property that it reads first")
    func announced() {
        let clock = Clock()
        let log = Log()
        let token = clock.observe(\.seconds) { _, _ in log.add("seconds") }
        announceTotal(of: clock)
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }

    private func announceTotal(of object: some Ticking & KeyValueObservable) { object.changeValue(for: \.total) {} }

    private func observe(_ clock: Clock, _ keyPath: KeyPath<Clock, Int>) -> KeyValueObservation {
        clock.observe(keyPath) { _, _ in }
    }

    private func double<Root: Ticking>(_: Root.Type) -> KeyPath<Root, Int> { \.halves }
}

private protocol Ticking {
    var seconds: Int { get }
    var halves: Int { get }
    var total: Int { get }
}

private final class Clock: KeyValueObservable, Ticking {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var seconds = 0
    @Observed var more = 0
    var halves: Int { seconds * 2 }
    /// At first it has the same value.
    var total: Int { seconds + more }
}
