// Paths and computed properties whose objects several threads change.
import KeyValueObserving

extension Scenario {
    static var paths: [Scenario] {
        [
            Scenario("a path is re-wired while the former end changes", "6.1 9.1") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let chain = Chain()
                let token = root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { root.next = second }, { first.value = 5 },
                    check: {
                        chain.check(from: 1, to: 2)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a path is re-wired while the new end changes", "6.1 9.1") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let chain = Chain()
                let token = root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { root.next = second }, { second.value = 6 },
                    check: {
                        chain.check(from: 1, to: 6)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a path is re-wired at two places", "6.1 9.1") {
                let (first, second, third) = (Cell(1), Cell(2), Cell(3))
                let middle = Cell(0, next: first)
                let root = Cell(0, next: middle)
                let other = Cell(0, next: third)
                let chain = Chain()
                let token = root.observe(\.next?.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { root.next = other }, { middle.next = second },
                    check: {
                        chain.check(from: 1, to: 3)
                        third.value = 9
                        chain.check(from: 1, to: 9)
                        let count = chain.count
                        first.value = 7
                        second.value = 8
                        require(chain.count == count, "6.1 the former ends are still observed")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("two threads re-wire one place of a path", "6.1 9.1") {
                let (first, second, third) = (Cell(1), Cell(2), Cell(3))
                let root = Cell(0, next: first)
                let chain = Chain()
                let token = root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }
                return Trial(
                    { root.next = second }, { root.next = third },
                    check: {
                        let last = root.next?.value ?? -1
                        chain.check(from: 1, to: last)
                        root.next?.value = 9
                        chain.check(from: 1, to: 9)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a path is registered while it is re-wired", "6.1 9.1") {
                let (first, second) = (Cell(1), Cell(2))
                let root = Cell(0, next: first)
                let chain = Chain()
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    { root.next = second },
                    { tokens.value?.append(root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) }) },
                    check: {
                        let known = chain.count
                        second.value = 9
                        require(chain.count == known + 1, "6.1 the path does not lead to where the root does")
                        first.value = 8
                        require(chain.count == known + 1, "6.1 the former end is still observed")
                    })
            },
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
                    })
            },
            Scenario("a path is registered once more while its end changes", "2.4 6.1 9.1") {
                let end = Cell()
                let root = Cell(0, next: end)
                let journal = Journal()
                let first = root.observe(\.next?.value) { _, _ in }
                let tokens = Box<[KeyValueObservation]>([first])
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { end.value = value } } },
                    {
                        tokens.value?.append(
                            journal.register("late") { call in
                                root.observe(\.next?.value, options: [.old, .new]) { _, change in
                                    call(change.oldValue ?? nil, change.newValue ?? nil)
                                }
                            })
                    },
                    check: {
                        journal.change(from: 2, to: 3) { end.value = 3 }
                        journal.check()
                    })
            },
            Scenario("one path is registered by two threads at once", "1.8 9.1") {
                let root = Cell(0, next: Cell(1))
                let (first, second) = (Chain(), Chain())
                let tokens = Box<[KeyValueObservation]>([])
                return Trial(
                    { tokens.value?.append(root.observe(\.next?.value, options: [.old, .new]) { first.add($1) }) },
                    { tokens.value?.append(root.observe(\.next?.value, options: [.old, .new]) { second.add($1) }) },
                    check: {
                        root.next?.value = 2
                        root.next = Cell(3)
                        first.check(from: 1, to: 3)
                        second.check(from: 1, to: 3)
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
            Scenario("what a computed property reads is changed by two threads", "5.1 9.1") {
                let root = Cell(1, next: Cell(10))
                let chain = Chain()
                let token = root.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { root.value = 2 }, { root.next?.value = 20 },
                    check: {
                        chain.check(from: 11, to: 22)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("what a computed property reads is changed by three threads", "5.1 9.1") {
                let root = Cell(1, next: Cell(10))
                root.other = Cell(100)
                let chain = Chain()
                let token = root.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { root.value = 2 }, { root.next?.value = 20 }, { root.other?.value = 200 },
                    check: {
                        chain.check(from: 111, to: 222)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a branch is taken while what it reads changes", "5.2 9.1") {
                let root = Cell(1, next: Cell(10))
                root.other = Cell(100)
                let chain = Chain()
                let token = root.observe(\.chosen, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { root.value = 0 }, { root.other?.value = 200 },
                    check: {
                        chain.check(from: 10, to: 200)
                        let count = chain.count
                        root.next?.value = 11
                        require(chain.count == count, "5.2 what the branch left is still observed")
                        root.other?.value = 300
                        chain.check(from: 10, to: 300)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("two threads take different branches", "5.2 9.1") {
                let root = Cell(1, next: Cell(10))
                root.other = Cell(100)
                let values = Box<[Int]>([])
                let token = root.observe(\.chosen, options: .new) { _, change in
                    values.value?.append(change.newValue ?? 0)
                    userCode()
                }
                return Trial(
                    { root.value = 0 }, { root.value = 2 },
                    check: {
                        require(
                            values.value?.contains(root.chosen) ?? false, "2.1 nobody was called with the last value")
                        // What the branch leads to now is observed, and nothing else.
                        let isNext = root.value > 0
                        let count = values.value?.count ?? 0
                        (isNext ? root.next : root.other)?.value = 7
                        require(values.value?.count == count + 1, "5.2 what the branch leads to is not observed")
                        (isNext ? root.other : root.next)?.value = 8
                        require(values.value?.count == count + 1, "5.2 what the branch left is still observed")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a branch is taken while the object it leads to is replaced", "5.2 6.1 9.1") {
                let root = Cell(1, next: Cell(10))
                root.other = Cell(100)
                let chain = Chain()
                let token = root.observe(\.chosen, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { root.value = 0 }, { root.other = Cell(200) },
                    check: {
                        chain.check(from: 10, to: 200)
                        root.other?.value = 300
                        chain.check(from: 10, to: 300)
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a computed property ends while what it reads changes", "5.1 9.3") {
                let root = Cell(1, next: Cell(10))
                let chain = Chain()
                let token = root.observe(\.sum, options: [.old, .new]) { chain.add($1.oldValue, $1.newValue) }
                return Trial(
                    { root.value = 2 }, { root.next?.value = 20 }, { token.invalidate() },
                    check: {
                        let known = chain.count
                        root.value = 3
                        require(chain.count == known, "9.3 an ended registration is called")
                        require(root.observationInfo.isEmpty, "1.6 something is left")
                    })
            },
            Scenario("a path and its end are observed while both change", "3.1 6.1 9.1") {
                let end = Cell(1)
                let root = Cell(0, next: end)
                let chain = Chain()
                let journal = Journal()
                let tokens = [
                    root.observe(\.next?.value, options: [.old, .new]) { chain.add($1) },
                    journal.observe("end", end, \.value, on: "end"),
                ]
                return Trial(
                    journal, { journal.change("end", from: 1, to: 5) { end.value = 5 } }, { root.next = nil },
                    check: {
                        chain.check(from: 1, to: .min)
                        withExtendedLifetime(tokens) {}
                    })
            },
        ]
    }
}

extension Chain {
    /// Adds a change of a path, where nil stands for the least number.
    func add(_ change: KeyValueObservedChange<Int?>) { add(change.oldValue ?? nil, change.newValue ?? nil) }
}
