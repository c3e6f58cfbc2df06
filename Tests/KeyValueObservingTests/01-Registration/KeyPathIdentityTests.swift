// Which key paths are one target, and that all of them can be observed: 1.8.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 The identity of key paths")
struct KeyPathIdentityTests {
    private let log = Log()
    private let kept = Kept()

    // MARK: Arguments

    /// Checks that arguments made from 1 are one, and those made from 2 are another, for whoever asks, changes and ends.
    private func check<Argument: Hashable>(
        _ argument: (Int) -> Argument, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let board = Board()
        let controller = KVOController(observer: log, duplicates: .ignore)
        for (number, count) in [(1, 1), (2, 2)] {
            for noise in 0..<100 {
                controller.observe(board, after(noise) { Board.path(argument(number)) }, options: .new) {
                    log, _, change in log.add(change, as: "\(number)")
                }
            }
            #expect(board.observationInfo.count == count, sourceLocation: sourceLocation)
        }
        // It is the same path as before.
        let token = board.observe(Board.path(argument(2))) { [log] _, _ in log.add("token") }
        #expect(board.isObserved(after(55) { Board.path(argument(1)) }), sourceLocation: sourceLocation)
        board.total = 1
        #expect(log.take() == ["1 ·→1", "2 ·→1", "token"], sourceLocation: sourceLocation)
        controller.unobserve(board, after(77) { Board.path(argument(1)) })
        #expect(!board.isObserved(Board.path(argument(1))), sourceLocation: sourceLocation)
        #expect(board.isObserved(after(66) { Board.path(argument(2)) }), sourceLocation: sourceLocation)
        token.invalidate()
        board.total = 2
        #expect(log.take() == ["2 ·→2"], sourceLocation: sourceLocation)
    }

    @Test("1.8 Arguments are compared by what they are, whatever their size, their alignment and what lies beside them")
    func arguments() {
        check { UInt8($0) }
        check { UInt16($0) }
        check { $0 == 1 }
        check { $0 == 1 ? UInt8(3) : nil }
        check { Board.Padded(small: UInt8($0), wide: 7) }
        check { Board.Padded(small: 7, wide: UInt32($0)) }
        check { $0 == 1 ? Board.Mixed.number(3) : .nothing }
        check { SIMD2<Int>($0, 2) }
        check { SIMD8<Double>(repeating: Double($0)) }
        check { Int128($0) }
        check { [String(repeating: "a text that is not kept in two words ", count: $0)] }
        check { Board.Text("a text that is made anew \($0)") }
        check { Board.SameHash(number: $0) }
    }

