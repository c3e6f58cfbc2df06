// A change that was announced and has not ended: what it keeps. 3.5
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 A change that has not ended")
struct UnfinishedChangeTests {
    enum Observed: CaseIterable, Sendable { case property, path, computed }

    @Test("3.5 Its old value is let go with the last registration that asked for it", arguments: Observed.allCases)
    func cycle(observed: Observed) {
        weak var weakNode: Node?
        weak var weakOther: Node?
        do {
            let (node, other) = (Node(), Node())
            (weakNode, weakOther) = (node, other)
            node.next = other
            other.next = node
            let token =
                switch observed {
                case .property: node.observe(\.next, options: .old) { _, _ in }
                case .path: node.observe(\.next?.next, options: .old) { _, _ in }
                case .computed: node.observe(\.successor, options: .old) { _, _ in }
                }
            let plain = node.observe(\.next) { _, _ in }
            node.willChangeValue(for: \.next)
            token.invalidate()
            node.next = nil
            withExtendedLifetime(plain) {}
        }
        #expect(weakNode == nil && weakOther == nil)
    }
}

private final class Node: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var next: Node?
    @Observed var nodes: [Node] = []
    var successor: Node? { first == 0 ? next : nil }
}
