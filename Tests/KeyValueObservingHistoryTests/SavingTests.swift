// Saving steps and making them again: 18.3.
import Foundation
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.3 D20 Saving and replaying")
struct SavingTests {
    private let kept = Kept()
    /// A board, and a manager that tracks it.
    private struct Fixture {
        let board = Board()
        let manager = KeyValueUndoManager()

        init() { manager.track(board, \.title, \.count, \.note, \.tags, \.marks, \.sizes, \.ratio, named: "board") }

        var state: String {
            "\(board.title) \(board.note ?? "nil") \(board.tags) \(board.marks) \(board.sizes) \(board.count)"
        }
    }

    @Test("18.3 Steps that are replayed inside a handler are steps of their own, with their own names")
    func replayInHandler() throws {
        let first = Fixture()
        first.manager.group(named: "One") { first.board.count = 1 }
        first.board.note = "n"
        first.manager.group(named: "Three") { first.board.count = 3 }
        let (data, second) = (try first.manager.save(), Fixture())
        second.board.observe(\.first) { _, _ in
            #expect(throws: Never.self) { try second.manager.replay(data) }
        }.store(in: kept)
        second.board.first = Card("a")
        #expect(second.state == first.state)
        var names: [String?] = []
        while second.manager.canUndo {
            names.append(second.manager.undoActionName)
            try second.manager.undo()
        }
        #expect(names == ["Three", nil, "One"] && second.state == Fixture().state)
    }

