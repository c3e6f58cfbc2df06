// Tables of text.

/// Rows of cells in columns as wide as their widest cell; the first column is left-aligned, the others right.
struct Table: CustomStringConvertible {
    private var rows: [[String]] = []

    init(_ header: [String]) { rows.append(header) }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    var description: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// A number with as many digits as say something.
func decimal(_ number: Double) -> String {
    guard number.isFinite else { return "–" }
    let factor = abs(number) < 1 ? 1_000.0 : abs(number) < 10 ? 100.0 : 10
    return abs(number) < 1_000 ? "\((number * factor).rounded() / factor)" : "\(Int(number.rounded()))"
}
