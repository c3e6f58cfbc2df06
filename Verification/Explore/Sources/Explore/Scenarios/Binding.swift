// Bindings whose ends several threads change.
import KeyValueObserving

extension Scenario {
    static var binding: [Scenario] {
        [
            Scenario("a binding ends while its source changes", "13.1 9.3") {
                let (source, target) = (Cell(1), Cell())
                let token = Box(source.bind(\.value, to: target, \.value))
                return Trial(
                    { source.value = 2 }, { token.empty() },
                    check: {
                        require([1, 2].contains(target.value), "13.1 the target is \(target.value)")
                        source.value = 3
                        require(target.value != 3, "9.3 an ended binding sets its target")
                    })
            },
            Scenario("the source of a binding is changed by two threads under a lock", "13.1 9.2") {
                let (source, target) = (Node(), Cell())
                let token = source.bind(\.x, to: target, \.value)
                return Trial(
                    { source.lock.withLock { source.x += 1 } }, { source.lock.withLock { source.x += 1 } },
                    check: {
                        require(target.value == 2, "13.1 the target is \(target.value)")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("two bindings pass one value on to one target", "13.1") {
                let (first, second, target) = (Cell(1), Cell(1), Cell())
                let tokens = [first.bind(\.value, to: target, \.value), second.bind(\.value, to: target, \.value)]
                return Trial(
                    { first.value = 2 }, { second.value = 3 },
                    check: {
                        require([2, 3].contains(target.value), "13.1 the target is \(target.value)")
                        withExtendedLifetime(tokens) {}
                    })
            },
            Scenario("a two-way binding is changed from both ends under a lock", "13.2") {
                let (left, right, lock) = (Cell(1), Cell(), UserLock())
                let token = left.bindBothWays(\.value, to: right, \.value)
                return Trial(
                    { lock.withLock { left.value = 2 } }, { lock.withLock { right.value = 3 } },
                    check: {
                        require(left.value == right.value, "13.2 \(left.value) and \(right.value)")
                        require([2, 3].contains(left.value), "13.2 both are \(left.value)")
                        withExtendedLifetime(token) {}
                    })
            },
            Scenario("a two-way binding ends while one end changes", "13.2 9.3") {
                let (left, right) = (Cell(1), Cell())
                let token = Box(left.bindBothWays(\.value, to: right, \.value))
                return Trial(
                    { left.value = 2 }, { token.empty() },
                    check: {
                        require([1, 2].contains(right.value), "13.2 the right is \(right.value)")
                        right.value = 5
                        require(left.value == 2, "9.3 an ended binding sets the left")
                        require(left.observationInfo.isEmpty, "1.6 something is left")
                    })
            },
            Scenario("one end of a two-way binding dies while the other one changes", "13.2 9.4") {
                let left = Cell(1)
                let right = Box(Cell())
                guard let cell = right.value else { return Trial({}, check: {}) }
                let token = left.bindBothWays(\.value, to: cell, \.value)
                return Trial(
                    { left.value = 2 }, { right.empty() },
                    check: {
                        require(left.observationInfo.isEmpty, "13.2 the other direction has not ended")
                        left.value = 3
                        require(token.isInvalidated, "13.2 the binding has not ended")
                    })
            },
        ]
    }
}
