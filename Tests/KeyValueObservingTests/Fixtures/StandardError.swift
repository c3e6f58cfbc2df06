import TestSupport
// What a process of its own printed before it ended.
import Testing

/// The text on standard error, to be asked for with `observing: [\.standardErrorContent]`.
func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Those of the words that a message lacks; capitals do not matter.
func words(_ words: String..., missingIn message: String) -> [String] {
    words.filter { !message.lowercased().contains($0.lowercased()) }
}

/// Whether a process was ended for an overlapping access, by the library or by Swift itself, which names nothing.
func isOverlap(_ result: ExitTest.Result?, of property: String, _ type: String) -> Bool {
    let message = message(of: result)
    return words("overlap", property, type, missingIn: message).isEmpty
        || words("simultaneous accesses", missingIn: message).isEmpty
}
