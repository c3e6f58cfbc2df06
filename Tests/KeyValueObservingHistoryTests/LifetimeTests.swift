// Objects that die, and properties that were changed otherwise: 18.2.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.2 D20 Lifetime and conflicts")
struct LifetimeTests {
    private let manager = KeyValueUndoManager()

    @Test(
        "18.2 The changes of an object that died, or is not tracked any more, vanish from steps",
        arguments: [false, true])
    func vanish(isDeath: Bool) throws {
        let (board, log, kept) = (Board(), Log(), Kept())
        var other: Board? = Board()
        weak let weakOther = other
        manager.track(board, \.count)
        manager.track(other!, \.count)
        board.count = 1
        other!.count = 1
        withKeyValueTransaction {
            board.count = 2
            other!.count = 2
        }
        manager.group(named: "Last") { other!.count = 3 }
        if isDeath { other = nil } else { manager.stopTracking(other!) }
        #expect((weakOther == nil) == isDeath && manager.undoActionName == nil)
        manager.stopTracking(Board())
        #expect(try undoAll(manager) == 2)
        #expect(board.count == 0 && weakOther?.count ?? 3 == 3 && manager.canRedo)
        // The next change of the manager notifies that nothing is left.
        manager.observe(\.canRedo, options: [.old, .new]) { log.add($1) }.store(in: kept)
        manager.stopTracking(board)
        #expect(!manager.canRedo && !manager.canUndo)
        manager.levelsOfUndo = 1
        #expect(log.take() == ["true→false"])
    }