    @Test(
        "1.8 Arguments of one generic subscript may have types of different size, the same hash and the same text",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func argumentsOfSeveralTypes() {
        let board = Board()
        let long = String(repeating: "ab", count: 20)
        let first = board.observe(\.["abc"]) { _, _ in }
        #expect(board.isObserved(\.["abc"]) && !board.isObserved(\.["abc"[...]]))
        first.invalidate()
        [
            board.observe(\.["abc"]) { [log] _, _ in log.add("text") },
            board.observe(\.["abc"[...]]) { [log] _, _ in log.add("slice") },
            board.observe(\.[long]) { [log] _, _ in log.add("long") },
            board.observe(\.[long[...]]) { [log] _, _ in log.add("long slice") },
            board.observe(\.[1]) { [log] _, _ in log.add("number") },
            board.observe(\.[UInt8(1)]) { [log] _, _ in log.add("small") },
        ].store(in: kept)
        board.total = 1
        #expect(log.take() == ["text", "slice", "long", "long slice", "number", "small"])
        #expect(board.isObserved(\.[1]) && !board.isObserved(\.["1"]) && !board.isObserved(\.[UInt16(1)]))
    }

    @Test(
        "1.8 4.1 Of many arguments with the same hash each is one, and may end and be announced alone",
        arguments: [3, 20])
    func sameHash(count: Int) {
        let board = Board()
        var tokens = (0..<count).map { number in
            board.observe(\.[manual: .init(number: number)], options: .new) { [log] in log.add($1, as: "\(number)") }
        }
        tokens.remove(at: 1).invalidate()
        #expect(!board.isObserved(\.[manual: .init(number: 1)]) && board.isObserved(\.[manual: .init(number: 2)]))
        for number in 0..<3 { board.changeValue(for: \.[manual: .init(number: number)]) {} }
        #expect(log.take() == ["0 ·→0", "2 ·→2"] && board.observationInfo.count == count - 1)
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 Announcing a subscript without an observer does not read it, because it may not exist yet")
    func announcedBeforeItIsThere() {
        let board = Board()
        board.observe(\.[cell: 0]) { [log] _, _ in log.add("called") }.store(in: kept)
        board.changeValue(for: \.[cell: 2]) { board.cells.append(7) }
        #expect(board[cell: 2] == 7 && log.take().isEmpty)
    }

    /// What is made where other values have been.
    @inline(never)
    private func after<Result>(_ noise: Int, _ body: () -> Result) -> Result {
        let pattern = UInt8(truncatingIfNeeded: noise &* 37 &+ 11)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_000) { bytes in
            unsafe bytes.initialize(repeating: pattern)
            unsafe keep(bytes.baseAddress)
        }
        return body()
    }

    // MARK: Classes

    /// A property of a kettle, as one class writes it.
    private struct Way {
        let isObserved: (Kettle) -> Bool
        let observe: (KVOController<Log>, Kettle, String) -> Void
        let unobserve: (KVOController<Log>, Kettle) -> Void

        init(_ keyPath: KeyPath<Kettle, Int>) {
            isObserved = { $0.isObserved(keyPath) }
            observe = { controller, kettle, line in controller.observe(kettle, keyPath) { log, _, _ in log.add(line) } }
            unobserve = { $0.unobserve($1, keyPath) }
        }

        init(ofBase keyPath: KeyPath<Vessel, Int>) {
            isObserved = { ($0 as Vessel).isObserved(keyPath) }
            observe = { controller, kettle, line in
                controller.observe(kettle as Vessel, keyPath) { log, _, _ in log.add(line) }
            }
            unobserve = { $0.unobserve($1 as Vessel, keyPath) }
        }

        /// Stored, computed, overridden, overridden by what reads more, manual.
        static var all: [[Self]] {
            [
                [Self(\.limit), Self(ofBase: \.limit)], [Self(\.doubled), Self(ofBase: \.doubled)],
                [Self(\.level), Self(ofBase: \.level)], [Self(\.kept), Self(ofBase: \.kept)],
                [Self(\.label), Self(ofBase: \.label)],
            ]
        }
    }

    @Test(
        "1.8 A16 D2 A property is one target, as either class writes it: to ask, to observe again and to end",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds),
        arguments: 0..<5, 0..<4)
    func classes(property: Int, order: Int) {
        let kettle = SmallKettle() as Kettle
        let controller = KVOController(observer: log, duplicates: .ignore)
        let (first, second) = (Way.all[property][order % 2], Way.all[property][order / 2])
        first.observe(controller, kettle, "first")
        second.observe(controller, kettle, "second")
        #expect(second.isObserved(kettle))
        kettle.change()
        #expect(Set(log.take()) == ["first"])
        second.unobserve(controller, kettle)
        #expect(!first.isObserved(kettle) && kettle.observationInfo.isEmpty)
        kettle.change()
        #expect(log.take() == [])
    }
}

/// Keeps the compiler from leaving out what it is given.
@inline(never)
private func keep<Value>(_ value: Value) {}

private class Board: KeyValueObservable {
    enum Mixed: Hashable {
        case number(UInt8)
        case nothing
    }

    struct Padded: Hashable {
        let small: UInt8
        let wide: UInt32
    }

    struct SameHash: Hashable {
        let number: Int

        func hash(into hasher: inout Hasher) {}
    }

    /// An object that is equal to others with the same text.
    final class Text: Hashable {
        let text: String

        init(_ text: String) { self.text = text }

        static func == (left: Text, right: Text) -> Bool { left.text == right.text }
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var total = 0
    var cells = [0, 0]

    subscript<Argument: Hashable>(argument: Argument) -> Int { total }

    subscript(manual argument: SameHash) -> Int {
        accessValue(for: \.[manual: argument])
        return argument.number
    }

    subscript(cell index: Int) -> Int {
        accessValue(for: \.[cell: index])
        return cells[index]
    }

    @inline(never)
    static func path<Argument: Hashable>(_ argument: Argument) -> KeyPath<Board, Int> { \Board.[argument] }
}

private class Vessel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var limit = 9
    @Observed var level = 0
    @Observed var kept = 0
    var doubled: Int { level * 2 }
    var label: Int {
        accessValue(for: \.label)
        return 0
    }
}

/// An override in a final class would be a target of its own.
private class Kettle: Vessel {
    override var level: Int {
        get { super.level }
        set { super.level = newValue }
    }
    override var kept: Int {
        get { min(super.kept, limit) }
        set { super.kept = newValue }
    }

    func change() {
        limit += 1
        level += 1
        kept += 1
        changeValue(for: \.label) {}
    }
}

private final class SmallKettle: Kettle {}
