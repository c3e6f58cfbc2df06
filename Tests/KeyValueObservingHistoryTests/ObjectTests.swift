// Lists of objects: who is tracked, and what undo of one of many costs: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 18.2 D20 Lists of objects")
struct ObjectTests {
    private final class Shelf: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var list: [Book] = []
        @Observed var table: [String: Book] = [:]
    }

    /// An object that counts how often it is looked into.
    private final class Book: CustomReflectable {
        let log: Log
        init(_ log: Log) { self.log = log }

        var customMirror: Mirror {
            log.add("look")
            return Mirror(self, children: [])
        }
    }

    @Test("18.1 Undo of one of many objects compares the others by reference, and looks into none")
    func many() throws {
        let (shelf, manager, log) = (Shelf(), KeyValueUndoManager(), Log())
        shelf.list = (0..<100).map { _ in Book(log) }
        shelf.table = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", Book(log)) })
        manager.track(shelf, \.list, \.table)
        shelf.mutable(\.list).append(Book(log))
        shelf.mutable(\.table)["new"] = Book(log)
        shelf.list.swapAt(0, 1)
        for _ in 1...3 { try manager.undo() }
        while manager.canRedo { try manager.redo() }
        #expect(shelf.list.count == 101 && shelf.table.count == 101)
        #expect(log.lines.count < 10, "\(log.lines.count)")
    }
}
