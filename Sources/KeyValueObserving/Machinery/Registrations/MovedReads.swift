// Where an evaluation reads the same properties as the one before, of other objects.

/// Those reads of an evaluation that are like the ones before them but for the object.
struct MovedReads {
    private struct Move {
        let index: Int
        var table: ObservationTable
    }

    // In the order in which they were read.
    private var moves: ContiguousArray<Move> = []

    var isEmpty: Bool { moves.isEmpty }
    var count: Int { moves.count }

    /// Notes a read of an object.
    ///
    /// - Parameters:
    ///   - index: How many reads came before it.
    ///   - table: The object's table.
    mutating func append(_ index: Int, _ table: consuming ObservationTable) {
        moves.append(Move(index: index, table: consume table))
    }

    /// The table that is noted for a read; nil if there is none.
    ///
    /// - Parameters:
    ///   - index: How many reads came before it.
    ///   - next: How many of the reads before it are noted here; then, how many with it.
    /// - Returns: The table.
    func table(of index: Int, _ next: inout Int) -> Unmanaged<ObservationTable>? {
        guard next < moves.count, moves[next].index == index else { return nil }
        defer { next += 1 }
        return unsafe table(at: next)
    }

    /// Puts what was read in the place of what was read before, and keeps that.
    mutating func exchange(in reads: inout ContiguousArray<PathRead>) {
        for position in moves.indices {
            swap(&reads[moves[position].index].place.table, &moves[position].table)
        }
    }

    /// Where the table that is noted for a read is; nil if there is none.
    func position(of index: Int) -> Int? { moves.firstIndex { $0.index == index } }

    /// The table that is noted at a position.
    func table(at position: Int) -> Unmanaged<ObservationTable> { unsafe .passUnretained(moves[position].table) }

    mutating func removeAll() { while moves.popLast() != nil {} }
}
