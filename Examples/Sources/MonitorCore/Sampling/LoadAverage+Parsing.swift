// Reading loadavg.

extension LoadAverage {
    /// Reads a line such as `0.30 0.16 0.06 4/106 5259`.
    package init(parsing text: String) throws(MalformedText) {
        let averages = text.split(whereSeparator: \.isWhitespace).prefix(3).compactMap { Double($0) }
        guard averages.count == 3, averages.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
            throw MalformedText("no three load averages")
        }
        self.init(one: averages[0], five: averages[1], fifteen: averages[2])
    }
}
