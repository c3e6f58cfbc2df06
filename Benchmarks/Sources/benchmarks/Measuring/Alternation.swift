// Two values that take turns.

/// Two values that take turns, of which the first counts as 1 and the second as 2.
struct Alternation<Value> {
    let first: Value
    let second: Value

    init(_ first: Value, _ second: Value) {
        self.first = first
        self.second = second
    }

    func at(_ step: Int) -> Value { step & 1 == 1 ? second : first }

    /// Demands what setting so many of them tells, the second one first.
    func expect(_ told: Told, _ count: Int, tellsOld: Bool = true) {
        let olds = count + count / 2
        told.expect(deliveries: count, olds: tellsOld ? olds : nil, news: count + (count + 1) / 2)
    }
}
