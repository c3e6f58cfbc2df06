// Paths and computed properties: registered and ended by several threads, and changed under a lock.
import KeyValueObserving

extension Scenario {
    static let paths = [
        Scenario("a path ends while it is re-wired", "6.1 9.3 1.6") {
            pathThatEnds(Cell(), Cell(), Cell(), \.next, \.value, \.next?.value)
        },
        Scenario("a path is re-wired by one thread and ended by another one, without a lock", "P2 1.6") {
            pathThatEnds(Node(), Node(), Node(), \.next, \.x, \.next?.x)
        },
        Scenario("a path of shared properties ends while it is re-wired", "1.6 17.3") {
            pathThatEnds(Tally(), Tally(), Tally(), \.next, \.x, \.next?.x)
        },
        Scenario("one path is registered by two threads at once, and left by one", "1.6 1.8 9.1") {
            let (root, late) = (Cell(0, next: Cell(1)), Box<Chain>())
            func observeBriefly() { root.observe(\.next?.value) { _, _ in }.invalidate() }
            return Trial([observeBriefly, { late.value = Chain(root, \.next?.value) }]) { checkPath(root, late) }
        },
        Scenario("one path is registered while the last registration at it ends", "1.6 9.1") {
            let (root, late) = (Cell(0, next: Cell(1)), Box<Chain>())
            let first = Box(root.observe(\.next?.value) { _, _ in })
            return Trial([{ late.value = Chain(root, \.next?.value) }, { first.empty() }]) { checkPath(root, late) }
        },
        Scenario("two threads take the branches of a computed property under a lock", "5.1 9.1") {
            let (root, lock) = (Cell(1, next: Cell(10), other: Cell(100)), UserLock())
            let chain = Chain(root, \.chosen)
            return Trial(
                [{ lock.withLock { root.value = 0 } }, { lock.withLock { root.other?.value = 200 } }]
            ) {
                chain.check(from: 10, to: 200)
                let count = chain.count
                root.next?.value = 11
                require(chain.count == count, "5.1 what the branch left is still observed")
            }
        },
        Scenario("a path is re-wired while its ends change, without a lock", "9.1 9.4") {
            let (first, second) = (Cell(1), Cell(2))
            let root = Cell(0, next: first)
            let token = root.observe(\.next?.value) { _, _ in userCode() }
            func setEnds() { (first.value, second.value) = (5, 6) }
            return Trial(keeping: token, [{ root.next = second }, setEnds])
        },
        Scenario("two threads set the end of a path, without a lock", "P2") {
            let (root, end) = (Node(), Node())
            root.next = end
            let tokens = [[.old, .new, .distinct], [.old, .new]].map { (options: KeyValueObservingOptions) in
                root.observe(\.next?.x, options: options) { _, _ in userCode() }
            }
            func set(_ values: ClosedRange<Int>) { for value in values { end.x = value } }
            return Trial(keeping: (root, tokens), [{ set(1...2) }, { set(3...4) }])
        },
        Scenario("two threads change elements at the end of a path, without a lock", "P2") {
            let (root, end) = (Node(), Node())
            root.next = end
            let token = root.observe(\.next?.numbers, options: [.old, .new, .distinct]) { _, _ in userCode() }
            return Trial(keeping: (root, token), [{ end.mutable(\.numbers).append(1) }, { end.numbers = [2] }])
        },
    ]
}

/// A path that leads from a root over the first object, and is to lead over the second one, ends.
private func pathThatEnds<Object: KeyValueObservable>(
    _ root: Object, _ first: Object, _ second: Object, _ next: ReferenceWritableKeyPath<Object, Object?>,
    _ value: ReferenceWritableKeyPath<Object, Int>, _ path: KeyPath<Object, Int?>
) -> Trial {
    root[keyPath: next] = first
    let chain = Chain(root, path)
    return Trial([{ root[keyPath: next] = second }, { chain.token.invalidate() }]) {
        let count = chain.count
        root[keyPath: next] = nil
        second[keyPath: value] = 9
        require(chain.count == count, "9.3 an ended path is called")
        requireAsIfNeverObserved(root, first, second)
    }
}

/// One registration at a path is left; it is called, and leaves nothing.
private func checkPath(_ root: Cell, _ late: Box<Chain>) {
    root.next?.value = 2
    root.next = Cell(3)
    late.value?.check(from: 1, to: 3)
    require(root.observationInfo.count == 1, "1.6 \(root.observationInfo.count) are listed")
    late.empty()
    requireAsIfNeverObserved(root)
}
