// What parsers throw.

/// A text that is not what its file should hold.
package struct MalformedText: Error, Equatable, Sendable {
    /// What was expected, as in `malformed: no MemTotal line`.
    package var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
