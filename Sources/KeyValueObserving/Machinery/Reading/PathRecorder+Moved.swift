// What a path does with the reads that its recorder found to be of other objects.

extension PathRecorder {
    /// Calls `body` with the places of all reads, until it returns false; the result is whether that never happened.
    func allRead(_ body: (PathHook.PlaceKey) -> Bool) -> Bool { unsafe moved.all(of: expected, body) }

    /// Whether a read is of another object than it was before.
    func movesRead(_ index: Int) -> Bool { unsafe moved[index] != nil }

    /// Puts the reads of other objects into what is expected from here on, and keeps what they replace.
    func exchangeMoved(_ changes: Int) -> ContiguousArray<PathRead> {
        unsafe self.changes = changes
        unsafe moved.exchange(in: &expected)
        return unsafe expected
    }

    /// Tells those who are told of the path's end by way of the path that they are told in another way now.
    func forgetEnds(_ end: Int) {
        let place = unsafe expected[end].place
        place.table.forgetAudience(of: place.property)
        // Where a hook was taken off it was done then.
        guard let table = unsafe moved[end], !hooks.leaves(PathHook.Place(table: table, property: place.property))
        else { return }
        table.forgetAudience(of: place.property)
    }

    /// Lets go of what the reads of other objects replaced; to be called without a lock.
    func forgetMoved() { unsafe moved.removeAll() }
}
