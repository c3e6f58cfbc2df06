// The registrations that a controller finds by one object.

extension ControllerRegistrations {
    /// Registrations that are found by what they are made on, and by the string they were made with.
    ///
    /// Adding, finding and removing one takes the same time however many there are at other key paths.
    struct EntryList {
        private enum Key: Hashable {
            case target(ObjectIdentifier)
            case text(String)
        }

        private var entries: [Int: Entry] = [:]
        /// The numbers of those at a key path, in the order of registration.
        private var numbers: [Key: [Int]] = [:]
        /// How many there may be before those that ended are looked for.
        private var sweepThreshold = 16

        var isEmpty: Bool { entries.isEmpty }

        /// All of them, in any order.
        var all: [Entry] { Array(entries.values) }

        /// Those at a key path, however that was given, in the order of registration.
        ///
        /// What evaluates a string has a key path of its own for each class it may be registered as. So a string finds
        /// what was made with it, too.
        func entries(at target: ObjectIdentifier?, text: String?) -> [Entry] {
            let found = Self.keys(of: target, text).flatMap { numbers[$0] ?? [] }
            return Set(found).sorted().compactMap { entries[$0] }
        }

        /// Adds one, whose number is greater than all others.
        mutating func append(_ entry: Entry, number: Int) {
            var entry = entry
            entry.number = number
            entries[number] = entry
            for key in Self.keys(of: entry.target, entry.text) { numbers[key, default: []].append(number) }
        }

        /// Takes some out, unless they are out already.
        mutating func remove(_ removed: [Entry]) {
            for entry in removed where entries.removeValue(forKey: entry.number) != nil {
                for key in Self.keys(of: entry.target, entry.text) {
                    numbers[key]?.removeAll { $0 == entry.number }
                    if numbers[key]?.isEmpty ?? false { numbers[key] = nil }
                }
            }
        }

        /// Whether it is time to look for those that have ended: there are twice as many as were left the last time.
        var isDueForSweep: Bool { entries.count > sweepThreshold }

        /// Takes out those that have ended.
        ///
        /// - Returns: Those, to be released without a lock.
        mutating func sweep() -> [Entry] {
            let ended = entries.values.filter(\.observation.isInvalidated)
            remove(ended)
            sweepThreshold = max(16, entries.count * 2)
            return ended
        }

        private static func keys(of target: ObjectIdentifier?, _ text: String?) -> [Key] {
            [target.map { .target($0) }, text.map { .text($0) }].compactMap { $0 }
        }
    }
}
