// The hooks of one property of an object.

/// The hooks of the paths that lead through a property, in the order in which they came.
///
/// Most lists hold one, which takes no memory of its own.
struct PathHookList {
    private enum Storage {
        case none
        case one(PathHook)
        case many([PathHook])
    }

    private var storage = Storage.none

    var isEmpty: Bool {
        if case .none = storage { true } else { false }
    }

    /// The hooks' paths, each once: two evaluations on two threads may both have hooked theirs.
    var uniquePaths: [ObservedPath] {
        switch storage {
        case .none: []
        case .one(let hook): [hook.path]
        case .many(let hooks):
            hooks.reduce(into: []) { paths, hook in
                if !paths.contains(where: { $0 === hook.path }) { paths.append(hook.path) }
            }
        }
    }

    mutating func append(_ hook: PathHook) {
        switch storage {
        case .none:
            storage = .one(hook)
        case .one(let first):
            storage = .many([first, hook])
        case .many(var hooks):
            // The array is changed in place.
            storage = .none
            hooks.append(hook)
            storage = .many(hooks)
        }
    }

    /// Removes a hook; false if it is not there.
    mutating func remove(_ hook: PathHook) -> Bool {
        switch storage {
        case .none:
            return false
        case .one(let only):
            guard only === hook else { return false }
            storage = .none
        case .many(var hooks):
            guard let position = hooks.firstIndex(where: { $0 === hook }) else { return false }
            storage = .none
            hooks.remove(at: position)
            if !hooks.isEmpty { storage = .many(hooks) }
        }
        return true
    }
}
