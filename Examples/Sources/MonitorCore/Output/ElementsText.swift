// Inserted and removed elements as text.
package import KeyValueObserving

extension KeyValueObservedChange {
    /// Which elements came or went, and where: `+ [4, 7–9] sh (4711), ls (4712)`.
    ///
    /// The first few positions and elements stand for many.
    ///
    /// - Parameter names: Names the elements.
    /// - Returns: The text; nil if the value was set as a whole.
    package func elementsText(_ names: (Value) -> [String]) -> String? {
        guard let indexes, let elements = newValue ?? oldValue else { return nil }
        let sign =
            switch kind {
            case .insertion: "+"
            case .removal: "-"
            default: "~"
            }
        let positions = indexes.ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound - 1)"
        }
        return "\(sign) [\(shortened(positions, rest: "…"))] \(shortened(names(elements)))"
    }

    /// The first of several texts, and how many there are beside.
    private func shortened(_ texts: [String], rest: String? = nil) -> String {
        let shown = 4
        guard texts.count > shown else { return texts.joined(separator: ", ") }
        return (texts.prefix(shown) + [rest ?? "and \(texts.count - shown) more"]).joined(separator: ", ")
    }
}
