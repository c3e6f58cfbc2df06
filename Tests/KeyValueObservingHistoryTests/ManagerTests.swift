// What a manager says of itself, its limits and its traps: 18.3.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.3 D20 Limits, names and traps")
struct ManagerTests {
    private let kept = Kept()
    private let board = Board()
    private let manager = KeyValueUndoManager()

    @Test("18.3 levelsOfUndo bounds the steps, the oldest go first; 0 is no bound")
    func levels() throws {
        let manager = KeyValueUndoManager(levelsOfUndo: 2)
        manager.track(board, \.count)
        for count in 1...4 { board.count = count }
        #expect(try undoAll(manager) == 2)
        #expect(board.count == 2)
        try redoAll(manager)
        manager.levelsOfUndo = 1
        #expect(try undoAll(manager) == 1)
        manager.levelsOfUndo = 0
        for count in 5...50 { board.count = count }
        #expect(try undoAll(manager) == 46)
    }

    @Test("2.7 18.1 canUndo, canRedo and the names are observable by their names, and change only when they do")
    func observable() throws {
        manager.track(board, \.count)
        let log = Log()
        [
            manager.observe(\.canUndo, options: [.old, .new]) { log.add($1, as: "undo") },
            manager.observe(\.canRedo, options: [.old, .new]) { log.add($1, as: "redo") },
            manager.observe(\.undoActionName, options: [.old, .new]) { log.add($1, as: "undo name") },
            manager.observe(\.redoActionName, options: [.old, .new]) { log.add($1, as: "redo name") },
        ].store(in: kept)
        #expect(manager.observationInfo.map(\.keyPath) == ["canUndo", "canRedo", "undoActionName", "redoActionName"])
        board.count = 1
        #expect(log.take() == ["undo false→true"])
        board.count = 2
        #expect(log.take() == [])
        manager.group(named: "Three") { board.count = 3 }
        #expect(log.take() == ["undo name nil→Three"])
        try manager.undo()
        #expect(log.take() == ["redo false→true", "undo name Three→nil", "redo name nil→Three"])
        board.count = 4
        #expect(log.take() == ["redo true→false", "redo name Three→nil"])
        manager.removeAllActions()
        #expect(log.take() == ["undo true→false"])
    }

    @Test("18.1 The outermost group gives the name, a group in a handler too; groups complete deliveries first")
    func names() throws {
        let log = Log()
        manager.track(board, \.count)
        manager.group(named: "Outer") { manager.group(named: "Inner") { board.count = 1 } }
        #expect(manager.undoActionName == "Outer")
        [
            board.observe(\.count) { _, _ in manager.group(named: "Named") { log.add("group") } },
            board.observe(\.count) { _, _ in log.add("second") },
        ].store(in: kept)
        board.count = 2
        #expect(manager.undoActionName == "Named" && log.take() == ["second", "group"])
        try manager.undo()
        #expect(manager.undoActionName == "Outer" && manager.redoActionName == "Named")
    }

    @Test("18.1 Undo, redo and replay are refused inside a transaction, a group and a handler of undo")
    func refused() throws {
        manager.track(board, \.count, \.title, named: "board")
        board.count = 1
        let data = try manager.save()
        withKeyValueTransaction {
            #expect(refusal(manager.undo) == .underWay && refusal { try manager.replay(data) } == .underWay)
        }
        manager.group { #expect(refusal(manager.redo) == .underWay) }
        board.observe(\.count) { _, _ in
            #expect(manager.isUndoing && !manager.isRedoing && refusal(manager.undo) == .underWay)
            manager.removeAllActions()
        }.store(in: kept)
        try manager.undo()
        #expect(board.count == 0 && !manager.isUndoing && !manager.canRedo)
    }

    @Test("18.1 Undo and redo say whether there was a step; what was recorded is forgotten when tracking stops")
    func nothingToUndo() throws {
        manager.track(board, \.count)
        #expect(try !manager.undo() && !manager.redo())
        board.count = 1
        #expect(try manager.undo() && !manager.undo() && manager.redo() && !manager.redo())
        manager.stopTracking(board)
        manager.track(board, \.count)
        #expect(try !manager.undo() && board.count == 1)
    }

    @Test("18.1 A handler of canUndo may undo; a property is tracked once, a subclass's key path included")
    func undoWhenPossible() throws {
        final class SubBoard: Board {}
        let board = SubBoard()
        manager.track(board, \.count, \.count)
        // Otherwise these are two key paths.
        if RuntimeAssumption.keyPathComponents.holds { manager.track(board as Board, \.count) }
        manager.observe(\.canUndo) { manager, _ in
            if manager.canUndo { #expect(throws: Never.self) { try manager.undo() } }
        }.store(in: kept)
        board.count = 1
        #expect(board.count == 0 && board.observationInfo.count == 1 && !manager.canUndo && manager.canRedo)
    }

    @Test(
        "18.1 A model of an actor is tracked there, and a change made elsewhere traps",
        .enabled(if: RuntimeAssumption.executors.holds))
    func isolation() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let board = SharedBoard()
            let manager = await MainActor.run {
                let manager = KeyValueUndoManager()
                manager.track(board, \.count)
                board.count = 1
                precondition(manager.canUndo, "not tracked")
                return Unchecked(value: manager)
            }
            await Task.detached { board.count = 2 }.value
            withExtendedLifetime(manager) {}
        }
        #expect(message(of: result).contains("MainActor") && message(of: result).contains("SharedBoard"))
    }

    @Test("18.1 A path through another object traps", .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func path() async {
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Holder: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                @Observed var board = Board()
            }
            KeyValueUndoManager().track(Holder(), \.board.count)
        }
        #expect(message(of: path).contains("is a property of another object"))
    }

    @Test("18.1 18.3 Negative levels, a second name and one given twice trap")
    func traps() async {
        let levels = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = KeyValueUndoManager(levelsOfUndo: -1)
        }
        #expect(message(of: levels).contains("levelsOfUndo is -1"))
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            KeyValueUndoManager().levelsOfUndo = -2
        }
        #expect(message(of: set).contains("levelsOfUndo is -2"))
        let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (manager, board) = (KeyValueUndoManager(), Board())
            manager.track(board, \.count, named: "a")
            manager.track(board, \.title, named: "b")
        }
        #expect(message(of: second).contains(#"A Board is tracked as "a" and cannot be tracked as "b", too."#))
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (manager, board, other) = (KeyValueUndoManager(), Board(), Board())
            manager.track(board, \.count, named: "a")
            manager.track(other, \.count, named: "a")
        }
        #expect(message(of: twice).contains(#"A Board cannot be tracked as "a": a Board has that name."#))
    }
}

/// The text that a process of its own printed to standard error.
private func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// A model that more than one isolation can reach.
private final class SharedBoard: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
}
