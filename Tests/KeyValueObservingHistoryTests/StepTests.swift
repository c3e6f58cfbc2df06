// What one step is, and what it leads back to: 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

/// Something that is done with a board, and what the board is like after each undo of that.
private struct StepRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let pictures: [String]
    let body: @Sendable (Scene) throws -> Void

    init(_ name: String, _ pictures: [String], _ body: @escaping @Sendable (Scene) throws -> Void) {
        (testDescription, self.pictures, self.body) = (name, pictures, body)
    }
}

/// A board whose changes are recorded, from before whatever its observers do.
private final class Scene {
    let board = Board()
    let other = Board()
    let manager = KeyValueUndoManager()
    var tokens: [KeyValueObservation] = []
    var tags: ObservedMutableArray<String> { board.mutable(\.tags) }

    init() {
        manager.track(board, \.title, \.count, \.note, \.tags, \.marks, \.sizes, \.cards, \.ratio, \.style, \.first)
        manager.track(board, \.numbers, \.points, \.readings, \.rare)
        manager.track(other, \.count)
    }

    func whenCounting(_ body: @escaping (Board) -> Void) {
        tokens.append(board.observe(\.count) { board, _ in body(board) })
    }
}

@Suite("18.1 D20 Steps")
struct StepTests {
    private let kept = Kept()
    private static let rows: [StepRow] = [
        StepRow("settings", ["1", ""]) { for count in 1...2 { $0.board.count = count } },
        StepRow("elements", ["[xc] {[1, 2]} k:1", "[xc] {[1, 2]}", "[xc]", "[ac]", "[abc]", ""]) {
            $0.tags.append(contentsOf: ["a", "b", "c"])
            $0.tags.remove(at: 1)
            $0.tags[0] = "x"
            $0.board.mutable(\.marks).formUnion([1, 2])
            for size in 1...2 { $0.board.mutable(\.sizes)["k"] = size }
        },
        StepRow("a group, one inside it, and one that throws", ["3 t", "1", ""]) { scene in
            scene.board.count = 1
            scene.manager.group {
                scene.board.count = 2
                scene.manager.group { scene.board.title = "t" }
                scene.board.count = 3
            }
            try? scene.manager.group {
                scene.board.count = 4
                throw CancellationError()
            }
            scene.manager.group {}
        },
        StepRow("a group inside a transaction, and one around it", ["1 a", ""]) { scene in
            withKeyValueTransaction {
                scene.board.count = 1
                scene.manager.group { scene.board.title = "a" }
            }
            scene.manager.group {
                withKeyValueTransaction { scene.board.count = 2 }
                scene.board.title = "b"
            }
        },
        StepRow("what a group changes after its steps were dropped", ["1"]) { scene in
            scene.manager.group {
                scene.board.count = 1
                scene.manager.removeAllActions()
                scene.board.title = "a"
            }
        },
        StepRow("what handlers change", ["1 1 [1]", ""]) { scene in
            scene.whenCounting {
                $0.title = "\($0.count)"
                $0.mutable(\.tags).append($0.title)
            }
            for count in 1...2 { scene.board.count = count }
        },
        StepRow("what a handler changes of an object whose change is not tracked", ["1", ""]) { scene in
            scene.tokens.append(
                scene.board.observe(\.anything) { board, _ in board.title += "\(board.tags.count + 1)" })
            for number in 1...2 { scene.board.anything = number }
        },
        StepRow("a handler that is called before a change", ["before 0", ""]) { scene in
            let token = scene.board.observe(\.count, options: .prior) { board, change in
                if change.isPrior { board.title = "before \(board.count)" }
            }
            scene.board.count = 1
            token.invalidate()
        },
        StepRow("a binding both ways", ["1", ""]) { scene in
            scene.tokens.append(scene.board.bindBothWays(\.count, to: scene.other, \.count))
            scene.board.count = 1
            scene.other.count = 2
        },
        StepRow("what is not recorded", ["1 b", "b"]) { scene in
            scene.board.count = 1
            scene.manager.withoutRecording { withKeyValueTransaction { scene.board.title = "b" } }
            scene.board.count = 2
        },
        StepRow("a call of a view that is two changes", ["[bacd]", "[acd]", "[abcd]", ""]) {
            $0.tags.append(contentsOf: ["a", "b", "c", "d"])
            $0.tags.replaceSubrange(1..<2, with: [])
            $0.tags.moveSubranges(RangeSet([0..<1]), to: 0)
            $0.tags.insert("b", at: 0)
            $0.tags.moveSubranges(RangeSet([0..<1, 2..<3]), to: 4)
        },
        StepRow("a replacement of more or fewer elements, and a symmetric difference", ["[xc]", "[xyc]", "[abc]", ""]) {
            $0.tags.append(contentsOf: ["a", "b", "c"])
            $0.tags.replaceSubrange(0..<2, with: ["x", "y"])
            $0.tags.replaceSubrange(0..<2, with: ["x"])
            $0.board.mutable(\.marks).formSymmetricDifference([2, 3])
        },
        StepRow("two calls that are two changes each, whose handlers change something", ["1 [bca]", "[abc]"]) { scene in
            scene.board.tags = ["a", "b", "c"]
            scene.manager.removeAllActions()
            scene.tokens.append(
                scene.board.observe(\.tags, options: []) { board, change in
                    if change.kind == .removal { board.count += 1 }
                })
            for _ in 1...2 { scene.tags.moveSubranges(RangeSet([0..<1]), to: 3) }
        },
        StepRow("a call inside a handler", ["[ab]", ""]) { scene in
            scene.board.tags = ["a", "b"]
            scene.whenCounting { $0.mutable(\.tags).moveSubranges(RangeSet([0..<1]), to: 2) }
            scene.board.count = 1
        },
        StepRow("nothing: equal values, and what ends where it began", ["[aab] k:1 (a)", "[aab] (a)", "[aab]", ""]) {
            scene in
            let (board, tags) = (scene.board, scene.tags)
            board.tags = ["a", "a", "b"]
            board.cards = [Card("a")]
            board.sizes = ["k": 1]
            board.ratio = .nan
            board.ratio = .nan
            board.count = 0
            board.tags = ["a", "a", "b"]
            board.cards = board.cards.map { $0 }
            tags[0] = "a"
            board.mutable(\.sizes)["k"] = 1
            tags.moveSubranges(RangeSet([0..<1]), to: 2)
            func there() {
                board.count = 5
                tags.append(contentsOf: ["x", "y", "z"])
                board.mutable(\.marks).formUnion([1, 2])
                board.mutable(\.cards).append(Card("b"))
                tags.removeLast()
                board.mutable(\.marks).remove(1)
                board.mutable(\.cards).removeLast()
                tags.removeLast()
                tags.removeLast()
                board.mutable(\.marks).remove(2)
                board.count = 0
            }
            scene.manager.group { there() }
            withKeyValueTransaction { there() }
            let token = board.observe(\.tags) { board, _ in
                if board.tags.count > 3 { board.mutable(\.tags).removeLast() }
            }
            tags.append("too many")
            token.invalidate()
        },
        StepRow("values that are not Equatable", ["x c 3[\"n\"]", "x 3[\"n\"]", "3[\"n\"]", "3[]", ""]) {
            $0.board.style.width = 3
            $0.board.style.names.append("n")
            $0.board.note = "x"
            $0.board.first = Card("c")
            $0.board.ratio = 1
        },
        StepRow("NaN in an array", ["[nan]", ""]) {
            $0.board.numbers = [.nan]
            $0.board.mutable(\.numbers).append(1)
        },
        StepRow("NaN that moves", ["[1.0, nan, 2.0]", ""]) {
            $0.board.mutable(\.numbers).append(contentsOf: [1, .nan, 2])
            $0.board.mutable(\.numbers).moveSubranges(RangeSet([0..<1]), to: 3)
        },
        StepRow("NaN in a structure", ["[nan, 1.0]", "[nan]", ""]) {
            $0.board.points.append(Point(x: .nan, label: "a"))
            $0.board.mutable(\.points).append(Point(x: 1, label: nil))
            $0.board.mutable(\.points).removeFirst()
        },
        StepRow("NaN in a dictionary", ["2 readings", "1 readings", ""]) {
            $0.board.mutable(\.readings)["a"] = [.nan]
            $0.board.mutable(\.readings)["b"] = [1]
            $0.board.mutable(\.readings)["a"] = [.nan, .nan]
        },
        StepRow("NaN in a set, which does not find it", ["2 rare", "1 rare", ""]) {
            $0.board.mutable(\.rare).insert(.nan)
            $0.board.mutable(\.rare).insert(1)
            $0.board.rare.insert(2)
        },
    ]

