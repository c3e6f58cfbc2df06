// The hooks that an evaluation of a path takes off, kept for the next one.
import Synchronization

/// Hooks that can be installed anywhere; behind them, while an evaluation ends, those to be taken off their tables.
///
/// It belongs to a recorder, which one thread uses at a time.
struct SpareHooks {
    private var hooks: ContiguousArray<PathHook> = []
    /// How many of them are at no place.
    private var spareCount = 0

    private static let most = 16

    /// A hook that nobody else has.
    mutating func take(for path: ObservedPath) -> PathHook {
        guard let hook = hooks.popLast() else { return PathHook(of: path) }
        spareCount -= 1
        return hook
    }

    /// Takes back a hook that was never installed.
    mutating func takeBack(_ hook: consuming PathHook) {
        unsafe hook.forgetPlace()?.release()
        hooks.append(consume hook)
        spareCount += 1
    }

    /// Notes a hook that no evaluation needs.
    mutating func give(_ hook: consuming PathHook) { hooks.append(consume hook) }

    /// Whether a hook is to be taken off a property.
    mutating func leaves(_ key: PathHook.PlaceKey) -> Bool {
        for index in spareCount..<hooks.count where hooks[index].isAt(key) { return true }
        return false
    }

    /// Takes the hooks off their tables that no evaluation needs.
    mutating func remove() {
        for index in spareCount..<hooks.count { hooks[index].remove() }
    }

    /// Keeps them, after that, unless others have them: another thread may still be installing one or telling its table.
    mutating func keep() {
        if hooks.count > Self.most { hooks.removeSubrange(max(spareCount, Self.most)...) }
        for index in (spareCount..<hooks.count).reversed() {
            if isKnownUniquelyReferenced(&hooks[index]) {
                // Others have given up their references after all they did.
                atomicMemoryFence(ordering: .acquiring)
                unsafe hooks[index].forgetPlace()?.release()
            } else {
                hooks.remove(at: index)
            }
        }
        spareCount = hooks.count
    }
}
