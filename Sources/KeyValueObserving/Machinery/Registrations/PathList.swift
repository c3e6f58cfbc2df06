// The paths that lead through one property of an object.

/// The paths that are hooked to a property, in the order in which they came.
///
/// They are not retained: a path is unhooked everywhere before it goes. Evaluations on several threads may each have
/// hooked the same one. Most lists hold one, which takes no memory of its own.
struct PathList {
    @safe private enum Storage {
        case none
        case one(Unmanaged<ObservedPath>)
        case many([Unmanaged<ObservedPath>])
    }

    private var storage = Storage.none

    var isEmpty: Bool {
        if case .none = storage { true } else { false }
    }

    /// The paths, each once.
    var unique: [ObservedPath] {
        switch storage {
        case .none: []
        case .one(let path): unsafe [path.takeUnretainedValue()]
        case .many(let paths):
            unsafe paths.reduce(into: []) { unique, path in
                let path = unsafe path.takeUnretainedValue()
                if !unique.contains(where: { $0 === path }) { unique.append(path) }
            }
        }
    }

    mutating func append(_ path: ObservedPath) {
        let path = unsafe Unmanaged.passUnretained(path)
        switch storage {
        case .none:
            storage = unsafe .one(path)
        case .one(let first):
            storage = unsafe .many([first, path])
        case .many(var paths):
            // The array is changed in place.
            storage = .none
            unsafe paths.append(path)
            storage = unsafe .many(paths)
        }
    }

    /// Removes a path once, if it is there.
    mutating func remove(_ path: ObservedPath) {
        let path = unsafe Unmanaged.passUnretained(path).toOpaque()
        switch storage {
        case .none:
            break
        case .one(let only):
            if unsafe only.toOpaque() == path { storage = .none }
        case .many(var paths):
            guard let position = unsafe paths.firstIndex(where: { unsafe $0.toOpaque() == path }) else { return }
            storage = .none
            unsafe paths.remove(at: position)
            if unsafe !paths.isEmpty { storage = unsafe .many(paths) }
        }
    }
}
