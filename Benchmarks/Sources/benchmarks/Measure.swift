// Repeating a set, timing it, and checking who was told.

/// What handlers were told.
///
/// Each set counts up from 0, so a change that is no step upwards is a fault.
final class Told {
    private(set) var count = 0
    private(set) var last = 0

    func note(_ old: Int, _ new: Int) {
        precondition(new == 0 || new == old + 1, "told \(old) → \(new)")
        count += 1
        last = new
    }
}

/// One way to set an integer, and how long it took.
struct Measure {
    let name: String
    private let deliveries: Int
    private let set: (Int) -> Void
    private var nanoseconds: [Double] = []

    init(_ name: String, deliveries: Int = 0, set: @escaping (Int) -> Void) {
        self.name = name
        self.deliveries = deliveries
        self.set = set
    }

    var minimum: Double { nanoseconds.min() ?? 0 }
    var median: Double { nanoseconds.sorted()[nanoseconds.count / 2] }

    /// Sets the integer so many times, from 0 upwards.
    mutating func run(_ count: Int, _ told: Told) {
        let before = told.count
        let time = ContinuousClock().measure {
            for value in 0..<count { set(value) }
        }
        precondition(told.count - before == deliveries * count, "\(name): told \(told.count - before) times")
        precondition(deliveries == 0 || told.last == count - 1)
        nanoseconds.append(time / .nanoseconds(count))
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// A number with one decimal, or two below ten.
func decimal(_ number: Double, width: Int) -> String {
    let factor = number < 10 ? 100.0 : 10
    let text = "\((number * factor).rounded() / factor)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
}
