// One small change of the sources, which a test should notice.

/// A variant of the library: one statement left out, or one condition altered.
struct Variant {
    /// Its number in this build, by which it is switched on.
    let number: Int
    /// The file, as a path from the root of the package.
    let file: String
    /// The line on which the altered code begins.
    let line: Int
    let kind: Kind
    /// The code that is altered, in one line.
    let source: String
    /// How many variants of the same file, kind and code come before it.
    let occurrence: Int

    enum Kind: String, CaseIterable {
        case removed
        case alwaysTrue = "true"
        case alwaysFalse = "false"
        case neverMet = "never met"
        case bound
        case zero
        case absent = "nil"
        case empty
    }

    /// What names the variant as long as its code stays as it is, wherever that stands in the file.
    var key: String { Self.key(file: file, kind: kind.rawValue, source: source, occurrence: occurrence) }

    static func key(file: String, kind: String, source: String, occurrence: Int) -> String {
        "\(file) | \(kind)\(occurrence == 0 ? "" : " #\(occurrence + 1)") | \(source)"
    }

    /// The folder that the report counts it in.
    var folder: String {
        file.split(separator: "/").dropLast().dropFirst().joined(separator: "/")
    }

    var description: String { "\(file):\(line): \(kind.rawValue): \(source)" }
}
