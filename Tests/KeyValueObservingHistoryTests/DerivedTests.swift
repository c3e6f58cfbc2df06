// Tracked properties that others set, by `didSet`, handlers and bindings: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 D20 Derived properties")
struct DerivedTests {
    private let manager = KeyValueUndoManager()

    @Test("18.1 A tracked property that the `didSet` of another one sets never blocks undo and redo", arguments: 0..<64)
    func didSet(program: Int) throws {
        let bill = Bill()
        manager.track(bill, \.prices, \.total, \.log)
        bill.prices = [5]
        bill.mutable(\.prices).value.append(6)
        bill.total = 99
        manager.group { bill.prices = [1, 2, 3] }
        let last = bill.state
        // Each bit is a button that is pressed.
        for bit in 0..<6 { try program >> bit & 1 == 0 ? manager.undo() : manager.redo() }
        while manager.canRedo { try manager.redo() }
        #expect(bill.state == last)
        while manager.canUndo { try manager.undo() }
        #expect(bill.prices == [] && bill.total == 0)
        while manager.canRedo { try manager.redo() }
        #expect(bill.state == last)
    }

    @Test("18.1 Undo ends in the recorded state, though a `didSet` derives another one")
    func recordedState() throws {
        let bill = Bill()
        bill.total = 99
        manager.track(bill, \.prices, \.total)
        manager.group { bill.prices = [5] }
        try manager.undo()
        #expect(bill.prices == [] && bill.total == 99 && !manager.canUndo)
        try manager.redo()
        #expect(bill.prices == [5] && bill.total == 5 && !manager.canRedo)
    }

    @Test("18.1 Where the code of a property runs inside its change, one undo takes back what it set")
    func manualProperty() throws {
        let bill = ManualBill()
        manager.track(bill, \.prices, \.total)
        bill.prices = [5]
        bill.prices = [5, 6]
        try manager.undo()
        #expect(bill.prices == [5] && bill.total == 5)
        try manager.undo()
        #expect(bill.prices == [] && bill.total == 0 && !manager.canUndo)
        try manager.redo()
        try manager.redo()
        #expect(bill.prices == [5, 6] && bill.total == 11 && !manager.canRedo)
    }

    @Test("18.1 What a handler collects is put back, too")
    func collected() throws {
        let board = Board()
        manager.track(board, \.count, \.tags)
        let token = board.observe(\.count) { board, _ in board.mutable(\.tags).append("\(board.count)") }
        board.count = 1
        board.count = 2
        try manager.undo()
        #expect(board.count == 1 && board.tags == ["1"])
        try manager.undo()
        #expect(board.count == 0 && board.tags == [] && !manager.canUndo)
        try manager.redo()
        try manager.redo()
        #expect(board.count == 2 && board.tags == ["1", "2"] && !manager.canRedo)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A handler that is registered after the steps never blocks them")
    func laterHandler() throws {
        let board = Board()
        manager.track(board, \.count, \.title, \.tags, \.note)
        board.title = "old"
        board.note = "old"
        board.count = 1
        board.count = 2
        let token = board.observe(\.count) { board, _ in
            board.title = "\(board.count)"
            board.note = board.count == 1 ? nil : board.title
            board.mutable(\.tags).append(board.title)
        }
        try manager.undo()
        #expect(board.count == 1 && board.title == "1" && board.note == nil)
        try manager.redo()
        #expect(board.count == 2 && board.title == "old" && board.note == "old" && board.tags == [])
        #expect(try undoAll(manager) == 4)
        #expect(board.count == 0 && board.title == "" && board.tags.count < 2)
        while manager.canRedo { try manager.redo() }
        #expect(board.count == 2 && board.title == "old" && board.note == "old" && board.tags == [])
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A binding that contradicts the steps never blocks them")
    func laterBinding() throws {
        let (board, other) = (Board(), Board())
        manager.track(board, \.count)
        manager.track(other, \.count)
        manager.group {
            board.count = 1
            other.count = 5
        }
        let token = board.bindBothWays(\.count, to: other, \.count)
        #expect(other.count == 1)
        for _ in 0..<3 {
            while manager.canUndo { try manager.undo() }
            while manager.canRedo { try manager.redo() }
        }
        #expect(board.count == other.count)
        withExtendedLifetime(token) {}
    }
}

/// `didSet` runs after the change has been delivered.
private final class Bill: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var prices: [Int] = [] {
        didSet {
            total = prices.reduce(0, +)
            mutable(\.log).append(total)
        }
    }
    @Observed var total = 0
    @Observed var log: [Int] = []

    var state: String { "\(prices) \(total) \(log)" }
}

/// `didSet` runs inside the change, as in a class that is declared by macro.
private final class ManualBill: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var stored: [Int] = [] { didSet { total = stored.reduce(0, +) } }
    @Observed var total = 0

    var prices: [Int] {
        get {
            accessValue(for: \.prices)
            return stored
        }
        set { changeValue(for: \.prices) { stored = newValue } }
    }
}
