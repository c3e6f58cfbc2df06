// What a handler holds goes with its registration, whichever way the property was changed before: 1.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.2 What a handler holds goes with its registration, whatever was changed before")
struct HandlerReleaseTests {
    private final class Held: Sendable {}
    private let kept = Kept()

    /// Whether the captures of a handler are released with its registration, after changes.
    private func isReleased<Object: KeyValueObservable, Value>(
        by object: Object, at keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        after change: () -> Void
    ) -> Bool {
        var held: Held? = Held()
        weak let weakHeld = held
        // Others at the same key path keep nothing of it.
        object.observe(keyPath, options: options) { _, _ in }.store(in: kept)
        let token = object.observe(keyPath, options: options) { [held] _, _ in withExtendedLifetime(held) {} }
        held = nil
        // From the second time on, the recipients are known.
        for _ in 0..<3 { change() }
        #expect(weakHeld != nil)
        token.invalidate()
        return weakHeld == nil
    }

    @Test("1.2 17.2 17.3 The same where several threads change it, in a transaction too", arguments: 0..<7)
    func shared(change: Int) {
        let (first, tally) = (Tally(), Tally())
        first.next = tally
        func make() {
            switch change {
            case 0: tally.items = [1]
            case 1: tally.items.append(2)
            case 2: tally.mutable(\.items).append(3)
            case 3: withKeyValueTransaction { tally.items = [4] }
            case 4: withKeyValueTransaction { tally.items.append(5) }
            default:
                // Another thread changes it while this one has yet to deliver.
                withKeyValueTransaction {
                    tally.items = [6]
                    onThreads(1) { _ in if change == 5 { tally.items = [7] } else { tally.items.append(8) } }
                }
            }
        }
        for options in [[], .new, [.old, .new]] as [KeyValueObservingOptions] {
            #expect(isReleased(by: tally, at: \.items, options: options, after: make))
        }
        #expect(isReleased(by: first, at: \.next?.items, after: make))
        #expect(isReleased(by: tally, at: \.total, after: make))
    }
}
