// The hooks of one path.

/// The hooks of a path, with the number of the evaluation that read each property last.
///
/// There are few as a rule, in the order in which they are read, so they are searched from where one is expected. Many
/// are found by a dictionary.
struct PathHooks {
    private struct Entry {
        let hook: PathHook
        // The hook retains the table, so the key names no other one.
        let key: PathHook.PlaceKey
        var lastRead: Int
    }

    private var entries: ContiguousArray<Entry> = []
    /// Where the hooks are, if they are many.
    private var positions: [PathHook.PlaceKey: Int] = [:]

    private static let most = 16

    var all: [PathHook] { entries.map(\.hook) }

    /// Notes that an evaluation reads a property.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - evaluation: The number of the evaluation.
    ///   - start: Where the hook is most likely; then, where the next one is.
    /// - Returns: False if there is no hook.
    mutating func noteRead(_ key: PathHook.PlaceKey, in evaluation: Int, from start: inout Int) -> Bool {
        guard let position = position(of: key, from: start) else { return false }
        if entries[position].lastRead < evaluation { entries[position].lastRead = evaluation }
        start = position + 1
        return true
    }

    mutating func append(_ hook: PathHook, at key: PathHook.PlaceKey, readIn evaluation: Int) {
        entries.append(Entry(hook: hook, key: key, lastRead: evaluation))
        if !positions.isEmpty {
            positions[key] = entries.count - 1
        } else if entries.count > Self.most {
            findAgain()
        }
    }

    /// Takes out the hooks of properties that were not read since an evaluation began.
    mutating func removeAll(readBefore evaluation: Int, into stale: inout SpareHooks) {
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

    /// Takes out the hooks that only one evaluation needed.
    mutating func removeAll(
        readIn evaluation: Int, unless isNeeded: (PathHook.PlaceKey) -> Bool, into stale: inout SpareHooks
    ) {
        let kept = entries.partition { $0.lastRead == evaluation && !isNeeded($0.key) }
        removeAll(from: kept, into: &stale)
    }

    private mutating func removeAll(from kept: Int, into stale: inout SpareHooks) {
        guard kept < entries.count else { return }
        while entries.count > kept { stale.give(entries.removeLast().hook) }
        findAgain()
    }

    private func position(of key: PathHook.PlaceKey, from start: Int) -> Int? {
        if start < entries.count, entries[start].key == key { return start }
        guard positions.isEmpty else { return positions[key] }
        return entries.firstIndex { $0.key == key }
    }

    /// Notes where the hooks are, if they are many.
    private mutating func findAgain() {
        if !positions.isEmpty { positions = [:] }
        guard entries.count > Self.most else { return }
        for (position, entry) in entries.enumerated() { positions[entry.key] = position }
    }
}
