// What is recorded, and what one step is: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.1 D20 Steps")
struct StepTests {
    private let board = Board()
    private let manager = KeyValueUndoManager()

    @Test("18.1 A setting is undone and redone as a setting, and observers get both values")
    func setting() throws {
        manager.track(board, \.count)
        board.count = 1
        board.count = 2
        let log = Log()
        let token = board.observe(\.count, options: [.old, .new]) { log.add($1) }
        try manager.undo()
        try manager.undo()
        try manager.redo()
        #expect(log.take() == ["2→1", "1→0", "0→1"])
        #expect(board.count == 1 && manager.canUndo && manager.canRedo)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 Changes of elements are undone as changes of elements, with kind and positions")
    func elements() throws {
        manager.track(board, \.tags, \.marks, \.sizes)
        let tags = board.mutable(\.tags)
        tags.append(contentsOf: ["a", "b", "c"])
        tags.remove(at: 1)
        tags[0] = "x"
        board.mutable(\.marks).formUnion([1, 2])
        board.mutable(\.sizes)["k"] = 1
        board.mutable(\.sizes)["k"] = 2
        let log = Log()
        let tokens = [
            board.observe(\.tags, options: [.old, .new]) { log.add("\($1)") },
            board.observe(\.marks, options: [.old, .new]) { _, change in log.add("\(change.kind) of marks") },
            board.observe(\.sizes, options: [.old, .new]) { log.add("\($1)") },
        ]
        #expect(try undoAll(manager) == 6)
        #expect(
            log.take() == [
                #"replacement in sizes, ["k": 2] → ["k": 1]"#, #"removal in sizes: ["k": 1]"#, "removal of marks",
                #"replacement in tags at 0, ["x"] → ["a"]"#, #"insertion in tags at 1: ["b"]"#,
                #"removal in tags at 0–2: ["a", "b", "c"]"#,
            ])
        while manager.canRedo { try manager.redo() }
        #expect(board.tags == ["x", "c"] && board.marks == [1, 2] && board.sizes == ["k": 2])
        withExtendedLifetime(tokens) {}
    }

    @Test("18.1 A transaction is one step, and is undone in one")
    func transaction() throws {
        manager.track(board, \.count, \.title, \.tags)
        withKeyValueTransaction {
            board.count = 1
            board.mutable(\.tags).append("a")
            board.count = 2
            board.mutable(\.tags).append("b")
            board.title = "t"
        }
        let log = Log()
        let token = board.observe(\.count, options: [.old, .new]) { board, change in
            log.add("\(text(of: change)) \(board.tags) \(board.title)")
        }
        try manager.undo()
        #expect(board.count == 0 && board.tags == [] && board.title == "" && !manager.canUndo)
        try manager.redo()
        #expect(log.take() == ["2→0 [] ", "0→2 [\"a\", \"b\"] t"])
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A group is one step with its name, also if it throws; an empty one is none")
    func group() throws {
        struct Stop: Error {}
        manager.track(board, \.count, \.title)
        board.count = 1
        manager.group(named: "Two") {
            board.count = 2
            manager.group(named: "Inner") { board.title = "t" }
            board.count = 3
        }
        #expect(manager.undoActionName == "Two")
        #expect(throws: Stop.self) {
            try manager.group {
                board.count = 4
                throw Stop()
            }
        }
        manager.group(named: "Nothing") {}
        #expect(manager.undoActionName == nil)
        try manager.undo()
        #expect(manager.undoActionName == "Two" && board.count == 3)
        try manager.undo()
        #expect(manager.redoActionName == "Two" && board.count == 1 && board.title == "")
        try manager.undo()
        #expect(!manager.canUndo && board.count == 0)
        board.count = 9
        #expect(manager.undoActionName == nil)
    }

    @Test("18.1 A group inside a handler names the step of the change, and observers of the name are notified")
    func namedInHandler() {
        manager.track(board, \.count)
        let log = Log()
        let tokens = [
            board.observe(\.count) { [manager] _, _ in manager.group(named: "Named") {} },
            manager.observe(\.undoActionName, options: [.old, .new]) { log.add($1) },
        ]
        board.count = 1
        #expect(manager.undoActionName == "Named")
        #expect(log.lines == ["nil→Named"])
        withExtendedLifetime(tokens) {}
    }

