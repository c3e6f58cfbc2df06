// The open change of a property, and its thread.
import Synchronization

extension Source {
    /// Whether no registration was added or removed since recipients were found.
    func isCurrent(_ recipients: Recipients) -> Bool {
        recipients.version == versionNumber.load(ordering: .acquiring)
    }

    /// Whether no registration was added or removed since a version, and no change is open.
    func isFree(since version: UInt32) -> Bool {
        self.version == version && opener.load(ordering: .relaxed) == 0
    }

    /// Opens a change on this thread; false if another thread has one open, so that no change is nested in this one.
    func open(_ change: Mutation) -> Bool {
        let (isOpened, _) = opener.compareExchange(
            expected: 0, desired: ThisThread.number, ordering: .acquiringAndReleasing)
        if isOpened { openMutation = change }
        return isOpened
    }

    /// The change that is open on this thread.
    var openHere: Mutation? { opener.load(ordering: .relaxed) == ThisThread.number ? openMutation : nil }

    /// Whether a change is open on any thread.
    var isOpen: Bool { opener.load(ordering: .relaxed) != 0 }

    /// Closes the open change after the evaluation of its watches, on the thread on which its access ends.
    ///
    /// `version` is that of its recipients.
    func close(used isUsed: Bool, since version: UInt32) {
        openMutation = nil
        guard isManual else { return opener.store(0, ordering: .releasing) }
        // A registration removed meanwhile either finds the change closed, or is noticed here.
        opener.store(0, ordering: .sequentiallyConsistent)
        let isCurrent = versionNumber.load(ordering: .sequentiallyConsistent) == version
        if !isUsed || !isCurrent { dropIfUnused() }
    }

    /// Takes back a change that has been delivered.
    func takeBack(_ change: Mutation) { spare.put(change) }

    /// Takes a change that is over, if there is one.
    func takeSpare() -> Mutation? { spare.take() }

    /// Whether the property is being accessed in place, so that watches that depend on it are not evaluated.
    var isAccessed: Bool { accesses.load(ordering: .acquiring) > 0 }
    /// Whether this thread may be accessing the property in place; a shared property knows the thread that does.
    var isAccessedHere: Bool {
        guard isAccessed, let line = description.line, let object = table.object else { return isAccessed }
        return line(object).isAccessed
    }
    func beginAccess() { accesses.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    func endAccess() { accesses.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
}
