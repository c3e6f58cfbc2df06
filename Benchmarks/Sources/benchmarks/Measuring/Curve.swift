// How a quantity grows.

/// One quantity against one size, for all contenders.
struct Curve: Encodable {
    /// What grows: `set`, `register`, `append` or `memory`.
    let quantity: String
    let unit: Figure.Unit
    /// What it grows with.
    let against: String
    private(set) var sizes: [Int] = []
    /// The medians of each contender, one for each size.
    private(set) var values: [String: [Double]] = [:]

    private init(_ quantity: String, _ unit: Figure.Unit, against: String) {
        self.quantity = quantity
        self.unit = unit
        self.against = against
    }

    /// All there are; briefly, only their first points.
    static func all(isBrief: Bool) -> [Curve] {
        let effort = isBrief ? Effort.brief : .quick
        let counts = isBrief ? [0, 1, 10] : [0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]
        let lengths = isBrief ? [10] : [10, 100, 1_000, 10_000, 100_000]
        var sets = Curve("set", .nanoseconds, against: "observers")
        var registrations = Curve("register", .nanoseconds, against: "observers already there")
        for count in counts {
            sets.add(timed(loopsOfSetting(observers: count), effort), at: count)
            registrations.add(timed(Loop.registrations(present: count), effort), at: count)
        }
        var appends = Curve("append", .nanoseconds, against: "elements")
        for length in lengths { appends.add(timed(Loop.viewAppends(to: length), effort), at: length) }
        var memory = Curve("memory", .bytes, against: "objects with one observer each")
        for count in isBrief ? [10] : [10, 100, 1_000, 10_000] { memory.add(heapOfObjects(count), at: count) }
        return [sets, registrations, appends, memory]
    }

    /// The same contenders, whether anybody observes or not.
    private static func loopsOfSetting(observers: Int) -> [Loop] {
        let observed = Loop.sets(observers: observers)
        guard observers == 0 else { return observed }
        return Loop.setsUnobserved.filter { loop in
            loop.operation == "set-0" && observed.contains { $0.contender == loop.contender }
        }
    }

    /// Adds a point for each figure.
    private mutating func add(_ figures: [Figure], at size: Int) {
        sizes.append(size)
        for figure in figures { values[figure.contender, default: []].append(figure.median) }
    }

    /// What so many objects with an observer each take, for those who can be observed.
    private static func heapOfObjects(_ count: Int) -> [Figure] {
        let figures = heapFigures(count: count)
        return figures.filter { $0.operation == "bytes-first" }.map { first in
            let object = figures.first { $0.name == "bytes-object/\(first.contender)" }
            return Figure("memory/\(first.contender)", .bytes, [Double(count) * (first.median + (object?.median ?? 0))])
        }
    }
}

extension Curve: CustomStringConvertible {
    var description: String {
        let contenders = values.keys.sorted()
        var table = Table([against] + contenders)
        for (index, size) in sizes.enumerated() {
            table.add(["\(size)"] + contenders.map { decimal(values[$0].map { $0[index] } ?? .nan) })
        }
        return "\(quantity), \(unit.rawValue)\n\(table)"
    }
}
