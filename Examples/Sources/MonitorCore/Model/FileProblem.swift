// What is wrong with a file.

/// A file that could not be read, or not be understood.
package struct FileProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file.
    package var path: String
    /// What is wrong with it.
    package var reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// One line, such as `/proc/meminfo: no such file`.
    package var description: String { "\(path): \(reason)" }
}
