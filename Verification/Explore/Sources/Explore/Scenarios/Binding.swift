// Bindings whose ends several threads change.
import KeyValueObserving

extension Scenario {
    static var binding: [Scenario] {
        [
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
