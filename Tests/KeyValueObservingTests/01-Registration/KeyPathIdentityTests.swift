// Which key paths are one target, and that all of them can be observed: 1.8.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 The identity of key paths")
struct KeyPathIdentityTests {
    private let log = Log()

    @Test("1.8 Arguments that need an alignment of their own may be observed")
    func alignedArguments() async {
        await #expect(processExitsWith: .success) {
            let (board, log) = (Board(), Log())
            let tokens = [
                board.observe(\.[SIMD2<Int>(1, 2)], options: [.old, .new]) { log.add($1, as: "vector") },
                board.observe(\.[Int128(7)], options: [.old, .new]) { log.add($1, as: "wide") },
                board.observe(\.[SIMD8<Double>(repeating: 1)], options: [.old, .new]) { log.add($1, as: "eight") },
            ]
            board.total = 1
            #expect(log.take() == ["vector 0→1", "wide 0→1", "eight 0→1"])
            #expect(board.isObserved(\.[SIMD2<Int>(1, 2)]) && board.isObserved(\.[Int128(7)]))
            #expect(!board.isObserved(\.[SIMD2<Int>(2, 2)]) && !board.isObserved(\.[Int128(8)]))
            for token in tokens { token.invalidate() }
            board.total = 2
            #expect(log.take() == [] && board.observationInfo.isEmpty)
        }
    }

    @Test("1.8 One generic subscript with arguments of several types")
    func argumentsOfSeveralTypes() async {
        await #expect(processExitsWith: .success) {
            let (board, log) = (Board(), Log())
            let controller = KVOController(observer: board, duplicates: .ignore)
            let tokens = [
                board.observe(\.["a text that is too long to be kept in two words"]) { _, _ in log.add("text") },
                board.observe(\.[1]) { _, _ in log.add("number") },
                board.observe(\.[UInt8(1)]) { _, _ in log.add("small") },
                board.observe(\.[["list"]]) { _, _ in log.add("list") },
                board.observe(\.[1.5]) { _, _ in log.add("fraction") },
            ]
            controller.observe(board, \.[1]) { _, _, _ in log.add("controller 1") }
            controller.observe(board, \.[UInt8(1)]) { _, _, _ in log.add("controller small") }
            controller.observe(board, \.[1]) { _, _, _ in log.add("the same again") }
            board.total = 1
            #expect(
                log.take() == [
                    "text", "number", "small", "list", "fraction", "controller 1", "controller small",
                ])
            #expect(board.isObserved(\.[1]) && !board.isObserved(\.["1"]) && !board.isObserved(\.[UInt16(1)]))
            controller.unobserve(board, \.[1])
            tokens[0].invalidate()
            board.total = 2
            #expect(log.take() == ["number", "small", "list", "fraction", "controller small"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("1.8 Arguments narrower than a word are compared by what they are, whatever lies beside them")
    func narrowArguments() async {
        await #expect(processExitsWith: .success) {
            Self.check { UInt8($0) }
            Self.check { $0 == 1 }
            Self.check { $0 == 1 ? Board.Side.left : .right }
            Self.check { Board.Padded(small: UInt8($0), wide: 7) }
            Self.check { Board.Padded(small: 7, wide: UInt32($0)) }
            Self.check { UInt16($0) }
            Self.check { $0 == 1 ? UInt8(3) : nil }
            Self.check { Board.Mixed.number(UInt8($0)) }
        }
    }

    /// Checks that arguments made from 1 are one and those made from 2 are another.
    private static func check<Argument: Hashable>(
        _ argument: (Int) -> Argument, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        check({ Board.path(argument($0)) }, sourceLocation: sourceLocation)
    }

    private static func check(
        _ path: (Int) -> KeyPath<Board, Int>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let board = Board()
        let log = Log()
        let controller = KVOController(observer: log, duplicates: .ignore)
        for (number, count) in [(1, 1), (2, 2)] {
            for noise in 0..<100 {
                controller.observe(board, after(noise) { path(number) }) { _, _, _ in }
            }
            #expect(board.observationInfo.count == count, sourceLocation: sourceLocation)
        }
        #expect(board.isObserved(after(55) { path(1) }), sourceLocation: sourceLocation)
        #expect(board.isObserved(after(66) { path(2) }), sourceLocation: sourceLocation)
        controller.unobserve(board, after(77) { path(1) })
        #expect(board.observationInfo.count == 1, sourceLocation: sourceLocation)
    }

    @Test("1.8 So they are in a subscript for one type of argument")
    func narrowArgumentsOfOneType() async {
        await #expect(processExitsWith: .success) {
            Self.check { Board.channel(UInt8($0)) }
            Self.check { Board.side($0 == 1) }
        }
    }

    /// What is made where other values have been.
    @inline(never)
    private static func after<Result>(_ noise: Int, _ body: () -> Result) -> Result {
        let pattern = UInt8(truncatingIfNeeded: noise &* 37 &+ 11)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_000) { bytes in
            unsafe bytes.initialize(repeating: pattern)
            unsafe keep(bytes.baseAddress)
        }
        return body()
    }
}

/// Keeps the compiler from leaving out what it is given.
@inline(never) private func keep<Value>(_ value: Value) {}

private protocol Aged: KeyValueObservable {
    var age: Int { get set }
}

extension Person: Aged {}

private class Board: KeyValueObservable {
    enum Side { case left, right }
    enum Mixed: Hashable {
        case number(UInt8)
        case nothing
    }

    struct Padded: Hashable {
        let small: UInt8
        let wide: UInt32
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var total = 0

    subscript<Argument: Hashable>(argument: Argument) -> Int { total }
    subscript(channel channel: UInt8) -> Int { total }
    subscript(side isLeft: Bool) -> Int { total }

    @inline(never)
    static func path<Argument: Hashable>(_ argument: Argument) -> KeyPath<Board, Int> { \Board.[argument] }

    @inline(never) static func channel(_ channel: UInt8) -> KeyPath<Board, Int> { \Board.[channel: channel] }
    @inline(never) static func side(_ isLeft: Bool) -> KeyPath<Board, Int> { \Board.[side: isLeft] }
}
