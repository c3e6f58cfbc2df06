// Objects that die, and properties that were changed otherwise: 18.2.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.2 D20 Lifetime and conflicts")
struct LifetimeTests {
    private let manager = KeyValueUndoManager()

    @Test("18.2 Objects are held weakly, and the changes of a dead one vanish from all steps")
    func death() throws {
        let board = Board()
        var other: Board? = Board()
        weak let dead = other
        manager.track(board, \.count)
        manager.track(other!, \.count)
        board.count = 1
        other!.count = 1
        withKeyValueTransaction {
            board.count = 2
            other!.count = 2
        }
        other!.count = 3
        other = nil
        #expect(dead == nil && manager.canUndo)
        try manager.undo()
        #expect(board.count == 1)
        try manager.undo()
        #expect(board.count == 0 && !manager.canUndo)
        #expect(manager.canRedo)
    }

    @Test("18.2 When the last object has died there is nothing to undo or redo")
    func lastDeath() throws {
        var board: Board? = Board()
        manager.track(board!, \.count)
        manager.group(named: "One") { board!.count = 1 }
        manager.group(named: "Two") { board!.count = 2 }
        try manager.undo()
        #expect(manager.canUndo && manager.canRedo && manager.undoActionName == "One")
        board = nil
        #expect(!manager.canUndo && !manager.canRedo && manager.undoActionName == nil && manager.redoActionName == nil)
        try manager.undo()
    }

    @Test("18.2 Objects are retained if that is asked for, until they are no longer tracked")
    func retained() throws {
        let manager = KeyValueUndoManager(retainsObserved: true)
        var board: Board? = Board()
        weak let weakBoard = board
        manager.track(board!, \.count)
        board!.count = 1
        board = nil
        #expect(weakBoard != nil && manager.canUndo)
        try manager.undo()
        #expect(weakBoard?.count == 0)
        manager.stopTracking(weakBoard!)
        #expect(weakBoard == nil && !manager.canRedo)
    }

    @Test("18.2 The steps of an object that is no longer tracked vanish")
    func stopTracking() throws {
        let (board, other) = (Board(), Board())
        manager.track(board, \.count)
        manager.track(other, \.count)
        board.count = 1
        other.count = 1
        manager.stopTracking(other)
        manager.stopTracking(Board())
        other.count = 2
        try manager.undo()
        #expect(board.count == 0 && other.count == 2 && !manager.canUndo)
        manager.track(other, \.count)
        other.count = 3
        try manager.undo()
        #expect(other.count == 2)
    }

    @Test("18.2 A step of several objects is undone without the one that is no longer tracked")
    func stopTrackingOne() throws {
        let (board, other) = (Board(), Board())
        manager.track(board, \.count)
        manager.track(other, \.count)
        withKeyValueTransaction {
            board.count = 1
            other.count = 1
        }
        manager.stopTracking(other)
        try manager.undo()
        #expect(board.count == 0 && other.count == 1)
    }

    @Test("18.2 A manager dies with its registrations, and holds no tracked object")
    func managerDies() {
        let board = Board()
        var manager: KeyValueUndoManager? = KeyValueUndoManager()
        weak let dead = manager
        manager!.track(board, \.count)
        board.count = 1
        manager = nil
        #expect(dead == nil && board.observationInfo.isEmpty)
    }

    @Test("18.2 The values in the steps of an object that is no longer tracked are released at once")
    func valuesAreReleased() {
        let (board, other) = (Board(), Board())
        var card: Card? = Card("a")
        weak let dead = card
        manager.track(board, \.first, \.count)
        manager.track(other, \.count)
        board.first = card
        board.first = nil
        withKeyValueTransaction {
            board.first = card
            other.count = 1
        }
        card = nil
        #expect(dead != nil)
        board.setSilently(first: nil)
        manager.stopTracking(board)
        #expect(dead == nil && manager.canUndo)
    }

    @Test(
        "18.2 Tracking leaves nothing behind: when it ends, when the object dies, when the manager dies",
        .enabled(if: allocatedBytes() > 0), arguments: 0..<3)
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

    @Test("18.2 Tracking objects takes the same time for each, named or not, and so do their changes")
    func linearTime() throws {
        func time(_ count: Int) throws -> Duration {
            let manager = KeyValueUndoManager()
            let cards = (0..<count).map { Card("\($0)") }
            return try ContinuousClock().measure {
                for (number, card) in cards.enumerated() { manager.track(card, \.text, named: "\(number)") }
                manager.group { for card in cards { card.text = "changed" } }
                for card in cards { card.text.append("!") }
                manager.group { for card in cards { card.text = "again" } }
                while manager.canUndo { try manager.undo() }
                #expect(cards[0].text == "0")
            }
        }
        // Other tests run at the same time.
        let times = try (0..<3).map { _ in (try time(500), try time(5_000)) }
        #expect(times.contains { few, many in many < few * 30 }, "\(times)")
    }

