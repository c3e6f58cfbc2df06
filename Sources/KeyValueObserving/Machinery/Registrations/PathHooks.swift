// The hooks of one path.

/// The hooks of a path, with the number of the evaluation that read each property last.
///
/// There are few as a rule, in the order in which they are read, so they are searched from where one is expected. Many
/// are found by a dictionary.
struct PathHooks {
    private struct Entry {
        let hook: PathHook
        var lastRead: Int
    }

    private var entries: ContiguousArray<Entry> = []
    /// Where the hooks are, if they are many.
    private var positions: [PathHook.Place: Int] = [:]

    private static let most = 16

    var all: [PathHook] { entries.map(\.hook) }

    /// Notes that an evaluation reads a property.
    ///
    /// - Parameters:
    ///   - place: The property.
    ///   - evaluation: The number of the evaluation.
    ///   - following: How many hooks come after the property's, as a rule.
    /// - Returns: False if there is no hook.
    mutating func noteRead(_ place: PathHook.Place, in evaluation: Int, before following: Int? = nil) -> Bool {
        guard let position = position(of: place, before: following) else { return false }
        entries[position].lastRead = max(entries[position].lastRead, evaluation)
        return true
    }

    mutating func append(_ hook: PathHook, readIn evaluation: Int) {
        entries.append(Entry(hook: hook, lastRead: evaluation))
        if !positions.isEmpty {
            positions[hook.place] = entries.count - 1
        } else if entries.count > Self.most {
            findAgain()
        }
    }

    /// Takes out the hooks of properties that were not read since an evaluation began.
    mutating func removeAll(readBefore evaluation: Int) -> [PathHook] {
        var kept = 0
        for position in entries.indices where entries[position].lastRead >= evaluation {
            if kept < position { entries.swapAt(kept, position) }
            kept += 1
        }
        return removeAll(from: kept)
    }

    /// Takes out the hooks that only one evaluation needed.
    mutating func removeAll(readIn evaluation: Int, unless isNeeded: (PathHook.Place) -> Bool) -> [PathHook] {
        let kept = entries.partition { $0.lastRead == evaluation && !isNeeded($0.hook.place) }
        return removeAll(from: kept)
    }

    private mutating func removeAll(from kept: Int) -> [PathHook] {
        guard kept < entries.count else { return [] }
        var removed: [PathHook] = []
        removed.reserveCapacity(entries.count - kept)
        while entries.count > kept { removed.append(entries.removeLast().hook) }
        findAgain()
        return removed
    }

    private func position(of place: PathHook.Place, before following: Int?) -> Int? {
        if let following, following < entries.count {
            let expected = entries.count - 1 - following
            if entries[expected].hook.place == place { return expected }
        }
        return positions.isEmpty ? entries.firstIndex { $0.hook.place == place } : positions[place]
    }

    /// Notes where the hooks are, if they are many.
    private mutating func findAgain() {
        if !positions.isEmpty { positions = [:] }
        guard entries.count > Self.most else { return }
        for (position, entry) in entries.enumerated() { positions[entry.hook.place] = position }
    }
}
