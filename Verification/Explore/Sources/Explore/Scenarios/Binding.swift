// Bindings whose ends several threads change.
import KeyValueObserving

extension Scenario {
    static let binding = [
        Scenario("a two-way binding is changed from both ends under a lock", "13.2") {
            let (left, right, lock) = (Cell(1), Cell(), UserLock())
            let token = left.bindBothWays(\.value, to: right, \.value)
            return Trial(
                keeping: token, [{ lock.withLock { left.value = 2 } }, { lock.withLock { right.value = 3 } }]
            ) {
                require(left.value == right.value, "13.2 \(left.value) and \(right.value)")
                require([2, 3].contains(left.value), "13.2 both are \(left.value)")
            }
        },
        Scenario("two shared properties are bound both ways, and each is set by a thread", "13.2 17.2") {
            let (left, right) = (Tally(), Tally())
            let token = left.bindBothWays(\.x, to: right, \.x)
            return Trial(keeping: token, [{ left.x = 2 }, { right.x = 3 }]) {
                require([2, 3].contains(left.x), "13.2 the left is \(left.x)")
                require([2, 3].contains(right.x), "13.2 the right is \(right.x)")
                left.x = 4
                require(right.x == 4, "13.2 the right is \(right.x), not 4")
            }
        },
        Scenario("one end of a two-way binding dies while the other one changes", "13.2 9.4") {
            let (left, right) = (Cell(1), Cell())
            let dying = Box(right)
            let token = left.bindBothWays(\.value, to: right, \.value)
            return Trial([{ left.value = 2 }, { dying.empty() }]) {
                require(left.observationInfo.isEmpty, "13.2 the other direction has not ended")
                left.value = 3
                require(token.isInvalidated, "13.2 the binding has not ended")
            }
        },
    ]
}
