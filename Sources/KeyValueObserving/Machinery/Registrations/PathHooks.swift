// Where one path is hooked.

/// The properties that a path is hooked to, with the number of the evaluation that read each of them last.
///
/// There are few as a rule, in the order in which they are read, so they are searched from where one is expected. Many
/// are found by a dictionary.
struct PathHooks {
    private struct Entry {
        let place: PropertyPlace
        var lastRead: Int
    }

    private var entries: ContiguousArray<Entry> = []
    /// Where the places are, if they are many.
    private var positions: [PropertyPlace.Key: Int] = [:]

    private static let most = 16

    var isEmpty: Bool { entries.isEmpty }
    var places: [PropertyPlace] { entries.map(\.place) }

    func contains(_ key: PropertyPlace.Key) -> Bool { position(of: key, from: 0) != nil }

    /// Notes that an evaluation reads a property.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - evaluation: The number of the evaluation.
    ///   - start: Where it is most likely; then, where the next one is.
    /// - Returns: False if the path is not hooked to it.
    mutating func noteRead(_ key: PropertyPlace.Key, in evaluation: Int, from start: inout Int) -> Bool {
        guard let position = position(of: key, from: start) else { return false }
        if entries[position].lastRead < evaluation { entries[position].lastRead = evaluation }
        start = position + 1
        return true
    }

    mutating func append(_ place: consuming PropertyPlace, readIn evaluation: Int) {
        if !positions.isEmpty { positions[place.key] = entries.count }
        entries.append(Entry(place: consume place, lastRead: evaluation))
        if positions.isEmpty, entries.count > Self.most { findAgain() }
    }

    /// Takes out the properties that were not read since an evaluation began.
    mutating func removeAll(readBefore evaluation: Int, into stale: inout ContiguousArray<PropertyPlace>) {
        // Entries change places in the buffer, where that counts no references.
        let kept = unsafe entries.withUnsafeMutableBufferPointer { entries in
            var kept = 0
            for position in entries.indices where unsafe entries[position].lastRead >= evaluation {
                if kept < position { unsafe entries.swapAt(kept, position) }
                kept += 1
            }
            return kept
        }
        removeAll(from: kept, into: &stale)
    }

    /// Takes out the properties that only one evaluation needed.
    mutating func removeAll(
        readIn evaluation: Int, unless isNeeded: (PropertyPlace.Key) -> Bool,
        into stale: inout ContiguousArray<PropertyPlace>
    ) {
        let kept = entries.partition { $0.lastRead == evaluation && !isNeeded($0.place.key) }
        removeAll(from: kept, into: &stale)
    }

    private mutating func removeAll(from kept: Int, into stale: inout ContiguousArray<PropertyPlace>) {
        guard kept < entries.count else { return }
        while entries.count > kept { stale.append(entries.removeLast().place) }
        findAgain()
    }

    private func position(of key: PropertyPlace.Key, from start: Int) -> Int? {
        if start < entries.count, entries[start].place.key == key { return start }
        guard positions.isEmpty else { return positions[key] }
        return entries.firstIndex { $0.place.key == key }
    }

    /// Notes where the places are, if they are many.
    private mutating func findAgain() {
        if !positions.isEmpty { positions = [:] }
        guard entries.count > Self.most else { return }
        for (position, entry) in entries.enumerated() { positions[entry.place.key] = position }
    }
}
