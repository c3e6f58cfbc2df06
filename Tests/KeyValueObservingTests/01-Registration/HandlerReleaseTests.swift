// What a handler holds goes with its registration, whichever way the property was changed before: 1.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.2 What a handler holds goes with its registration, whatever was changed before")
struct HandlerReleaseTests {
    private final class Held: Sendable {}

    /// Whether what a handler holds is gone with its registration, once somebody has made changes.
    private func isReleased<Object: KeyValueObservable, Value>(
        by object: Object, at keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        after change: () -> Void
    ) -> Bool {
        var held: Held? = Held()
        weak let weakHeld = held
        let token = object.observe(keyPath, options: options) { [held] _, _ in withExtendedLifetime(held) {} }
        held = nil
        // From the second time on, it is known who is notified.
        for _ in 0..<3 { change() }
        #expect(weakHeld != nil)
        token.invalidate()
        return weakHeld == nil
    }

    // MARK: Plain properties

    enum Change: CaseIterable {
        case set, inPlace, byView, withinPair, inTransaction
    }

    private func make(_ change: Change, of person: Person) {
        switch change {
        case .set: person.tags = ["a"]
        case .inPlace: person.tags.append("b")
        case .byView: person.mutable(\.tags).append("c")
        case .withinPair: person.changeValue(for: \.tags) { person.tags = [] }
        case .inTransaction: withKeyValueTransaction { person.tags.append("d") }
        }
    }

    @Test(
        "1.2 At the property itself", arguments: Change.allCases,
        [[], [.old, .new], .prior] as [KeyValueObservingOptions])
    func property(change: Change, options: KeyValueObservingOptions) {
        let person = Person()
        #expect(isReleased(by: person, at: \.tags, options: options) { make(change, of: person) })
    }

    @Test("1.2 At a path that ends there, and at what is computed from it", arguments: Change.allCases)
    func path(change: Change) {
        let (person, friend) = (Person(), Person())
        person.friend = friend
        #expect(isReleased(by: person, at: \.friend?.tags, options: [.old, .new]) { make(change, of: friend) })
        #expect(isReleased(by: friend, at: \.tags.count, options: [.old, .new]) { make(change, of: friend) })
    }

    // MARK: Properties that several threads change

    enum SharedChange: CaseIterable {
        case set, inPlace, byView, inTransaction, inPlaceInTransaction
        /// Made by another thread while this one has yet to deliver what it changed in a transaction.
        case setByOther, inPlaceByOther
    }

    private func make(_ change: SharedChange, of tally: Tally) {
        switch change {
        case .set: tally.items = [1]
        case .inPlace: tally.items.append(2)
        case .byView: tally.mutable(\.items).append(3)
        case .inTransaction: withKeyValueTransaction { tally.items = [4] }
        case .inPlaceInTransaction: withKeyValueTransaction { tally.items.append(5) }
        case .setByOther:
            withKeyValueTransaction {
                tally.items = [6]
                onThreads(1) { _ in tally.items = [7] }
            }
        case .inPlaceByOther:
            withKeyValueTransaction {
                tally.items = [8]
                onThreads(1) { _ in tally.items.append(9) }
            }
        }
    }

    @Test(
        "1.2 17.2 At a shared property", arguments: SharedChange.allCases,
        [[], .new, [.old, .new]] as [KeyValueObservingOptions])
    func sharedProperty(change: SharedChange, options: KeyValueObservingOptions) {
        let tally = Tally()
        #expect(isReleased(by: tally, at: \.items, options: options) { make(change, of: tally) })
    }

    @Test(
        "1.2 17.3 At a path that ends at a shared property, and at what is computed from it",
        arguments: SharedChange.allCases)
    func sharedPath(change: SharedChange) {
        let (first, tally) = (Tally(), Tally())
        first.next = tally
        #expect(isReleased(by: first, at: \.next?.items, options: [.old, .new]) { make(change, of: tally) })
        #expect(isReleased(by: tally, at: \.total, options: [.old, .new]) { make(change, of: tally) })
    }
}
