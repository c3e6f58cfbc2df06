// Where elements changed, as text.

/// Positions as a change that is printed has them.
enum Positions {
    /// Writes `insertion at 2` for `insertion at 2..<3`, and `2–4` for `2..<5`.
    static func text(_ elements: String) -> String {
        elements.split(separator: " ").map(position).joined(separator: " ")
    }

    private static func position(_ word: Substring) -> String {
        let comma = word.hasSuffix(",") ? "," : ""
        let bounds = word.dropLast(comma.count).split(separator: ".")
        guard bounds.count == 2, let first = Int(bounds[0]), let end = Int(bounds[1].dropFirst()) else {
            return String(word)
        }
        return (end == first + 1 ? "\(first)" : "\(first)–\(end - 1)") + comma
    }
}
