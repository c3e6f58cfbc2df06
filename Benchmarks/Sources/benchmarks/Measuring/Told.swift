// What handlers were told, and whether it was right.

/// Sums up what handlers are told.
///
/// Each thread has its own; no two handlers run at once. The sums are private to this file, so that the optimizer drops
/// the checks of exclusive access, which would cost more than what is measured.
final class Told: @unchecked Sendable {
    private var deliveries = 0
    private var olds = 0
    private var news = 0

    /// A handler is told both values.
    func note(_ old: Int, _ new: Int) {
        deliveries &+= 1
        olds &+= old
        news &+= new
    }

    /// A handler is told the new value only.
    func note(_ new: Int) {
        deliveries &+= 1
        news &+= new
    }

    /// A handler is told no value.
    func note() { deliveries &+= 1 }

    /// Somebody who was told no value reads the new one.
    func read(_ new: Int) { news &+= new }

    /// Begins anew.
    func reset() {
        deliveries = 0
        olds = 0
        news = 0
    }

    /// Demands what so many deliveries with these sums of values make, and begins anew.
    func expect(deliveries: Int, olds: Int? = nil, news: Int) {
        require(self.deliveries == deliveries, "\(self.deliveries) deliveries instead of \(deliveries)")
        require(self.news == news, "new values add up to \(self.news) instead of \(news)")
        if let olds { require(self.olds == olds, "old values add up to \(self.olds) instead of \(olds)") }
        reset()
    }

    /// Demands what setting 1, 2, 3… up to `count` tells, and begins anew.
    ///
    /// - Parameters:
    ///   - count: The last value set.
    ///   - start: The value before; nil if old values are not told.
    ///   - observers: How many are told of each set.
    ///   - offset: What is added to each value. Observation does not tell equal values, so its loops go on where the last
    ///     repetition ended.
    func expectSteps(to count: Int, from start: Int?, observers: Int = 1, offset: Int = 0) {
        let steps = count * (count + 1) / 2
        let news = observers * (steps + count * offset)
        let olds = start.map { observers * (steps - count + $0 + count * offset) }
        expect(deliveries: observers * count, olds: olds, news: news)
    }
}

/// Ends the program if a loop did not do what it is measured for, in release builds too.
func require(_ condition: Bool, _ fault: @autoclosure () -> String) {
    if !condition { fatalError("the loop went wrong: \(fault())") }
}
