// How a quantity grows.

/// One quantity against one size, for all contenders.
struct Curve: Encodable {
    /// What grows: `set`, `register`, `append`, `nested`, `transaction` or `memory`.
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

    /// Times the loops of all sizes, all of them in turn.
    private init(
        _ quantity: String, against: String, at sizes: [Int], _ effort: Effort, loops: (_ size: Int) -> [Loop]
    ) {
        self.init(quantity, .nanoseconds, against: against)
        let loops = sizes.map(loops)
        var figures = timed(Array(loops.joined()), effort)[...]
        for (size, loops) in zip(sizes, loops) {
            add(Array(figures.prefix(loops.count)), at: size)
            figures = figures.dropFirst(loops.count)
        }
    }

    /// All there are; briefly, only their first points.
    static func all(isBrief: Bool) -> [Curve] {
        let effort = isBrief ? Effort.brief : .quick
        let counts = isBrief ? [0, 1, 10] : [0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]
        let lengths = isBrief ? [10] : [10, 100, 1_000, 10_000, 100_000]
        var memory = Curve("memory", .bytes, against: "objects with one observer each")
        for count in isBrief ? [10] : [10, 100, 1_000, 10_000] { memory.add(heapOfObjects(count), at: count) }
        return [
            Curve("set", against: "observers", at: counts, effort, loops: loopsOfSetting),
            Curve("register", against: "observers already there", at: counts, effort, loops: Loop.registrations),
            Curve("append", against: "elements", at: lengths, effort, loops: Loop.viewAppends),
            Curve("nested", against: "objects that one change reaches", at: lengths, effort, loops: Loop.nested),
            Curve(
                "transaction", against: "elements of a list", at: lengths, effort, loops: Loop.transactions(elements:)),
            memory,
        ]
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
