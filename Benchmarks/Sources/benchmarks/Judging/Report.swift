// What is printed of figures and bars.

/// What was measured, ready to be printed.
struct Report {
    var figures: [String: Figure] = [:]
    /// The names in the order in which they were measured.
    private var order: [String] = []

    /// Adds figures, in place of those with the same name.
    mutating func add(_ new: [Figure]) {
        for figure in new {
            if figures.updateValue(figure, forKey: figure.name) == nil { order.append(figure.name) }
        }
    }

    var inOrder: [Figure] { order.compactMap { figures[$0] } }

    /// All figures, each beside the plain one and the hand-written closure of the same operation.
    var table: Table {
        var table = Table(["", "min", "median", "÷ plain", "÷ closure", "÷ locked list"])
        for figure in inOrder {
            let ratios = ["plain", "closure", "locked-list"].map { contender in
                figures["\(figure.operation)/\(contender)"].map { decimal(figure.median / $0.median) } ?? ""
            }
            table.add([
                figure.name, decimal(figure.minimum), "\(decimal(figure.median)) \(figure.unit.symbol)", ratios[0],
                ratios[1], ratios[2],
            ])
        }
        return table
    }

    /// The bars whose figures are there.
    func table(of bars: [Bar]) -> Table {
        var table = Table(["what must be reached", "measured", "ratio or excess", "bar", ""])
        for bar in bars {
            if case .script(let name) = bar.reading {
                table.add([bar.measure, "", "", bar.limit.text, "see Benchmarks/\(name)"])
            } else if let value = bar.value(in: figures), let verdict = bar.verdict(in: figures),
                let figure = figures[bar.reading.names[0]]
            {
                table.add([
                    bar.measure, "\(decimal(figure.median)) \(figure.unit.symbol)", bar.reading.text(value),
                    bar.limit.text, verdict.text,
                ])
            }
        }
        return table
    }
}

extension Figure.Unit {
    fileprivate var symbol: String {
        switch self {
        case .nanoseconds: "ns"
        case .bytes: "bytes"
        case .allocations: "blocks"
        }
    }
}

extension Bar.Reading {
    fileprivate func text(_ value: Double) -> String {
        switch self {
        case .ratio, .speedup, .script: decimal(value)
        case .figure: ""
        case .excess: "+\(decimal(value))"
        }
    }
}

extension Bar.Limit {
    fileprivate var text: String {
        switch self {
        case .atMost(let bar): "≤ \(decimal(bar))"
        case .atLeast(let bar): "≥ \(decimal(bar))"
        case .same(let part): "1 ± \(decimal(part))"
        }
    }
}

extension Bar.Verdict {
    fileprivate var text: String {
        switch self {
        case .met: "met"
        case .missed: "NOT MET"
        case .notJudged: "not judged: no two free cores"
        }
    }
}
