// Which values count as the ones that a step left: 18.2.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.2 D20 Comparing values")
struct ComparisonTests {
    private let board = Board()
    private let manager = KeyValueUndoManager()

    /// Whether an undo after a silent change finds that the value is another one.
    private func isFound(_ change: () -> Void) -> Bool {
        change()
        do { try manager.undo() } catch { return error.code == .unexpectedValue }
        return false
    }

    /// Names in memory of their own, so that a value made of them is no copy.
    private func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test("18.2 Structures that are not Equatable are compared by what is in them")
    func structures() {
        manager.track(board, \.style)
        board.style = Style(width: 2, names: names("a b"))
        #expect(isFound { board.setSilently(style: Style(width: 2, names: names("a c"))) })
        #expect(isFound { board.setSilently(style: Style(width: 3, names: names("a b"))) })
        #expect(!isFound { board.setSilently(style: Style(width: 2, names: names("a b"))) })
        #expect(board.style.width == 1)
    }

    @Test("18.2 Dictionaries of them are compared by their entries")
    func dictionaries() {
        manager.track(board, \.styles)
        func styles(_ entries: (String, String)...) -> [String: Style] {
            Dictionary(uniqueKeysWithValues: entries.map { ($0.0, Style(width: 1, names: names($0.1))) })
        }
        board.styles = styles(("a", "1"), ("b", "2"))
        #expect(isFound { board.setSilently(styles: styles(("a", "1"))) })
        #expect(isFound { board.setSilently(styles: styles(("a", "1"), ("b", "3"))) })
        #expect(isFound { board.setSilently(styles: styles(("a", "1"), ("c", "2"))) })
        #expect(isFound { board.setSilently(styles: styles(("a", "1"), ("b", "2"), ("c", "3"))) })
        #expect(!isFound { board.setSilently(styles: styles(("a", "1"), ("b", "2"))) })
        #expect(board.styles.isEmpty)
    }

    @Test("18.2 Of other values that are not Equatable it cannot be told that they differ")
    func others() {
        manager.track(board, \.anything)
        board.anything = { 1 }
        #expect(!isFound { board.setSilently(anything: { 2 }) })
        #expect(board.anything as? Int == 0)
    }

    @Test("18.2 Enumerations are compared by their case and what is in it")
    func enumerations() {
        manager.track(board, \.shape)
        board.shape = .circles([1])
        #expect(isFound { board.setSilently(shape: .circles([2])) })
        #expect(isFound { board.setSilently(shape: .squares([1])) })
        #expect(!isFound { board.setSilently(shape: .circles([1])) })
        if case .circles(let circles) = board.shape { #expect(circles == []) }
    }

    @Test("18.2 Values that are not equal to themselves do not block steps, wherever they are", arguments: 0..<9)
    func nan(index: Int) throws {
        manager.track(board, \.numbers, \.points, \.readings, \.rare, \.anything, \.ratio)
        let (numbers, points) = (board.mutable(\.numbers), board.mutable(\.points))
        switch index {
        case 0:
            board.numbers = [.nan]
            numbers.append(1)
        case 1:
            numbers.append(.nan)
            numbers.insert(2, at: 0)
            numbers[1] = 3
        case 2:
            numbers.append(contentsOf: [1, .nan, 2])
            numbers.moveSubranges(RangeSet([0..<1]), to: 3)
            numbers.removeFirst()
        case 3:
            points.append(Point(x: .nan, label: names("a b").joined()))
            points.append(Point(x: 1, label: nil))
            points.removeFirst()
        case 4:
            board.mutable(\.readings)["a"] = [.nan]
            board.mutable(\.readings)["b"] = [1]
            board.mutable(\.readings)["a"] = [.nan, .nan]
        case 5:
            board.anything = [Double.nan]
            board.anything = [Double.nan, 1]
        case 6:
            board.ratio = .nan
            board.ratio = -.nan
            board.ratio = .signalingNaN
        case 7:
            board.rare = [.nan, 1]
            board.rare.insert(2)
        default:
            // A set cannot find it.
            board.mutable(\.rare).insert(.nan)
            board.mutable(\.rare).insert(1)
        }
        let count = try undoAll(manager)
        #expect(count > 1 && board.numbers == [] && board.points == [] && board.readings == [:] && board.ratio == 0)
        #expect(board.rare.isEmpty)
        while manager.canRedo { try manager.redo() }
        #expect(board.rare.count == [0, 0, 0, 0, 0, 0, 0, 3, 2][index])
        #expect(try undoAll(manager) == count && board.numbers == [] && board.points == [] && board.readings == [:])
        #expect(board.rare.isEmpty && board.ratio == 0)
    }

    @Test("18.2 Values of different kinds differ, and so do different objects", arguments: 0..<5)
    func kinds(index: Int) {
        manager.track(board, \.anything)
        let object = Card("a")
        let two = [Style(width: 1, names: names("a")), Style(width: 1, names: names("b"))]
        board.anything = [two[0], 1, object, object, two][index]
        let others: [Any] = [Card("b"), Style(), Style(), Card("a"), [Style(width: 1, names: names("a"))]]
        #expect(isFound { board.setSilently(anything: others[index]) })
    }
}
