// Changes during a delivery, and their calls: the recipients that changes borrow and give back.
import Foundation
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("3.4 9.1 Changes of one property that meet")
struct MeetingChangesTests {
    private let person = Person()

    // #9 C9
    @Test("A6 The count is exact where handlers register, remove and change what is being delivered")
    func countWhileMembersChange() {
        var tokens: [KeyValueObservation] = []
        let first = person.observe(\.age, options: .new) { person, change in
            guard change.newValue! < 300 else { return }
            tokens.append(person.observe(\.age) { _, _ in })
            if tokens.count > 3 { tokens.removeFirst().invalidate() }
            person.age = change.newValue! + 1
        }
        person.age = 1
        let counts = person.observationInfo.map(\.deliveredCount)
        #expect(counts[0] == 300)
        // Each of the others was notified of the changes that began after it was there: of the last three, two and one.
        #expect(Array(counts.dropFirst()) == [3, 2, 1])
        withExtendedLifetime(first) {}
        tokens = []
    }

    // #344
    @Test("9.1 A change is delivered while another one of the same property is being delivered on another thread")
    func twoThreads() {
        let person = Unchecked(value: Person())
        let held = HeldChange()
        let log = Guarded<[String]>([])
        let token = person.value.observe(\.age, options: [.old, .new]) { _, change in
            log.withLock { $0.append("\(change.oldValue!)→\(change.newValue!)") }
            if change.newValue == 1 { held.hold() }
        }
        held.begin { person.value.age = 1 }
        for age in 2...300 { person.value.age = age }
        held.finish()
        #expect(log.withLock { $0 } == (0..<300).map { "\($0)→\($0 + 1)" })
        person.value.age = 301
        #expect(person.value.observationInfo.map(\.deliveredCount) == [301])
        token.invalidate()
    }

    // #86
    @Test("9.3 B4 A handler that is removed while it runs on another thread is released when it returns")
    func removalWhileTelling() {
        let person = Unchecked(value: Person())
        let held = HeldChange()
        let witness = Unchecked(value: Weak())
        let token = {
            let captured = NSObject()
            witness.value.object = captured
            return person.value.observe(\.age) { _, _ in
                held.hold()
                withExtendedLifetime(captured) {}
            }
        }()
        held.begin { person.value.age = 1 }
        token.invalidate()
        #expect(witness.value.object != nil)
        // Another audience comes and is notified, while the first one is still lent.
        let told = Atomic(0)
        let second = person.value.observe(\.age) { _, _ in told.add(1, ordering: .relaxed) }
        person.value.age = 2
        held.finish()
        #expect(witness.value.object == nil)
        person.value.age = 3
        #expect(told.load(ordering: .relaxed) == 2)
        second.invalidate()
    }

    private final class Weak {
        weak var object: AnyObject?
    }
}
