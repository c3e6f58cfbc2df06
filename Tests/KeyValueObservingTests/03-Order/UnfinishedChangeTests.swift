// A change that was announced and has not ended: what it keeps, and what it must not read. 3.5
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

    @Test("3.5 So are the elements that leave", arguments: [false, true])
    func elements(isPath: Bool) {
        weak var weakNode: Node?
        do {
            let node = Node()
            weakNode = node
            node.nodes = [node]
            let token =
                isPath
                ? node.observe(\.next?.nodes, options: .old) { _, _ in }
                : node.observe(\.nodes, options: .old) { _, _ in }
            node.willChange(.removal, valuesAt: RangeSet(0), for: \.nodes)
            node.nodes = []
            token.invalidate()
        }
        #expect(weakNode == nil)
    }

    @Test("3.5 A path that such a change leads somewhere reads nothing there that is being accessed in place")
    func ledToAnAccess() async {
        await #expect(processExitsWith: .success) {
            let (root, target, log) = (Node(), Node(), Log())
            let token = root.observe(\.sum, options: [.old, .new]) { log.add($1) }
            func access(_ second: inout Int) {
                root.first = 5
                second = 2
            }
            root.willChangeValue(for: \.next)
            root.next = target
            access(&target.second)
            #expect(log.take() == ["0→7"], "once the access has ended")
            root.didChangeValue(for: \.next)
            #expect(log.take() == ["7→7"])
            target.second = 3
            #expect(log.take() == ["7→8"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.5 6.2 Led further before its end, it is not kept waiting for what it leads to no more")
    func ledFurther() {
        let (root, first, second, log) = (Node(), Node(), Node(), Log())
        let token = root.observe(\.sum, options: [.old, .new]) { log.add($1) }
        root.willChangeValue(for: \.next)
        root.next = first
        root.next = second
        func access(_ second: inout Int) {
            root.first = 5
            second = 2
        }
        access(&first.second)
        #expect(log.take() == ["0→5"], "within the access, which does not concern the path")
        root.didChangeValue(for: \.next)
        #expect(log.take() == ["5→5"])
        first.second = 9
        #expect(log.take() == [] && !first.isObserved(\.second))
        withExtendedLifetime(token) {}
    }
}

private final class Node: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0
    @Observed var next: Node?
    @Observed var nodes: [Node] = []
    var sum: Int { first + (next?.second ?? 0) }
    var successor: Node? { first == 0 ? next : nil }
}
