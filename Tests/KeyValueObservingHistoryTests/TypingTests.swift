// Changes that follow one another quickly: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 D20 Typing")
struct TypingTests {
    private let board = Board()
    private let clock = ManualClock()
    private let manager: KeyValueUndoManager

    init() {
        manager = KeyValueUndoManager(clock: clock)
        manager.track(board, \.title, coalescing: .seconds(1))
        manager.track(board, \.count)
    }

    private func type(_ text: String) {
        for character in text {
            board.title.append(character)
            clock.advance(by: .seconds(1))
        }
    }

    @Test("18.1 Changes within the time are one step, a later one is another")
    func span() throws {
        type("abc")
        clock.advance(by: .nanoseconds(1))
        type("de")
        try manager.undo()
        #expect(board.title == "abc")
        try manager.undo()
        #expect(board.title == "" && !manager.canUndo)
        try manager.redo()
        #expect(board.title == "abc")
    }

    @Test("18.1 Another property, an undo, a group or a transaction ends it")
    func ends() throws {
        type("a")
        board.count = 1
        type("b")
        manager.group(named: "Group") { type("c") }
        type("d")
        withKeyValueTransaction { board.title.append("e") }
        clock.advance(by: .seconds(1))
        type("f")
        try manager.undo()
        #expect(board.title == "abcde")
        type("g")
        for title in ["abcde", "abcd", "abc", "ab", "a"] {
            try manager.undo()
            #expect(board.title == title)
        }
        #expect(board.count == 1)
        #expect(try undoAll(manager) == 2)
    }

    @Test("18.1 A step in between ends it, however quickly it came")
    func stepBetween() throws {
        board.title = "a"
        manager.group { board.count = 1 }
        board.title = "ab"
        try manager.undo()
        #expect(board.title == "a" && board.count == 1)
        try manager.undo()
        #expect(board.title == "a" && board.count == 0)
    }

    @Test("18.1 Properties that are typed in turn are steps of their own")
    func twoProperties() throws {
        manager.track(board, \.note, coalescing: .seconds(1))
        board.title = "a"
        board.note = "n"
        try manager.undo()
        #expect(board.title == "a" && board.note == nil)
    }

    @Test("18.1 A change that a group names in a handler is not joined to the typing")
    func named() throws {
        let token = board.observe(\.note) { [manager] board, _ in
            manager.group(named: "Append") { board.title.append("b") }
        }
        board.title = "a"
        board.note = "n"
        #expect(manager.undoActionName == "Append")
        try manager.undo()
        #expect(board.title == "a" && manager.undoActionName == nil)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 Changes in a group inside a handler are not joined to others, named or not", arguments: [nil, "Named"])
    func groupInHandler(name: String?) throws {
        let token = board.observe(\.note) { [manager] board, _ in
            manager.group(named: name) { board.title += "a" }
        }
        board.note = "1"
        board.note = "2"
        board.title += "b"
        for title in ["aa", "a", ""] {
            try manager.undo()
            #expect(board.title == title)
        }
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A property that is tracked again takes the new settings", arguments: [true, false])
    func trackedAgain(isJoined: Bool) throws {
        manager.track(board, \.title, \.count, coalescing: isJoined ? .seconds(9) : nil)
        for count in 1...2 {
            board.title.append("a")
            clock.advance(by: .seconds(2))
            board.title.append("b")
            #expect(try undoAll(manager) == (isJoined ? 1 : 2))
            board.count = count
            board.count += 1
            #expect(try undoAll(manager) == (isJoined ? 1 : 2))
        }
    }

    @Test("18.1 Typing that ends where it began is no step")
    func backspace() throws {
        type("a")
        board.title = ""
        #expect(!manager.canUndo)
        board.title = "b"
        try manager.undo()
        #expect(board.title == "" && !manager.canUndo)
    }

    @Test("18.1 What handlers change belongs to the typing")
    func handlers() throws {
        let token = board.observe(\.title) { board, _ in board.count = board.title.count }
        type("abc")
        #expect(board.count == 3)
        token.invalidate()
        try manager.undo()
        #expect(board.title == "" && board.count == 0 && !manager.canUndo)
    }
}