    @Test("18.1 Deliveries under way on the thread are completed before a group begins")
    func groupAfterDeliveries() {
        let log = Log()
        let tokens = [
            board.observe(\.count) { [manager] _, _ in manager.group { log.add("group") } },
            board.observe(\.count) { _, _ in log.add("second") },
        ]
        board.count = 1
        #expect(log.lines == ["second", "group"])
        withExtendedLifetime(tokens) {}
    }

    @Test("18.1 Of groups inside one another the outer one gives the name")
    func nestedNames() {
        manager.track(board, \.count)
        manager.group(named: "Outer") {
            manager.group(named: "Inner") { board.count = 1 }
        }
        #expect(manager.undoActionName == "Outer")
    }

    @Test("18.1 Elements that are changed, and then set as a whole, are undone as one step")
    func elementsThenSetting() throws {
        manager.track(board, \.tags)
        manager.group {
            board.mutable(\.tags).append(contentsOf: ["a", "b"])
            board.tags = ["c"]
        }
        try manager.undo()
        #expect(board.tags == [] && !manager.canUndo)
        try manager.redo()
        #expect(board.tags == ["c"])
    }

    @Test("18.1 A group inside a transaction names it; one around it is one step with it")
    func groupAndTransaction() throws {
        manager.track(board, \.count, \.title)
        withKeyValueTransaction {
            board.count = 1
            manager.group(named: "Inside") { board.title = "a" }
        }
        manager.group(named: "Around") {
            withKeyValueTransaction { board.count = 2 }
            board.title = "b"
        }
        #expect(manager.undoActionName == "Around")
        try manager.undo()
        #expect(board.count == 1 && board.title == "a" && manager.undoActionName == "Inside")
        try manager.undo()
        #expect(board.count == 0 && board.title == "" && !manager.canUndo)
    }

    @Test("18.1 What handlers change belongs to the step, whichever property changed first", arguments: [true, false])
    func handlers(isTracked: Bool) throws {
        manager.track(board, \.title, \.tags)
        if isTracked { manager.track(board, \.count) }
        let token = board.observe(\.count) { board, _ in
            board.title = "\(board.count)"
            board.mutable(\.tags).append(board.title)
        }
        board.count = 1
        board.count = 2
        #expect(board.title == "2" && board.tags == ["1", "2"])
        withExtendedLifetime(token) {}
        token.invalidate()
        #expect(try undoAll(manager) == 2)
        #expect(board.title == "" && board.tags == [] && board.count == (isTracked ? 0 : 2))
    }

