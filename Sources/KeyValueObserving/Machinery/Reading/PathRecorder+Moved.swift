// What a path does with the reads that its recorder found to be of other objects.

extension PathRecorder {
    /// Calls `body` with the places of all reads, until it returns false; the result is whether that never happened.
    func allRead(_ body: (PathHook.PlaceKey) -> Bool) -> Bool {
        var next = 0
        for index in unsafe expected.indices {
            guard body(unsafe moved.key(of: index, before: expected[index].place.key, &next)) else { return false }
        }
        return true
    }

    /// Whether a read is of another object than it was before.
    func movesRead(_ index: Int) -> Bool { unsafe moved.position(of: index) != nil }

    /// Puts the reads of other objects into what is expected from here on, and keeps what they replace.
    func exchangeMoved(_ changes: Int) -> ContiguousArray<PathRead> {
        unsafe self.changes = changes
        unsafe moved.exchange(in: &expected)
        return unsafe expected
    }

    /// Tells those who are told of the path's end by way of the path that they are told in another way now.
    func forgetEnds(_ end: Int) {
        let property = unsafe expected[end].place.property
        let table = unsafe Unmanaged.passUnretained(expected[end].place.table)
        unsafe table._withUnsafeGuaranteedRef { $0.forgetAudience(of: property) }
        guard let position = unsafe moved.position(of: end) else { return }
        unsafe moved.table(at: position)._withUnsafeGuaranteedRef { table in
            // Where a hook was taken off it was done then.
            if !hooks.leaves(PathHook.PlaceKey(table, property)) { table.forgetAudience(of: property) }
        }
    }

    /// Lets go of what the reads of other objects replaced; to be called without a lock.
    func forgetMoved() { unsafe moved.removeAll() }
}
