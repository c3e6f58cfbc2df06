// Random programs of changes, groups, undos and redos, against a model that keeps whole states: 18.1, 18.3.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 18.3 D20 Random programs of undo and redo")
struct ProgramTests {
    @Test(
        "18.1 18.3 Undo and redo lead to the states that were there, whatever was done",
        arguments: 0..<40 as Range<UInt64>)
    func program(seed: UInt64) throws {
        var program = Program(seed)
        for step in 0..<60 {
            try program.step()
            let (found, expected) = (State(program.boards), program.states[program.index])
            try #require(found == expected, "seed \(seed), step \(step): \(program.log.suffix(6))")
            #expect(program.manager.canUndo == (program.index > program.oldest), "seed \(seed), step \(step)")
            #expect(program.manager.canRedo == (program.index + 1 < program.states.count), "seed \(seed), step \(step)")
        }
        try program.replay()
        #expect(State(program.replica) == State(program.boards), "seed \(seed)")
        while program.manager.canUndo { try program.manager.undo() }
        #expect(State(program.boards) == program.states[program.oldest], "seed \(seed)")
    }
}

/// The whole state of some boards.
private struct State: Equatable {
    var counts: [Int]
    var tags: [[String]]
    var marks: [Set<Int>]
    var sizes: [[String: Int]]

    init(_ boards: [Board]) {
        counts = boards.map(\.count)
        tags = boards.map(\.tags)
        marks = boards.map(\.marks)
        sizes = boards.map(\.sizes)
    }
}

private struct Program {
    let boards = [Board(), Board()]
    let replica = [Board(), Board()]
    let manager: KeyValueUndoManager
    /// The state after each step; the first is the one before all.
    private(set) var states: [State]
    /// The present one.
    private(set) var index = 0
    /// The first that can be reached.
    private(set) var oldest = 0
    private(set) var log: [String] = []
    private let levels: Int
    private var random: Random
    private let tokens: [KeyValueObservation]

    init(_ seed: UInt64) {
        random = Random(seed)
        levels = seed % 3 == 0 ? 5 : 0
        manager = KeyValueUndoManager(levelsOfUndo: levels)
        states = [State(boards)]
        for (number, board) in boards.enumerated() {
            manager.track(board, \.count, \.tags, \.marks, \.sizes, named: "\(number)")
        }
        let (first, second) = (boards[0], boards[1])
        // They come to the same result however often they run.
        tokens =
            seed % 2 == 0
            ? []
            : [
                first.bindBothWays(\.count, to: second, \.count),
                first.observe(\.tags) { board, _ in
                    let sizes = Dictionary(board.tags.map { ($0, $0.count) }) { left, _ in left }
                    if board.sizes != sizes { board.sizes = sizes }
                },
            ]
    }

    mutating func step() throws {
        switch random.next(12) {
        case 0, 1:
            log.append("undo")
            try manager.undo()
            index = max(index - 1, oldest)
        case 2:
            log.append("redo")
            try manager.redo()
            index = min(index + 1, states.count - 1)
        case 3, 4: note("transaction") { program in withKeyValueTransaction { program.several() } }
        case 5, 6:
            note("group") { program in
                let manager = program.manager
                manager.group(named: "group") {
                    program.several()
                    withKeyValueTransaction { program.several() }
                }
            }
        default: note("change") { $0.change() }
        }
    }

    /// Makes changes that are one step, if they are any.
    private mutating func note(_ name: String, _ body: (inout Program) -> Void) {
        log.append(name)
        body(&self)
        guard State(boards) != states[index] else { return }
        states.removeSubrange((index + 1)...)
        states.append(State(boards))
        index += 1
        if levels > 0 { oldest = max(oldest, index - levels) }
    }

    private mutating func several() {
        for _ in 0..<random.next(5) { change() }
    }

    /// Makes one change.
    private mutating func change() {
        let number = random.next(2)
        let board = boards[number]
        let tags = board.mutable(\.tags)
        switch random.next(11) {
        case 0, 1: board.count = random.next(4)
        case 2: board.tags = (0..<random.next(4)).map { _ in "\(random.next(9))" }
        case 3, 4: tags.insert("\(random.next(99))", at: random.next(tags.count + 1))
        case 5 where !tags.isEmpty: tags.remove(at: random.next(tags.count))
        case 6 where !tags.isEmpty: tags[random.next(tags.count)] = "\(random.next(99))"
        case 7:
            // Like others, it may change nothing.
            tags.removeAll { $0.count <= 1 }
        case 8:
            let mark = random.next(5)
            if board.marks.contains(mark) {
                board.mutable(\.marks).remove(mark)
            } else {
                board.mutable(\.marks).formUnion([mark, mark + 1])
            }
        case 9 where number == 1: board.mutable(\.sizes)["\(random.next(3))"] = random.next(4) + 1
        case 10: board.marks.formSymmetricDifference([random.next(5)])
        default: board.count += 1
        }
    }

    /// Makes all steps that can be undone again on other boards, if none is missing.
    func replay() throws {
        let other = KeyValueUndoManager()
        for (number, board) in replica.enumerated() {
            let state = states[oldest]
            board.count = state.counts[number]
            board.tags = state.tags[number]
            board.marks = state.marks[number]
            board.sizes = state.sizes[number]
            other.track(board, \.count, \.tags, \.marks, \.sizes, named: "\(number)")
        }
        try other.replay(manager.save())
    }
}

/// SplitMix64.
private struct Random {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(bound))
    }
}
