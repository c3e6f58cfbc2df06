// Where lines go.
import Foundation
import MonitorCore

/// Prints lines to standard output, in color on a terminal that wants it.
struct StandardOutput {
    private let isColoured: Bool

    init() {
        let environment = ProcessInfo.processInfo.environment
        // https://no-color.org
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColoured = isatty(STDOUT_FILENO) == 1 && !refused && environment["TERM"] != "dumb"
    }

    /// The width of the terminal; 80 where there is none.
    static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Prints a line at once, into a pipe too.
    func print(_ line: Line) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line.rendered(colored: isColoured) + "\n").utf8))
        } catch {
            Self.complain("monitor: cannot write: \(error.localizedDescription)")
            exit(1)
        }
    }

    /// Prints a line to standard error.
    static func complain(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
