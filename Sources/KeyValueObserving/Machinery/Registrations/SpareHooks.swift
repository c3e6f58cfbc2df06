// The hooks that one evaluation of a path takes off, kept for the next one.

/// Hooks to be taken off their tables, and hooks that were, for use at other places.
///
/// It belongs to a recorder, which one thread uses at a time.
struct SpareHooks {
    private var stale: ContiguousArray<PathHook> = []
    private var spare: ContiguousArray<PathHook> = []

    private static let most = 16

    /// Notes a hook that no evaluation needs.
    mutating func give(_ hook: consuming PathHook) { stale.append(hook) }

    /// A hook that nobody else has.
    mutating func take(for path: ObservedPath) -> PathHook { spare.popLast() ?? PathHook(of: path) }

    /// Takes back a hook that turned out not to be needed and was never installed.
    mutating func takeBack(_ hook: consuming PathHook) {
        hook.forgetPlace()
        if spare.count < Self.most { spare.append(hook) }
    }

    /// Whether a hook is to be taken off a property.
    func leaves(_ place: PathHook.Place) -> Bool { stale.contains { $0.isAt(place) } }

    /// Takes the hooks off their tables.
    func remove() {
        for hook in stale { hook.remove() }
    }

    /// Keeps those of them that nobody else has; another thread may still be installing one or telling its table.
    mutating func keep() {
        while var hook = stale.popLast() {
            if isKnownUniquelyReferenced(&hook) { takeBack(hook) }
        }
    }
}
