// The hooks of one property of an object.

/// The hooks of the paths that lead through a property, in the order in which they came.
///
/// They are not retained: a path takes a hook off its property before it lets go of it. Most lists hold one, which
/// takes no memory of its own.
struct PathHookList {
    @safe private enum Storage {
        case none
        case one(Unmanaged<PathHook>)
        case many([Unmanaged<PathHook>])
    }

    private var storage = Storage.none

    var isEmpty: Bool {
        if case .none = storage { true } else { false }
    }

    /// The hooks' paths, each once: two evaluations on two threads may both have hooked theirs.
    var uniquePaths: [ObservedPath] {
        switch storage {
        case .none: []
        case .one(let hook): unsafe [hook.takeUnretainedValue().path]
        case .many(let hooks):
            unsafe hooks.reduce(into: []) { paths, hook in
                let path = unsafe hook.takeUnretainedValue().path
                if !paths.contains(where: { $0 === path }) { paths.append(path) }
            }
        }
    }

    mutating func append(_ hook: PathHook) {
        let hook = unsafe Unmanaged.passUnretained(hook)
        switch storage {
        case .none:
            storage = unsafe .one(hook)
        case .one(let first):
            storage = unsafe .many([first, hook])
        case .many(var hooks):
            // The array is changed in place.
            storage = .none
            unsafe hooks.append(hook)
            storage = unsafe .many(hooks)
        }
    }

    /// Removes a hook; false if it is not there.
    mutating func remove(_ hook: PathHook) -> Bool {
        let hook = unsafe Unmanaged.passUnretained(hook).toOpaque()
        switch storage {
        case .none:
            return false
        case .one(let only):
            guard unsafe only.toOpaque() == hook else { return false }
            storage = .none
        case .many(var hooks):
            guard let position = unsafe hooks.firstIndex(where: { unsafe $0.toOpaque() == hook }) else { return false }
            storage = .none
            unsafe hooks.remove(at: position)
            if unsafe !hooks.isEmpty { storage = unsafe .many(hooks) }
        }
        return true
    }
}