    @Test(
        "18.3 What is saved or replayed inside a handler comes after the change that is being delivered",
        .enabled(if: hasReflectionMetadata))
    func afterDeliveries() throws {
        let first = Fixture()
        first.manager.group(named: "One") { first.board.count = 1 }
        let data = try first.manager.save()
        let (board, manager) = (Board(), KeyValueUndoManager())
        var saved = ""
        // It is called before the manager records.
        board.observe(\.note) { [manager] _, _ in
            #expect(throws: Never.self) {
                saved = try String(decoding: manager.save(), as: UTF8.self)
                try manager.replay(data)
            }
        }.store(in: kept)
        manager.track(board, \.count, \.note, named: "board")
        board.note = "n"
        #expect(saved.contains(#""name":"note""#))
        #expect(board.count == 1 && manager.undoActionName == "One")
        try manager.undo()
        #expect(board.count == 0 && board.note == "n" && manager.canUndo)
    }

    @Test("18.3 The format is JSON with a version", .enabled(if: hasReflectionMetadata))
    func format() throws {
        let (board, manager) = (Board(), KeyValueUndoManager())
        manager.track(board, \.tags, named: "board")
        manager.group(named: "Paste") { board.mutable(\.tags).append(contentsOf: ["a", "b"]) }
        #expect(
            try String(decoding: manager.save(), as: UTF8.self) == """
                {"elements":[],"redo":[],"state":[{"name":"tags","object":"board","value":["a","b"]}],"undo":[{"actionName":\
                "Paste","properties":[{"changes":[{"kind":"insertion","new":["a","b"],"positions":[0,1]}],"count":2,\
                "name":"tags","object":"board"}]}],"version":2}
                """)
    }

    @Test("18.3 Numbers that are infinite or none are saved and replayed", arguments: [1, -1])
    func infinite(sign: Double) throws {
        func boards() -> (Board, KeyValueUndoManager) {
            let (board, manager) = (Board(), KeyValueUndoManager())
            // Such a value has a sign, which some computations set and JSON does not keep.
            let nan: Double = sign < 0 ? -.nan : .nan
            board.ratio = nan
            board.readings = ["a": [nan]]
            manager.track(board, \.ratio, \.numbers, \.readings, \.title, named: "board")
            return (board, manager)
        }
        let ((board, manager), (copy, other)) = (boards(), boards())
        board.title = "t"
        board.ratio = .infinity * sign
        board.mutable(\.numbers).append(contentsOf: [1, .nan, -.infinity])
        board.numbers = [.infinity]
        board.mutable(\.readings)["a"] = [.infinity]
        board.ratio = .nan
        try other.replay(manager.save())
        #expect(copy.picture == board.picture)
        #expect(try undoAll(other) == 6)
        #expect(copy.picture.hasSuffix("nan 1 readings"))
    }

    @Test("18.3 What cannot be saved says which property it is", .enabled(if: hasReflectionMetadata))
    func notSaveable() {
        let fixture = Fixture()
        let (manager, board) = (fixture.manager, fixture.board)
        manager.track(board, \.cards)
        board.cards = [Card("a")]
        let error = #expect(throws: KeyValueUndoError.self) { _ = try manager.save() }
        #expect(error?.code == .unnamedElement && error?.key == "cards" && error?.objectType == "Board")
        manager.removeAllActions()
        manager.track(board, \.anything)
        board.anything = 1
        #expect(refusal { _ = try manager.save() } == .notCodable, "it could not be decoded")
        let other = KeyValueUndoManager()
        other.track(board, \.count)
        board.count = 1
        #expect(refusal { _ = try other.save() } == .unnamedObject)
    }

    /// A model with values that `replay` could not take.
    private final class Odd: KeyValueObservable {
        final class Note: KeyValueObservable, Codable, Equatable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var text = ""
            private enum CodingKeys: CodingKey { case text }
            static func == (left: Note, right: Note) -> Bool { left.text == right.text }
        }
        final class Plain: Codable {}
        final class Money: Codable, Equatable {
            var cents = 7
            static func == (left: Money, right: Money) -> Bool { left.cents == right.cents }
        }
        struct Part: Codable { var plain = Plain() }
        struct Cached: Codable {
            var text = ""
            var length = 0
            private enum CodingKeys: CodingKey { case text }
        }
        struct Refusing: Codable {
            var text = ""
            init() {}
            init(from _: any Decoder) throws { throw CancellationError() }
        }

        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var notes: [Note] = []
        @Observed var note: Note?
        @Observed var table: [String: [Note]] = [:]
        @Observed var members: [Plain] = []
        @Observed var part: Part?
        @Observed var cached = Cached()
        @Observed var refusing: Refusing?
        @Observed var money = Money()
    }

    @Test(
        "18.3 save() refuses what replay could not take, and names property and type",
        .enabled(if: hasReflectionMetadata))
    func notReplayable() throws {
        func refusal<Value>(_ keyPath: ReferenceWritableKeyPath<Odd, Value>, _ value: Value) -> KeyValueUndoError? {
            let (odd, manager) = (Odd(), KeyValueUndoManager())
            manager.track(odd, keyPath, named: "odd")
            odd[keyPath: keyPath] = value
            return thrownError { _ = try manager.save() }
        }
        let objects = [
            refusal(\.notes, [Odd.Note()]), refusal(\.note, Odd.Note()), refusal(\.table, ["a": [Odd.Note()]]),
        ]
        for (error, key) in zip(objects, ["notes", "note", "table"]) {
            #expect(error?.code == .unnamedElement && error?.key == key && error?.objectType == "Odd")
            #expect(
                error?.description == """
                    \(key) of Odd cannot be saved: a Note is an object. Keep objects in a list that you track with \
                    track(_:eachOf:_:named:), or do not track the property with this manager.
                    """)
        }
        var cached = Odd.Cached()
        (cached.text, cached.length) = ("a", 1)
        let values = [
            refusal(\.members, [Odd.Plain()]), refusal(\.part, Odd.Part()), refusal(\.cached, cached),
            refusal(\.refusing, Odd.Refusing()),
        ]
        for (error, key) in zip(values, ["members", "part", "cached", "refusing"]) {
            #expect(error?.code == .notCodable && error?.key == key && error?.objectType == "Odd", "\(key)")
        }
        #expect(values[0]?.found == "a value is another one when it is read back, as an object is that has no ==")
        let money = Odd.Money()
        money.cents = 8
        #expect(refusal(\.money, money) == nil, "it is a value, by its ==")
    }

    @Test(
        "18.3 A step that does not fit is an error, and nothing has changed", .enabled(if: hasReflectionMetadata),
        arguments: [
            (#"{"version":1,"undo":7}"#, KeyValueUndoError.Code.unknownVersion), ("no JSON", .invalidData),
            (Self.step("other", "count", #""kind":"setting","old":0,"new":1"#), .unknownObject),
            (Self.step("board", "size", #""kind":"setting","old":0,"new":1"#), .unknownKey),
            (Self.step("board", "count", #""kind":"setting","old":0,"new":"x""#), .typeMismatch),
            (Self.step("board", "count", #""kind":"moving","old":0,"new":1"#), .invalidData),
            (Self.step("board", "count", #""kind":"setting","new":1"#), .invalidData),
            (Self.step("board", "count", #""kind":"setting","old":5,"new":1"#), .unexpectedValue),
            (Self.step("board", "count", #""kind":"insertion","new":1"#), .unexpectedValue),
            (Self.step("board", "tags", #""kind":"insertion","positions":[4],"new":["a"]"#), .unexpectedValue),
            (Self.step("board", "tags", #""kind":"insertion","new":["a"]"#), .unexpectedValue),
            (Self.step("board", "tags", #""kind":"insertion","positions":[0,0],"new":["a"]"#), .invalidData),
            (Self.step("board", "tags", #""kind":"removal","positions":[0],"old":["a"]"#), .unexpectedValue),
            (Self.step("board", "tags", #""kind":"removal","positions":[0],"old":["z","y"]"#), .unexpectedValue),
            (
                Self.step(
                    "board", "count",
                    #""kind":"setting","old":0,"new":1}]},{"object":"board","name":"count","changes":[{"kind":"setting","old":1,"new":2"#
                ),
                .invalidData
            ),
        ])
    func misfits(text: String, expected: KeyValueUndoError.Code) {
        let fixture = Fixture()
        fixture.board.tags = ["z"]
        fixture.manager.removeAllActions()
        let before = fixture.state
        let log = Log()
        fixture.board.observe(\.title, options: [.old, .new]) { log.add($1) }.store(in: kept)
        let error = #expect(throws: KeyValueUndoError.self) { try fixture.manager.replay(Data(text.utf8)) }
        #expect(error?.code == expected && error?.description.isEmpty == false)
        #expect(fixture.state == before && !fixture.manager.canUndo && log.lines == [])
    }

    /// Two steps, the first of which fits.
    private static func step(_ object: String, _ key: String, _ change: String) -> String {
        #"{"version":2,"elements":[],"state":[],"redo":[],"undo":[{"properties":[{"object":"board","name":"title","#
            + #""changes":[{"kind":"setting","old":"","new":"t"}]}]},{"properties":[{"object":"\#(object)","#
            + #""name":"\#(key)","changes":[{\#(change)}]}]}]}"#
    }

    @Test("18.3 A handler that sets what is replayed is overruled")
    func overruled() throws {
        let first = Fixture()
        first.board.title = "a"
        first.board.count = 1
        first.board.title = "b"
        let second = Fixture()
        second.board.observe(\.count) { board, _ in board.title = "c" }.store(in: kept)
        try second.manager.replay(first.manager.save())
        #expect(second.state == first.state)
        #expect(try undoAll(second.manager) == 3)
        #expect(second.state == Fixture().state)
    }

    @Test("18.3 If a handler makes a step fail, the steps before it are reverted")
    func rollback() throws {
        let first = Fixture()
        first.board.title = "a"
        first.board.count = 1
        first.board.tags = ["b"]
        let second = Fixture()
        second.manager.levelsOfUndo = 1
        second.board.note = "kept"
        second.board.note = nil
        try second.manager.undo()
        second.board.observe(\.count, options: .new) { [manager = second.manager] board, change in
            if change.newValue == 1 { manager.withoutRecording { board.setSilently(tags: ["c"]) } }
        }.store(in: kept)
        #expect(refusal { try second.manager.replay(first.manager.save()) } == .unexpectedValue)
        #expect(second.board.count == 0 && second.board.title == "" && second.manager.canRedo)
    }
}
