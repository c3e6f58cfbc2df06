// The survivors that are accepted, each with its reason.

internal import Foundation

/// The list of accepted survivors.
///
/// A line names a variant as the tool prints it; the next line, indented, gives the reason. It begins with
/// `equivalent:` where the library behaves the same with the variant, and with `survives:` where no test can tell.
struct Accepted {
    struct Entry {
        let key: String
        let reason: String

        /// Whether the variant changes nothing that could be noticed.
        var isEquivalent: Bool { reason.hasPrefix("equivalent: ") }
    }

    private(set) var entries: [String: Entry] = [:]
    /// Lines that cannot be read.
    private(set) var faults: [String] = []

    init(_ file: URL) {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var keys: [String] = []
        var hasReason = true
        for line in text.split(separator: "\n").map(String.init) where !line.hasPrefix("#") {
            if !line.hasPrefix("    ") {
                if hasReason { keys = [] }
                keys.append(line)
                hasReason = false
                continue
            }
            let reason = line.trimmingCharacters(in: .whitespaces)
            let isKnown = reason.hasPrefix("equivalent: ") || reason.hasPrefix("survives: ")
            if hasReason || !isKnown { faults.append(line) }
            for key in keys {
                if entries[key] != nil { faults.append("twice: \(key)") }
                entries[key] = Entry(key: key, reason: reason)
            }
            hasReason = true
        }
        if !hasReason { faults += keys.map { "no reason: \($0)" } }
    }

    /// The entries whose code is no longer there.
    func missing(in variants: [Variant]) -> [String] {
        let known = Set(variants.map(\.key))
        return entries.keys.filter { !known.contains($0) }.sorted()
    }
}
