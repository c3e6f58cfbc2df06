// What this library must reach, and how what was measured is judged.

/// One row of what must be reached: what is read off the figures, and how far it may go.
struct Bar {
    let measure: String
    let reading: Reading
    let limit: Limit

    init(_ measure: String, _ reading: Reading, _ limit: Limit) {
        self.measure = measure
        self.reading = reading
        self.limit = limit
    }

    /// What a row says of the figures.
    enum Reading {
        /// The first figure divided by the second.
        case ratio(String, to: String)
        /// How much more two threads do in the time of one, for the operation named so: the contender's, and that of
        /// another who shares nothing, which tells whether the machine has two cores to give.
        case speedup(String, of: String, reference: String)
        /// One figure itself.
        case figure(String)
        /// The first figure less the second.
        case excess(String, over: String)
        /// A script of this package measures it.
        case script(String)

        /// The names of the figures that are read.
        var names: [String] {
            switch self {
            case .ratio(let first, let second), .excess(let first, let second): [first, second]
            case .speedup(let operation, let contender, let reference):
                [contender, reference].flatMap { name in
                    [2, 1].map { "\(operation)-threads-\($0)/\(name)" }
                }
            case .figure(let name): [name]
            case .script: []
            }
        }
    }

    /// How far a reading may go.
    enum Limit {
        case atMost(Double)
        case atLeast(Double)
        /// So much above or below 1.
        case same(within: Double)
    }

    /// Whether times are compared, which vary, and not counts, which do not.
    var isNoisy: Bool {
        switch reading {
        case .ratio, .speedup: true
        case .figure, .excess, .script: false
        }
    }

    /// The reading; nil if a figure is missing.
    func value(in figures: [String: Figure]) -> Double? {
        let medians = reading.names.compactMap { figures[$0]?.median }
        guard medians.count == reading.names.count else { return nil }
        switch reading {
        case .ratio: return medians[0] / medians[1]
        case .speedup: return 2 * medians[1] / medians[0]
        case .figure: return medians[0]
        case .excess: return medians[0] - medians[1]
        case .script: return nil
        }
    }

    /// What the reading amounts to; nil if a figure is missing.
    ///
    /// - Parameters:
    ///   - figures: What was measured.
    ///   - margin: How much worse times may be for the noise, as a part of 1.
    /// - Returns: The verdict.
    func verdict(in figures: [String: Figure], margin: Double = 0) -> Verdict? {
        guard let value = value(in: figures) else { return nil }
        if case .speedup = reading, !hasTwoCores(in: figures) { return .notJudged }
        let slack = isNoisy ? 1 + margin : 1
        return switch limit {
        case .atMost(let bar):
            value <= bar * slack ? .met : .missed
        case .atLeast(let bar):
            value >= bar / slack ? .met : .missed
        case .same(let part):
            value <= (1 + part) * slack && value >= (1 - part) / slack ? .met : .missed
        }
    }

    /// Whether two threads that share nothing did nearly twice as much as one.
    private func hasTwoCores(in figures: [String: Figure]) -> Bool {
        let medians = reading.names.compactMap { figures[$0]?.median }
        return medians.count == 4 && 2 * medians[3] / medians[2] >= 1.8
    }

    enum Verdict: String, Encodable {
        case met
        case missed
        /// Other programs keep the machine from saying.
        case notJudged
    }
}