    @Test("18.2 A note says that stopping has ended steps; there is nothing to undo when the object is tracked again")
    func stopping() async {
        await #expect(processExitsWith: .success) {
            let (notes, manager, board) = (Log(), KeyValueUndoManager(), Board())
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            manager.track(board, \.count)
            manager.stopTracking(board)
            #expect(notes.lines.isEmpty, "nothing was lost")
            manager.track(board, \.count)
            board.count = 1
            manager.stopTracking(board)
            #expect(notes.lines.count == 1 && notes.lines[0].hasPrefix("stopTracking(_:) of a Board ended"))
            manager.track(board, \.count)
            let hasUndone = try manager.undo()
            #expect(!hasUndone)
        }
    }

    @Test("18.2 Objects are retained if requested, until they are no longer tracked; a manager holds none")
    func retained() throws {
        var manager: KeyValueUndoManager? = KeyValueUndoManager(retainsObserved: true)
        weak let weakManager = manager
        let kept = Board()
        var board: Board? = Board()
        weak let weakBoard = board
        manager!.track(board!, \.count)
        manager!.track(kept, \.count)
        board!.count = 1
        board = nil
        try manager!.undo()
        #expect(weakBoard?.count == 0)
        manager!.stopTracking(weakBoard!)
        #expect(weakBoard == nil && !manager!.canRedo)
        manager = nil
        #expect(weakManager == nil && kept.observationInfo.isEmpty)
    }

    @Test("18.2 The values in the steps of an object that is no longer tracked are released at once")
    func valuesAreReleased() {
        let (board, other) = (Board(), Board())
        var card: Card? = Card("a")
        weak let dead = card
        manager.track(board, \.first)
        manager.track(other, \.count)
        board.first = card
        withKeyValueTransaction {
            board.first = nil
            other.count = 1
        }
        card = nil
        #expect(dead != nil)
        manager.stopTracking(board)
        #expect(dead == nil && manager.canUndo)
    }

    @Test("18.2 Tracking leaves nothing behind, whatever ends it", .enabled(if: allocatedBytes() > 0), arguments: 0..<3)
    func memory(index: Int) async {
        await #expect(processExitsWith: .success) { [index = index as Int] in
            let kept = KeyValueUndoManager(levelsOfUndo: 1)
            func round(_ count: Int) {
                for number in 0..<count {
                    let manager = index == 2 ? KeyValueUndoManager() : kept
                    let board = Board()
                    manager.track(board, \.count, \.title, named: "\(index) \(number)")
                    board.count = 1
                    if index == 0 { manager.stopTracking(board) }
                }
            }
            round(3_000)
            let bytes = bytesKept { round(3_000) }
            try #require(bytes < 200_000, "\(bytes)")
        }
    }

    @Test(
        "18.2 An undo that finds a property changed behind its back changes nothing and says so",
        .enabled(if: hasReflectionMetadata))
    func conflict() throws {
        let board = Board()
        manager.track(board, \.count, \.title)
        withKeyValueTransaction {
            board.count = 2
            board.title = String(repeating: "x", count: 1_000)
        }
        board.setSilently(count: 5)
        let error = #expect(throws: KeyValueUndoError.self) { try manager.undo() }
        let made = KeyValueUndoError(
            code: .unexpectedValue, objectType: "Board", key: "count", expected: "2", found: "5")
        #expect(error == made && error.map { Set([$0, made]).count } == 1 && "\(made.code)" == "unexpectedValue")
        #expect(error?.description.hasPrefix("count of Board does not have the value that the step expects: 2") == true)
        #expect(board.count == 5 && board.title != "" && manager.canUndo && !manager.canRedo)
        board.setSilently(count: 2)
        manager.withoutRecording { board.title = "y" }
        let long = #expect(throws: KeyValueUndoError.self) { try manager.undo() }
        #expect(long?.expected == "\"" + String(repeating: "x", count: 199) + "…" && long?.found == "\"y\"")
        #expect(board.count == 2)
    }

    @Test("18.2 A value that the step did not leave is found, whatever its type", .enabled(if: hasReflectionMetadata))
    func values() {
        /// Names in memory of their own, so that a value made of them is no copy.
        func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        func style(_ width: Int, _ text: String) -> Style { Style(width: width, names: names(text)) }
        let object = Card("a")
        let rows: [(name: String, set: (Board) -> Void, found: [(Board) -> Void], same: [(Board) -> Void])] = [
            (
                "elements that come", { $0.mutable(\.tags).append("d") },
                [{ $0.tags = ["x"] }, { $0.tags = [] }], [{ $0.tags = ["d"] }]
            ),
            (
                "elements that go",
                {
                    $0.setSilently(tags: ["a", "b", "c"])
                    $0.mutable(\.tags).remove(at: 1)
                }, [{ $0.tags = ["x", "a", "c"] }], []
            ),
            ("members", { $0.mutable(\.marks).insert(1) }, [{ $0.marks = [] }], [{ $0.marks = [1] }]),
            (
                "entries", { $0.mutable(\.sizes)["b"] = 1 },
                [{ $0.sizes = ["b": 2] }, { $0.sizes = [:] }], [{ $0.sizes = ["b": 1] }]
            ),
            (
                "objects", { $0.mutable(\.cards).append(object) }, [{ $0.cards = [Card("a")] }],
                [{ $0.cards = [object] }]
            ),
            (
                "a slice that has other places", { $0.mutable(\.slice).append(9) },
                [{ $0.slice = [0, 9].dropFirst() }], []
            ),
            (
                "a structure", { $0.style = style(2, "a b") },
                [{ $0.style = style(2, "a c") }, { $0.style = style(3, "a b") }], [{ $0.style = style(2, "a b") }]
            ),
            (
                "a dictionary", { $0.styles = ["a": style(1, "1"), "b": style(1, "2")] },
                [
                    { $0.styles = ["a": style(1, "1")] }, { $0.styles = ["a": style(1, "1"), "b": style(1, "3")] },
                    { $0.styles = ["a": style(1, "1"), "c": style(1, "2")] },
                ], [{ $0.styles = ["a": style(1, "1"), "b": style(1, "2")] }]
            ),
            (
                "an enumeration", { $0.shape = .circles([1]) },
                [{ $0.shape = .circles([2]) }, { $0.shape = .squares([1]) }], [{ $0.shape = .circles([1]) }]
            ),
            (
                "any value", { $0.anything = [style(1, "a")] },
                [{ $0.anything = 1 }, { $0.anything = [style(1, "b")] }], [{ $0.anything = [style(1, "a")] }]
            ),
            // It cannot be told that they differ.
            ("a closure", { $0.anything = { 1 } }, [], [{ $0.anything = { 2 } }]),
        ]
        for row in rows {
            for (index, change) in (row.found + row.same).enumerated() {
                let (board, manager) = (Board(), KeyValueUndoManager())
                manager.track(board, \.tags, \.marks, \.sizes, \.cards, \.style, \.styles, \.shape, \.anything, \.slice)
                row.set(board)
                manager.withoutRecording { change(board) }
                let isFound = index < row.found.count
                #expect(refusal(manager.undo) == (isFound ? .unexpectedValue : nil), "\(row.name)")
                #expect(manager.canUndo == isFound)
            }
        }
    }
}