    @Test("18.1 18.2 Each undo leads to the state before a step, and redoing all leads back", arguments: rows)
    private func row(_ row: StepRow) throws {
        let scene = Scene()
        try row.body(scene)
        let last = scene.board.picture
        for _ in 1...2 {
            #expect(try picturesOfUndoing(scene.manager, scene.board) == row.pictures)
            try redoAll(scene.manager)
            #expect(scene.board.picture == last)
        }
    }

    @Test("18.1 Leaving out changes inside a transaction that was open before traps, and says what to do")
    func notRecordedInATransaction() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let manager = KeyValueUndoManager()
            withKeyValueTransaction { manager.withoutRecording {} }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("inside a transaction") && message.contains("withKeyValueTransaction(_:) inside"))
    }

    @Test(
        "18.1 Observers get changes of elements back as such, and settings with both values",
        .enabled(if: hasReflectionMetadata))
    func observers() throws {
        let (scene, log) = (Scene(), Log())
        scene.board.count = 1
        scene.tags.append(contentsOf: ["a", "b", "c"])
        scene.tags.remove(at: 1)
        scene.tags[0] = "x"
        scene.board.mutable(\.sizes)["k"] = 1
        scene.tokens = [scene.board.observe(keyPaths: [\.tags, \.sizes, \.count]) { log.add("\($1)") }]
        #expect(try undoAll(scene.manager) == 5)
        #expect(
            log.take() == [
                #"removal in sizes: ["k": 1]"#, #"replacement in tags at 0, ["x"] → ["a"]"#,
                #"insertion in tags at 1: ["b"]"#, #"removal in tags at 0–2: ["a", "b", "c"]"#,
                "setting of count, 1 → 0",
            ])
    }

    @Test("18.1 What drops the steps that could be redone: a new step, and nothing that is none")
    func newChange() throws {
        let scene = Scene()
        for count in 1...2 { scene.board.count = count }
        try scene.manager.undo()
        scene.board.count = 1
        scene.board.anything = "untracked"
        scene.manager.group { scene.manager.group(named: "Nothing") {} }
        #expect(scene.manager.canRedo)
        scene.board.count = 3
        #expect(!scene.manager.canRedo)
        #expect(try undoAll(scene.manager) == 2)
    }

    @Test("18.1 18.3 What changes nothing that `==` sees, whatever the values, is no step, and steps can be redone")
    func nothing() throws {
        let (board, manager) = (Board(), KeyValueUndoManager())
        manager.track(board, \.cards, \.actions, \.style, \.first, \.styles, \.nested, \.count, \.label)
        board.count = 1
        try manager.undo()
        let nothings: [(Board) -> Void] = [
            { $0.cards.reserveCapacity(10) }, { $0.cards = [] },
            { $0.actions.reserveCapacity(10) }, { $0.styles.reserveCapacity(10) }, { $0.first = nil },
            { $0.label.note = "n" },
            { board in
                manager.group {
                    board.mutable(\.cards).append(Card("a"))
                    board.mutable(\.cards).removeLast()
                    board.mutable(\.actions).append {}
                    board.mutable(\.actions).removeLast()
                    board.mutable(\.styles)["a"] = Style()
                    board.mutable(\.styles)["a"] = nil
                    board.first = Card("a")
                    board.first = nil
                    board.nested = [[Card("a")]]
                    board.nested = []
                }
            },
            { board in
                withKeyValueTransaction {
                    board.cards = [Card("b")]
                    board.cards = []
                }
            },
        ]
        for (index, body) in nothings.enumerated() {
            body(board)
            #expect(!manager.canUndo && manager.canRedo, "\(index)")
        }
        board.nested = [[]]
        #expect(manager.canUndo)
        board.label.text = "t"
        try manager.undo()
        #expect(board.label.text == "" && board.label.note == "n")
    }

    @Test("18.1 Shared, manual and computed properties, and a part of a struct, are undone")
    func otherProperties() throws {
        let (gauge, board, manager) = (Gauge(), Board(), KeyValueUndoManager())
        manager.track(gauge, \.level, \.manual, \.percent)
        manager.track(board, \.style.width)
        gauge.level += 1
        gauge.manual = 2
        gauge.percent = 50
        withKeyValueTransaction {
            gauge.level += 1
            gauge.manual = 3
        }
        board.style.names = ["n"]
        board.style.width = 2
        #expect(try undoAll(manager) == 5)
        #expect(gauge.level == 0 && gauge.manual == 0 && gauge.percent == 0 && board.style.width == 1)
        try redoAll(manager)
        #expect(gauge.level == 2 && gauge.manual == 3 && gauge.percent == 50 && board.style.names == ["n"])
    }

    @Test("18.1 What a `didSet` or handler derives never blocks undo and redo, whatever is pressed", arguments: 0..<64)
    func derived(program: Int) throws {
        let (bill, manager) = (Bill(), KeyValueUndoManager())
        manager.track(bill, \.prices, \.total, \.log, \.byHand)
        bill.observe(\.total) { bill, _ in bill.byHand = [bill.total] }.store(in: kept)
        bill.prices = [5]
        bill.mutable(\.prices).value.append(6)
        bill.total = 99
        manager.group { bill.prices = [1, 2, 3] }
        let last = bill.state
        // Each bit is a button that is pressed.
        for bit in 0..<6 { _ = try program >> bit & 1 == 0 ? manager.undo() : manager.redo() }
        try redoAll(manager)
        #expect(bill.state == last)
        _ = try undoAll(manager)
        #expect(bill.prices == [] && bill.total == 0)
        try redoAll(manager)
        #expect(bill.state == last)
    }

    @Test("18.1 Handlers and bindings that are registered after the steps never block them")
    func later() throws {
        let scene = Scene()
        let board = scene.board
        scene.manager.group {
            (board.title, board.note) = ("old", "old")
            scene.other.count = 5
        }
        for count in 1...2 { board.count = count }
        scene.whenCounting { board in
            board.title = "\(board.count)"
            board.note = board.count == 1 ? nil : board.title
            board.mutable(\.tags).append(board.title)
        }
        scene.tokens.append(board.bindBothWays(\.count, to: scene.other, \.count))
        for _ in 0..<3 {
            _ = try undoAll(scene.manager)
            #expect(board.count == 0 && board.title == "" && scene.other.count == 0)
            try redoAll(scene.manager)
        }
        #expect(board.count == 2 && board.title == "old" && scene.other.count == 2 && board.tags == [])
    }

    @Test("18.1 Undo in a handler takes back the change that is being delivered; what comes after is another step")
    func undoInHandler() throws {
        for inTransaction in [false, true] {
            let scene = Scene()
            scene.board.count = 1
            scene.whenCounting { [manager = scene.manager] board in
                guard board.count > 100 else { return }
                #expect(throws: Never.self) { try manager.undo() }
                board.title = "too much"
            }
            if inTransaction { withKeyValueTransaction { scene.board.count = 200 } } else { scene.board.count = 200 }
            #expect(scene.board.picture == "1 too much" && !scene.manager.canRedo)
            #expect(try undoAll(scene.manager) == 2)
            #expect(scene.board.picture == "")
        }
    }

    @Test("18.1 A step that died in a group or a handler is not confused with the one before it", arguments: 0..<4)
    func deadStep(index: Int) throws {
        let (board, trigger, manager) = (Board(), Board(), KeyValueUndoManager())
        var other: Board? = Board()
        manager.track(board, \.title)
        manager.track(other!, \.title)
        board.title = "first"
        let body = {
            other!.title = "x"
            if index % 2 == 0 { manager.stopTracking(other!) } else { other = nil }
            manager.group(named: "Second") {}
            board.title = "second"
        }
        if index < 2 {
            manager.group { body() }
        } else {
            trigger.observe(\.count) { _, _ in body() }.store(in: kept)
            trigger.count = 1
        }
        #expect(manager.undoActionName == "Second")
        try manager.undo()
        #expect(board.title == "first" && manager.undoActionName == nil)
        #expect(try undoAll(manager) == 1)
    }

    // MARK: Typing

    @Test("18.1 Changes within the time are one step; a later one, and what comes between, begins another")
    func typing() throws {
        let (board, clock) = (Board(), ManualClock())
        let manager = KeyValueUndoManager(clock: clock)
        manager.track(board, \.title, \.note, coalescing: .seconds(1))
        manager.track(board, \.count, \.tags)
        board.observe(\.title) { board, _ in
            board.tags = board.title.isEmpty ? [] : ["\(board.title.count)"]
        }.store(in: kept)
        func type(_ text: String) {
            for character in text {
                board.title.append(character)
                clock.advance(by: .seconds(1))
            }
        }
        func pictures() throws -> [String] {
            defer { manager.removeAllActions() }
            return try picturesOfUndoing(manager, board)
        }
        type("abc")
        clock.advance(by: .nanoseconds(1))
        type("de")
        #expect(try pictures() == ["abc [3]", ""])
        type("a")
        board.count = 1
        type("b")
        manager.group(named: "Group") { type("c") }
        type("d")
        withKeyValueTransaction { board.title.append("e") }
        type("f")
        try manager.undo()
        type("g")
        #expect(try pictures() == ["1 abcde [5]", "1 abcd [4]", "1 abc [3]", "1 ab [2]", "1 a [1]", "a [1]", ""])
        board.title = "a"
        board.note = "n"
        #expect(try pictures() == ["a [1]", ""])
        type("a")
        board.title = ""
        #expect(try pictures() == [])
    }

    @Test("18.1 What is no step does not come between two changes within the time")
    func typingGoesOn() throws {
        let (board, clock) = (Board(), ManualClock())
        let manager = KeyValueUndoManager(clock: clock)
        manager.track(board, \.title, \.note, coalescing: .seconds(1))
        manager.track(board, \.count, \.cards)
        board.observe(\.note) { board, _ in if board.note == "x" { board.note = nil } }.store(in: kept)
        let nothings: [() -> Void] = [
            { board.count = 0 }, { board.note = nil }, { manager.group {} }, { board.cards.reserveCapacity(1) },
            { withKeyValueTransaction { board.count = 0 } }, { board.note = "x" },
            {
                manager.group {
                    board.count = 1
                    board.count = 0
                }
            },
        ]
        for (index, nothing) in nothings.enumerated() {
            for letter in "ab" {
                board.title.append(letter)
                nothing()
                clock.advance(by: .milliseconds(900))
            }
            #expect(try undoAll(manager) == 1, "\(index)")
            #expect(board.title == "")
            // An undo comes between, and so does a redo.
            board.title = "a"
            board.count = 1
            try manager.undo()
            board.title = "b"
            try manager.undo()
            try manager.redo()
            board.title = "c"
            #expect(try undoAll(manager) == 3, "\(index)")
            manager.removeAllActions()
        }
    }
}

/// What a board is like after each undo.
private func picturesOfUndoing(_ manager: KeyValueUndoManager, _ board: Board) throws -> [String] {
    var pictures: [String] = []
    while manager.canUndo {
        try manager.undo()
        pictures.append(board.picture)
    }
    return pictures
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

/// One `didSet` runs after the change has been delivered, the other one inside it, as in a class that is declared by macro.
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
    private var stored: [Int] = [] { didSet { mutable(\.log).append(-stored.count) } }

    var byHand: [Int] {
        get {
            accessValue(for: \.byHand)
            return stored
        }
        set { changeValue(for: \.byHand) { stored = newValue } }
    }

    var state: String { "\(prices) \(total) \(log) \(byHand)" }
}