    @Test("18.1 Handlers that change a tracked property during undo and redo make no new step")
    func handlersDuringUndo() throws {
        manager.track(board, \.count, \.title)
        let token = board.observe(\.count) { board, _ in board.title += "x" }
        board.count = 1
        try manager.undo()
        #expect(board.count == 0 && board.title == "" && !manager.canUndo && manager.canRedo)
        try manager.redo()
        #expect(board.count == 1 && board.title == "x" && manager.canUndo && !manager.canRedo)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A step that died in a group or a handler is not confused with the one before it", arguments: 0..<4)
    func deadStep(index: Int) throws {
        var other: Board? = Board()
        let trigger = Board()
        manager.track(board, \.title)
        manager.track(other!, \.title)
        board.title = "first"
        let body = { [manager, board] in
            other!.title = "x"
            if index % 2 == 0 { manager.stopTracking(other!) } else { other = nil }
            manager.group(named: "Second") {}
            board.title = "second"
        }
        if index < 2 {
            manager.group { body() }
        } else {
            let token = trigger.observe(\.count) { _, _ in body() }
            trigger.count = 1
            withExtendedLifetime(token) {}
        }
        #expect(manager.undoActionName == "Second")
        try manager.undo()
        #expect(board.title == "first" && manager.undoActionName == nil)
        try manager.undo()
        #expect(board.title == "" && !manager.canUndo)
    }

    @Test("18.1 What a group changes after removeAllActions is a step without what it changed before")
    func removeAllInGroup() throws {
        manager.track(board, \.count, \.title)
        manager.group {
            board.count = 1
            manager.removeAllActions()
            board.title = "a"
        }
        try manager.undo()
        #expect(board.count == 1 && board.title == "" && !manager.canUndo)
    }

    @Test("18.1 A new change drops what could be redone; an untracked one does not")
    func newChange() throws {
        manager.track(board, \.count)
        board.count = 1
        board.count = 2
        try manager.undo()
        board.title = "untracked"
        #expect(manager.canRedo)
        board.count = 3
        #expect(!manager.canRedo)
        try manager.redo()
        #expect(board.count == 3)
        #expect(try undoAll(manager) == 2)
        #expect(board.count == 0)
    }

    @Test("18.1 Undo in a handler takes back the change that is being delivered; what comes after is another step")
    func undoInHandler() throws {
        manager.track(board, \.count, \.title)
        board.count = 1
        let log = Log()
        let tokens = [
            board.observe(\.count) { [manager] board, _ in
                guard board.count > 100 else { return }
                #expect(throws: Never.self) { try manager.undo() }
                board.title = "too much"
            },
            board.observe(\.count, options: [.old, .new]) { log.add($1) },
        ]
        board.count = 200
        #expect(board.count == 1 && log.take() == ["1→200", "200→1"])
        #expect(!manager.canRedo && board.title == "too much")
        #expect(try undoAll(manager) == 2)
        #expect(board.count == 0 && board.title == "")
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "18.1 A handler at the end of a transaction may undo it, and what it changes then is another step",
        arguments: 0..<2)
    func undoAtEnd(index: Int) throws {
        manager.track(board, \.count, \.title)
        let token = board.observe(\.count) { [manager] board, _ in
            guard board.count > 100 else { return }
            #expect(throws: Never.self) { try manager.undo() }
            if index == 1 { board.title = "too much" }
        }
        withKeyValueTransaction { board.count = 200 }
        #expect(board.count == 0 && manager.canRedo == (index == 0) && manager.canUndo == (index == 1))
        #expect(try undoAll(manager) == index)
        #expect(board.title == "")
        withExtendedLifetime(token) {}
    }

    @Test("18.1 A two-way binding between tracked properties is one step in either direction")
    func binding() throws {
        let other = Board()
        manager.track(board, \.count)
        manager.track(other, \.count)
        let token = board.bindBothWays(\.count, to: other, \.count)
        board.count = 1
        other.count = 2
        try manager.undo()
        #expect(board.count == 1 && other.count == 1)
        try manager.undo()
        #expect(board.count == 0 && other.count == 0 && !manager.canUndo)
        try manager.redo()
        try manager.redo()
        #expect(board.count == 2 && other.count == 2 && !manager.canRedo)
        #expect(try undoAll(manager) == 2)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 Managers of disjoint properties do not concern each other")
    func managers() throws {
        let second = KeyValueUndoManager()
        manager.track(board, \.count)
        second.track(board, \.title)
        board.count = 1
        board.title = "a"
        withKeyValueTransaction {
            board.count = 2
            board.title = "b"
        }
        try manager.undo()
        #expect(board.count == 1 && board.title == "b" && second.canUndo && !second.canRedo)
        try second.undo()
        try second.undo()
        #expect(board.count == 1 && board.title == "" && !second.canUndo && manager.canUndo && manager.canRedo)
    }

    @Test("18.1 Objects in an array come back themselves, with what is recorded of them")
    func objects() throws {
        manager.track(board, \.cards)
        weak var weakCard: Card?
        do {
            let card = Card("a")
            weakCard = card
            manager.track(card, \.text)
            board.mutable(\.cards).append(card)
            card.text = "b"
            board.mutable(\.cards).removeAll()
        }
        let card = try #require(weakCard)
        try manager.undo()
        #expect(board.cards.count == 1 && board.cards[0] === card && card.text == "b")
        try manager.undo()
        #expect(card.text == "a")
        try manager.redo()
        board.cards = []
        try manager.undo()
        #expect(board.cards.first === card && card.text == "b")
    }

    @Test("18.1 Changes made without recording are no step, in a transaction too")
    func withoutRecording() throws {
        manager.track(board, \.count, \.title)
        board.count = 1
        manager.withoutRecording { board.title = "a" }
        withKeyValueTransaction {
            manager.withoutRecording { board.title = "b" }
            board.count = 2
        }
        #expect(try undoAll(manager) == 2)
        #expect(board.count == 0 && board.title == "b")
    }

    @Test(
        "18.1 A property is tracked once, a subclass's key path included")
    func trackedOnce() throws {
        final class SubBoard: Board {}
        let board = SubBoard()
        manager.track(board, \.count, \.count)
        manager.track(board as Board, \.count)
        board.mutable(\.count).value = 1
        #expect(board.observationInfo.count == 1)
        #expect(try undoAll(manager) == 1)
    }

    @Test("18.1 Undo, redo and replay are refused inside a transaction, a group and a handler of undo")
    func refused() throws {
        manager.track(board, \.count, named: "board")
        board.count = 1
        func code(_ call: () throws -> Void) -> KeyValueUndoError.Code? {
            do { try call() } catch { return (error as? KeyValueUndoError)?.code }
            return nil
        }
        withKeyValueTransaction { #expect(code { try manager.undo() } == .underWay) }
        let data = try manager.save()
        withKeyValueTransaction { #expect(code { try manager.replay(data) } == .underWay) }
        manager.group { #expect(code { try manager.redo() } == .underWay) }
        #expect(board.count == 1 && manager.canUndo)
        var codes: [KeyValueUndoError.Code?] = []
        let token = board.observe(\.count) { [manager] _, _ in
            #expect(manager.isUndoing && !manager.isRedoing)
            codes.append(code { try manager.undo() })
        }
        try manager.undo()
        #expect(codes == [.underWay] && board.count == 0 && !manager.isUndoing)
        withExtendedLifetime(token) {}
    }

    @Test("18.1 Changes in place and of values that are not Equatable are undone")
    func otherValues() throws {
        manager.track(board, \.style, \.note, \.first, \.ratio)
        board.style.width = 3
        board.style.names.append("n")
        board.note = "x"
        board.first = Card("c")
        board.ratio = .nan
        board.ratio = 1
        #expect(try undoAll(manager) == 6)
        #expect(board.style.width == 1 && board.style.names == [] && board.note == nil && board.first == nil)
        #expect(board.ratio == 0)
    }

    @Test("18.1 What a handler changes that is called before a change is a step of its own")
    func priorHandler() throws {
        manager.track(board, \.count, \.title)
        let token = board.observe(\.count, options: .prior) { board, change in
            if change.isPrior { board.title = "before \(board.count)" }
        }
        board.count = 1
        token.invalidate()
        try manager.undo()
        #expect(board.count == 0 && board.title == "before 0" && manager.canUndo)
        try manager.undo()
        #expect(board.title == "")
    }

    @Test("18.1 Shared, manual and computed properties of the object are undone")
    func otherProperties() throws {
        let gauge = Gauge()
        manager.track(gauge, \.level, \.manual, \.percent)
        gauge.level += 1
        gauge.manual = 2
        gauge.percent = 50
        withKeyValueTransaction {
            gauge.level += 1
            gauge.manual = 3
        }
        #expect(try undoAll(manager) == 4)
        #expect(gauge.level == 0 && gauge.manual == 0 && gauge.percent == 0)
        while manager.canRedo { try manager.redo() }
        #expect(gauge.level == 2 && gauge.manual == 3 && gauge.percent == 50)
    }
}

/// A model with properties of other kinds.
private final class Gauge: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var level = 0
    private var stored = 0
    @Observed private var fraction = 0.0

    var manual: Int {
        get {
            accessValue(for: \.manual)
            return stored
        }
        set { changeValue(for: \.manual) { stored = newValue } }
    }

    var percent: Int {
        get { Int(fraction * 100) }
        set { fraction = Double(newValue) / 100 }
    }
}
