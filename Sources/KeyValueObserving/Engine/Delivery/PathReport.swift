// What a delivery knows of what a change means to a path.

/// What the observers of one path are called with.
class PathReport {
    // Only the thread that makes the change uses these.
    /// Registrations with a later number are not called.
    @safe @exclusivity(unchecked) final var newestNumber: RegistrationNumber
    /// The object that the path starts at, kept alive while observers are called; nil until then, and if it is gone.
    @safe @exclusivity(unchecked) final var root: AnyObject?
    @safe @exclusivity(unchecked) final var values = Values.none

    init(newestNumber: RegistrationNumber) {
        self.newestNumber = newestNumber
    }

    /// The values that observers are called with.
    enum Values {
        /// Nothing is delivered: the root is gone, or another change under way will do it.
        case none
        /// The property's values, or the elements of it that change.
        case made(PathLeaf)
        /// The property's old value, and a new one that was read.
        case madeOld(PathLeaf, new: BoxedValue)
        case own(old: BoxedValue?, new: BoxedValue?)
    }
}

/// What a change means to each of the paths that it concerns.
@usableFromInline
class PathReports {
    /// The number of the change, where somebody traces; used by the thread that makes the change.
    @safe @exclusivity(unchecked) final var event = EngineTrace.EventNumber.unreported

    /// What it means to the path at an index.
    func report(at index: Int) -> Unretained<PathReport> { preconditionFailure("a change knows it") }
}
