// Paths and computed properties: registered and ended by several threads, and changed under a lock.
import KeyValueObserving

extension Scenario {
    static var paths: [Scenario] {
        [
            Scenario("a path ends while it is re-wired", "6.1 9.3 1.6") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let chain = Chain()
                let token = root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { root.next = second }, { token.invalidate() },
                    check: {
                        let known = chain.count
                        root.next = nil
                        second.value = 9
                        require(chain.count == known, "9.3 an ended path is called")
                        for (name, cell) in [("root", root), ("first", first), ("second", second)] {
                            require(cell.isAsIfNeverObserved(\Cell.next), "1.6 something depends on \(name).next")
                            require(cell.isAsIfNeverObserved(\Cell.value), "1.6 something depends on \(name).value")
                        }
                    })
            },
            Scenario("one path is registered by two threads at once, and left by one", "1.6 1.8 9.1") {
                let root = Cell(0, next: Cell(1))
                let chain = Chain()
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    { root.observe(\.next?.value, options: [.old, .new]) { _, _ in }.invalidate() },
                    { tokens.value?.append(root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }) },
                    check: {
                        root.next?.value = 2
                        root.next = Cell(3)
                        chain.check(from: 1, to: 3)
                        require(root.observationInfo.count == 1, "1.6 \(root.observationInfo.count) are listed")
                    })
            },
            Scenario("one path is registered while the last registration at it ends", "1.6 9.1") {
                let root = Cell(0, next: Cell(1))
                let chain = Chain()
                let first = Box(root.observe(\.next?.value, options: [.old, .new]) { _, _ in })
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    { tokens.value?.append(root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }) },
                    { first.empty() },
                    check: {
                        root.next?.value = 2
                        root.next = Cell(3)
                        chain.check(from: 1, to: 3)
                        tokens.empty()
                        require(root.observationInfo.isEmpty, "1.6 something is left")
                    })
            },
            Scenario("two threads take the branches of a computed property under a lock", "5.1 9.1") {
                let (root, lock) = (Cell(1, next: Cell(10)), UserLock())
                root.other = Cell(100)
                let chain = Chain()
                let token = root.observe(\.chosen, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { lock.withLock { root.value = 0 } }, { lock.withLock { root.other?.value = 200 } },
                    check: {
                        chain.check(from: 10, to: 200)
                        let count = chain.count
                        root.next?.value = 11
                        require(chain.count == count, "5.1 what the branch left is still observed")
                    }
                )
                .keeping(root, token)
            },
            Scenario("a path is re-wired while its ends change, without a lock", "9.1 9.4") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let token = root.observe(\.next?.value, options: [.old, .new]) { _, _ in userCode() }
                return Trial(
                    { root.next = second },
                    {
                        first.value = 5
                        second.value = 6
                    }, check: {}
                )
                .keeping(root, token)
            },
            Scenario("two threads set the end of a path, without a lock", "P2") {
                let (root, end) = (Node(), Node())
                root.next = end
                let tokens = [
                    root.observe(\.next?.x, options: [.old, .new, .distinct]) { _, _ in userCode() },
                    root.observe(\.next?.x, options: [.old, .new]) { _, _ in userCode() },
                ]
                return Trial(
                    { for value in 1...2 { end.x = value } }, { for value in 3...4 { end.x = value } },
                    check: { withExtendedLifetime(tokens) {} }
                )
                .keeping(root, end)
            },
            Scenario("two threads change elements at the end of a path, without a lock", "P2") {
                let (root, end) = (Node(), Node())
                root.next = end
                let token = root.observe(\.next?.numbers, options: [.old, .new, .distinct]) { _, _ in userCode() }
                return Trial(
                    { end.mutable(\.numbers).append(1) }, { end.numbers = [2] }, check: {}
                )
                .keeping(root, end, token)
            },
            Scenario("a path is re-wired by one thread and ended by another one, without a lock", "P2 1.6") {
                let (root, first, second) = (Node(), Node(), Node())
                root.next = first
                let token = root.observe(\.next?.x, options: [.old, .new]) { _, _ in userCode() }
                return Trial(
                    { root.next = second }, { token.invalidate() },
                    check: {
                        for node in [root, first, second] {
                            require(node.isAsIfNeverObserved, "1.6 something still depends on an object")
                        }
                    }
                )
                .keeping(root, first, second, token)
            },
        ]
    }
}

extension Chain {
    /// Adds a change of a path, where nil stands for the least number.
    func add(_ change: KeyValueObservedChange<Int?>) { add(change.oldValue ?? nil, change.newValue ?? nil) }
}
