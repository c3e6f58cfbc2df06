// What arrives in each cell, as text.
import KeyValueObserving
import Testing

/// A cell with what is asked for, and what arrives of the changes of a cask.
struct CellRow: Sendable, CustomTestStringConvertible {
    let cell: Cell
    let options: KeyValueObservingOptions
    let lines: [String]

    var testDescription: String { "\(cell.testDescription), \(options)" }

    /// What arrives of `change()`, for all cells and options.
    static let ofChanges = Cell.all.flatMap { cell in
        (changes[cell.form] ?? []).filter {
            cell.place == .here || !$0.options.contains(.prior)
        }.map { Self(cell: cell, options: $0.options, lines: cell.lines($0.text)) }
    }

    /// What arrives of three turns, the second of which is ignored.
    static let ofIgnored = Cell.all.filter { !$0.place.isIteration }.map {
        Self(cell: $0, options: [.old, .new], lines: $0.lines(ignored[$0.form] ?? ""))
    }

    // MARK: The table

    private typealias Rows = [(options: KeyValueObservingOptions, text: String)]

    private static let changes: [Cell.Form: Rows] = [
        .keyPath: stored, .list: stored, .string: stored, .expression: computed, .elements: each,
        .onChange: [([], ofExpression), (.initial, "level 0→0 | marks []→[] | \(ofExpression)")],
        .onChangeReading: [([], ofExpression), (.initial, "level 0→0 | marks []→[] | \(ofExpression)")],
        .values: [([], wholes), (.distinct, distinctWholes)],
        .valuesReading: [([], wholes), (.distinct, distinctWholes)],
    ]

    private static let stored: Rows = [
        (
            [],
            """
            level ·→· | marks insertion ·→· | level ·→· | level ·→· | marks ·→· | marks ·→· | level ·→·
            """
        ),
        (
            .old,
            """
            level 0→· | marks insertion ·→· | level 1→· | level 1→· | marks [1]→· | marks [3]→· | level 3→·
            """
        ),
        (
            .new,
            """
            level ·→1 | marks insertion ·→[1] | level ·→1 | level ·→3 | marks ·→[3] | marks ·→[3] | level ·→4
            """
        ),
        ([.old, .new], oldAndNew),
        ([.initial, .old, .new], "level ·→0 | marks ·→[] | \(oldAndNew)"),
        (
            [.distinct, .old, .new],
            """
            level 0→1 | marks insertion ·→[1] | level 1→3 | marks [1]→[3] | level 3→4
            """
        ),
        (
            [.prior, .old, .new],
            """
            level prior 0→· | level 0→1 | marks prior insertion ·→· | marks insertion ·→[1] | level prior 1→· | \
            level 1→1 | level prior 1→· | marks prior insertion ·→· | level 1→3 | marks [1]→[3] | marks prior [3]→· | marks [3]→[3] | level prior 3→· | level 3→4
            """
        ),
    ]
    private static let oldAndNew = """
        level 0→1 | marks insertion ·→[1] | level 1→1 | level 1→3 | marks [1]→[3] | marks [3]→[3] | level 3→4
        """

    private static let computed: Rows = [
        ([], "level ·→· | marks ·→· | level ·→· | level ·→· | marks ·→· | marks ·→· | level ·→·"),
        (.old, "level 0→· | marks []→· | level 1→· | level 1→· | marks [1]→· | marks [3]→· | level 3→·"),
        (.new, "level ·→1 | marks ·→[1] | level ·→1 | level ·→3 | marks ·→[3] | marks ·→[3] | level ·→4"),
        ([.old, .new], oldAndNewComputed),
        ([.initial, .old, .new], "level ·→0 | marks ·→[] | \(oldAndNewComputed)"),
        ([.distinct, .old, .new], ofExpression),
        (
            [.prior, .old, .new],
            """
            level prior 0→· | level 0→1 | marks prior []→· | marks []→[1] | level prior 1→· | level 1→1 | \
            level prior 1→· | marks prior [1]→· | level 1→3 | marks [1]→[3] | marks prior [3]→· | marks [3]→[3] | \
            level prior 3→· | level 3→4
            """
        ),
    ]
    private static let oldAndNewComputed =
        "level 0→1 | marks []→[1] | level 1→1 | level 1→3 | marks [1]→[3] | marks [3]→[3] | level 3→4"

    private static let ofExpression = "level 0→1 | marks []→[1] | level 1→3 | marks [1]→[3] | level 3→4"

    private static let each: Rows = [
        ([], "+a | a ·→· | a ·→· | +b | b ·→· | -a"),
        (.old, "+a | a 0→· | a 1→· | +b | b 0→· | -a"),
        (.new, "+a | a ·→1 | a ·→1 | +b | b ·→2 | -a"),
        ([.old, .new], "+a | a 0→1 | a 1→1 | +b | b 0→2 | -a"),
        // #49
        ([.initial, .new], "+a | a ·→0 | a ·→1 | a ·→1 | +b | b ·→0 | b ·→2 | -a"),
        ([.distinct, .old, .new], "+a | a 0→1 | +b | b 0→2 | -a"),
        ([.prior, .old, .new], "+a | a prior 0→· | a 0→1 | a prior 1→· | a 1→1 | +b | b prior 0→· | b 0→2 | -a"),
    ]

    /// Whole values.
    private static let wholes =
        "level 0 | marks [] | level 1 | marks [1] | level 1 | level 3 | marks [3] | marks [3] | level 4"
    private static let distinctWholes =
        "level 0 | marks [] | level 1 | marks [1] | level 3 | marks [3] | level 4"

    private static let ignored: [Cell.Form: String] = [
        .keyPath: storedIgnored, .list: storedIgnored, .string: storedIgnored,
        .expression: toldLast, .onChange: toldLast, .onChangeReading: toldLast,
        .values: toldWhole, .valuesReading: toldWhole,
        .elements: "+a | a 0→1 | a 2→3",
    ]
    private static let storedIgnored = "level 0→1 | marks insertion ·→[1] | level 2→3 | marks insertion ·→[3]"
    private static let toldWhole =
        "level 0 | marks [] | level 1 | marks [1] | level 3 | marks [1, 2, 3]"
    private static let toldLast = "level 0→1 | marks []→[1] | level 1→3 | marks [1]→[1, 2, 3]"
}

extension Cell {
    /// The lines of a text that this cell is about.
    fileprivate func lines(_ text: String) -> [String] {
        text.split(separator: " | ").map(String.init).filter { line in
            subject == .both || subject == .parts || line.hasPrefix("\(subject)")
        }
    }
}
