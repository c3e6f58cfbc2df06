// What is ignored in a transaction hides nothing else, where paths are led elsewhere: 13.3 and 10.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.3 Ignored changes and where paths lead")
struct IgnoredRewiringTests {
    private let root = Node()
    private let first = Node(1)
    private let second = Node(10)
    private let log = Log()
    private let token: KeyValueObservation

    init() {
        root.next = first
        token = root.observe(\.next?.number, options: [.old, .new]) { [log] in log.add($1) }
    }

    @Test(
        "13.3 10.2 A path that is led elsewhere in an ignored change follows its new target when the transaction has ended"
    )
    func newTarget() {
        withKeyValueTransaction {
            token.ignoringChanges { root.next = second }
            second.number = 11
        }
        #expect(log.take() == [])
        second.number = 12
        #expect(log.take() == ["1→12"])
    }

    @Test("13.3 10.2 An ignored change of what a path led to before does not hide the change of its new target")
    func formerTargetIgnored() {
        withKeyValueTransaction {
            root.next = second
            token.ignoringChanges { first.number = 5 }
            second.number = 11
        }
        #expect(log.take() == ["1→11"])
    }

    @Test("13.3 10.2 What a path is led to in a change before is ignored where it changes inside")
    func newTargetIgnored() {
        withKeyValueTransaction {
            root.next = second
            token.ignoringChanges { second.number = 11 }
        }
        #expect(log.take() == ["1→11"])
        second.number = 12
        #expect(log.take() == ["11→12"])
    }

    @Test("13.3 After an ignored re-wiring, changes of the former target are nobody's")
    func formerTarget() {
        token.ignoringChanges { root.next = second }
        first.number = 8
        #expect(log.take() == [])
    }

    @Test("13.3 10.2 Others at the same path get one change")
    func others() {
        let other = root.observe(\.next?.number, options: [.old, .new]) { [log] in log.add($1, as: "other") }
        withKeyValueTransaction {
            token.ignoringChanges { root.next = second }
            second.number = 11
        }
        #expect(log.take() == ["other 1→11"])
        withExtendedLifetime(other) {}
    }
}

private final class Node: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number: Int
    @Observed var next: Node?

    init(_ number: Int = 0) {
        self.number = number
    }
}