    @Test("18.2 An undo that finds a property changed behind its back changes nothing and says so")
    func conflict() throws {
        let board = Board()
        manager.track(board, \.count, \.title)
        withKeyValueTransaction {
            board.count = 2
            board.title = "t"
        }
        board.setSilently(count: 5)
        let error = #expect(throws: KeyValueUndoError.self) { try manager.undo() }
        #expect(error?.code == .unexpectedValue && error?.objectType == "Board" && error?.key == "count")
        #expect(error?.expected == "2" && error?.found == "5")
        #expect(error?.description.hasPrefix("count of Board does not have the value that the step expects: 2") == true)
        #expect(board.count == 5 && board.title == "t" && manager.canUndo && !manager.canRedo)
        board.setSilently(count: 2)
        try manager.undo()
        manager.withoutRecording { board.title = "u" }
        #expect(throws: KeyValueUndoError.self) { try manager.redo() }
        #expect(board.count == 0 && board.title == "u")
        manager.removeAllActions()
        #expect(!manager.canRedo)
    }

    @Test("18.2 The values of an error are texts of bounded length")
    func longValues() {
        let board = Board()
        manager.track(board, \.title)
        board.title = String(repeating: "x", count: 1_000)
        manager.withoutRecording { board.title = "y" }
        let error = #expect(throws: KeyValueUndoError.self) { try manager.undo() }
        #expect(error?.expected == "\"" + String(repeating: "x", count: 199) + "…")
        #expect(error?.found == "\"y\"")
    }

    @Test("18.2 They are whole up to 200 characters, what is in an optional, and what a value calls itself")
    func shortValues() {
        struct Size: CustomStringConvertible, CustomDebugStringConvertible, Equatable {
            let description = "2 × 3"
            let debugDescription = "Size(2, 3)"
        }
        let board = Board()
        manager.track(board, \.title, \.note, \.anything)
        board.title = String(repeating: "x", count: 198)
        manager.withoutRecording { board.title = "y" }
        #expect(#expect(throws: KeyValueUndoError.self) { try manager.undo() }?.expected.count == 200)
        manager.removeAllActions()
        board.note = "n"
        manager.withoutRecording { board.note = nil }
        let error = #expect(throws: KeyValueUndoError.self) { try manager.undo() }
        #expect(error?.expected == "\"n\"" && error?.found == "nil")
        manager.removeAllActions()
        board.anything = Size()
        manager.withoutRecording { board.anything = 1 }
        #expect(#expect(throws: KeyValueUndoError.self) { try manager.undo() }?.expected == "2 × 3")
    }

    @Test("18.2 A slice of an array that has other places now is found")
    func slice() {
        let board = Board()
        board.slice = [1, 2, 3]
        manager.track(board, \.slice)
        board.mutable(\.slice)[0] = 9
        board.setSilently(slice: [0, 0, 0, 9, 2, 3].dropFirst(3))
        #expect(#expect(throws: KeyValueUndoError.self) { try manager.undo() }?.code == .unexpectedValue)
    }

    @Test("18.2 Elements that were changed behind its back are found", arguments: 0..<8)
    func elements(index: Int) throws {
        let board = Board()
        board.tags = ["a", "b", "c"]
        board.cards = [Card("a"), Card("b")]
        board.sizes = ["a": 1]
        manager.track(board, \.tags, \.marks, \.sizes, \.cards)
        let (tags, cards) = (board.mutable(\.tags), board.mutable(\.cards))
        switch index {
        case 0:
            tags.append("d")
            board.setSilently(tags: ["a", "b", "c", "x"])
        case 1:
            tags.remove(at: 1)
            board.setSilently(tags: ["x", "a", "c"])
        case 2:
            tags[2] = "d"
            board.setSilently(tags: ["a"])
        case 3:
            board.mutable(\.marks).insert(1)
            board.setSilently(marks: [])
        case 4:
            board.mutable(\.sizes)["b"] = 1
            board.setSilently(sizes: ["a": 1, "b": 2])
        case 5:
            board.mutable(\.sizes)["a"] = nil
            board.setSilently(sizes: ["a": 3])
        case 6:
            cards[0] = Card("c")
            board.setSilently(cards: [Card("c"), board.cards[1]])
        default:
            board.mutable(\.marks).formUnion([1])
            board.mutable(\.marks).subtract([1])
            board.setSilently(marks: [1])
        }
        let error = #expect(throws: KeyValueUndoError.self) { try manager.undo() }
        #expect(error?.code == .unexpectedValue)
        #expect(manager.canUndo && !manager.canRedo)
    }
}
