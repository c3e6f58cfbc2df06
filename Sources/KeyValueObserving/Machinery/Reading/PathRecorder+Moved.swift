// What a path does with the reads that its recorder found to be of other objects.

extension PathRecorder {
    /// Notes all reads among the path's hooks, and makes the hooks to those of other objects the path's.
    ///
    /// - Returns: False if the path is not hooked to the others any more.
    func handOverReads(to hooks: inout PathHooks) -> Bool {
        var (start, next, areAllHooked) = (0, 0, true)
        for index in unsafe expected.indices {
            if let place = movedPlace(index, &next) {
                handOver(place, to: &hooks, from: &start)
            } else if unsafe !hooks.noteRead(expected[index].place.key, in: evaluation, from: &start) {
                areAllHooked = false
            }
        }
        return areAllHooked
    }

    /// Adds to a list where the reads of other objects were.
    func appendMoved(to places: inout ContiguousArray<PropertyPlace>) {
        var next = 0
        for index in unsafe expected.indices {
            if let place = movedPlace(index, &next) { places.append(place) }
        }
    }

    /// Where a read is, if it is of another object than before.
    private func movedPlace(_ index: Int, _ next: inout Int) -> PropertyPlace? {
        unsafe moved.table(of: index, &next).map {
            unsafe PropertyPlace(table: $0.takeUnretainedValue(), property: expected[index].place.property)
        }
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
    ///
    /// Where the path was unhooked meanwhile it was done then. Where it was hooked, no audience was kept during the
    /// evaluation.
    func forgetEnds(_ end: Int) {
        let property = unsafe expected[end].place.property
        guard let position = unsafe moved.position(of: end) else {
            return unsafe expected[end].place.table.forgetAudience(of: property)
        }
        unsafe moved.table(at: position)._withUnsafeGuaranteedRef { before in
            if !isStale(PropertyPlace.Key(before, property)) { before.forgetAudience(of: property) }
        }
    }
}
