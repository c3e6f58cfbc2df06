// What an object has beside the registrations on its own properties.

/// The paths and the controllers of an object, which most objects have none of.
///
/// The lock of the object's table guards it.
final class ObjectBelongings {
    /// The paths that start at the object.
    private(set) var paths: [ObservedPath] = []
    /// The number of their last change.
    private(set) var version = 0
    private(set) var controllers: ObjectControllers?

    /// Adds a path; false if the paths are not those of `version` any more.
    func add(_ path: ObservedPath, expecting version: Int) -> Bool {
        guard version == self.version else { return false }
        paths.append(path)
        self.version += 1
        return true
    }

    func remove(_ path: ObservedPath?) {
        paths.removeAll { $0 === path }
        version += 1
    }

    func controllers(orElse new: ObjectControllers) -> ObjectControllers {
        if let controllers { return controllers }
        controllers = new
        return new
    }
}
