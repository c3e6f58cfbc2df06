// The library's notes in the log of the server.
import KeyValueObserving
import Logging

extension KeyValueDiagnostics {
    /// Logs notes on likely mistakes, instead of printing them.
    static func log(to logger: Logger) {
        noteHandler = { note in logger.warning("\(note)", metadata: ["source": "KeyValueObserving"]) }
    }
}
