// One line of output.

/// Takes the lines of a run, one after the other.
package typealias LineSink = (Line) -> Void

/// A line of output: a label in a column of its own, and a text.
package struct Line: Equatable, Sendable {
    /// What kind of line it is, which decides its color.
    package enum Style: Sendable {
        case heading
        case change
        case problem
        case alarm
        case relief
    }

    package var label: String
    package var text: String
    package var style: Style

    /// A line about something that was observed.
    package init(_ label: String, _ text: String, _ style: Style = .change) {
        self.label = label
        self.text = text
        self.style = style
    }

    /// A line that begins a part of the output.
    package init(heading: String) {
        self.init(heading, "", .heading)
    }

    /// The line as it is printed, without its end.
    package func rendered(colored: Bool) -> String {
        if style == .heading { return colored ? "\u{1B}[1m\(label)\u{1B}[0m" : label }
        let aligned = "  \(label.padded(to: Self.labelWidth))  \(text)".printable
        guard colored, let code else { return aligned }
        return "\u{1B}[\(code)m\(aligned)\u{1B}[0m"
    }

    /// Breaks the text at spaces, or within a word that is too long for a line.
    ///
    /// - Parameter columns: How many columns a line may have; where that leaves the text fewer than eight, it has eight.
    /// - Returns: The lines, of which the first has the label.
    package func wrapped(to columns: Int) -> [Line] {
        guard style != .heading else { return [self] }
        var (texts, text) = ([String](), "")
        var room: Int { max(columns - max(Self.labelWidth, texts.isEmpty ? label.count : 0) - 4, 8) }
        for var word in self.text.split(separator: " ", omittingEmptySubsequences: false) {
            if !text.isEmpty {
                if text.count + 1 + word.count > room {
                    texts.append(text)
                    text = ""
                } else {
                    text += " "
                }
            }
            while text.isEmpty, word.count > room {
                texts.append(String(word.prefix(room)))
                word.removeFirst(room)
            }
            text += word
        }
        return (texts + [text]).enumerated().map { index, text in Line(index == 0 ? label : "", text, style) }
    }

    /// Wide enough for the longest label of a change.
    private static let labelWidth = 19

    private var code: Int? {
        switch style {
        case .heading: 1
        case .change: nil
        case .problem: 33
        case .alarm: 31
        case .relief: 32
        }
    }
}

extension String {
    /// The text, and spaces behind it up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// The text, and spaces before it up to a width.
    func alignedRight(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// The text without control characters, which a process may have in its name and a terminal would obey.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
