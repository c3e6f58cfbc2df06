// The model whose changes are undone.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport

class Board: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""
    @Observed var count = 0
    @Observed var note: String?
    @Observed var tags: [String] = []
    @Observed var marks: Set<Int> = []
    @Observed var sizes: [String: Int] = [:]
    @Observed var cards: [Card] = []
    @Observed var ratio = 0.0
    @Observed var style = Style()
    @Observed var first: Card?
    @Observed var styles: [String: Style] = [:]
    @Observed var shape = Shape.circles([])
    @Observed var anything: Any = 0
    @Observed var slice: ArraySlice<Int> = []
    @Observed var numbers: [Double] = []
    @Observed var points: [Point] = []
    @Observed var readings: [String: [Double]] = [:]
    @Observed var rare: Set<Double> = []
    @Observed var actions: [() -> Void] = []
    @Observed var nested: [[Card]] = []
    @Observed var label = Label()

    /// What is not as in a new board: `2 title [ab] {1} k:1 (cards)`.
    var picture: String {
        let parts: [String?] = [
            count == 0 ? nil : "\(count)", title.isEmpty ? nil : title, note,
            tags.isEmpty ? nil : "[\(tags.joined())]", marks.isEmpty ? nil : "{\(marks.sorted())}",
            sizes.isEmpty
                ? nil : sizes.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " "),
            cards.isEmpty ? nil : "(\(cards.map(\.text).joined(separator: " ")))", first?.text,
            ratio == 0 ? nil : "\(ratio)", style.width == 1 && style.names == [] ? nil : "\(style.width)\(style.names)",
            numbers.isEmpty ? nil : "\(numbers)", points.isEmpty ? nil : "\(points.map(\.x))",
            readings.isEmpty ? nil : "\(readings.count) readings", rare.isEmpty ? nil : "\(rare.count) rare",
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    /// Writes behind the back of observers.
    func setSilently(count: Int) { _count = Observed(wrappedValue: count) }
    func setSilently(tags: [String]) { _tags = Observed(wrappedValue: tags) }
}

/// Not `Equatable`.
struct Style {
    var width = 1
    var names: [String] = []
}

/// Not `Equatable` either.
enum Shape {
    case circles([Int])
    case squares([Int])
}

struct Point: Equatable {
    var x: Double
    var label: String?
}

/// Equal whatever its note is.
struct Label: Equatable {
    var text = ""
    var note = ""

    static func == (left: Label, right: Label) -> Bool { left.text == right.text }
}

final class Card: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var text: String

    init(_ text: String) { self.text = text }
}

/// A clock that stands still until a test moves it.
final class ManualClock: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
        var offset: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    var now = Instant(offset: .zero)
    var minimumResolution: Swift.Duration { .zero }

    func advance(by duration: Swift.Duration) { now = now.advanced(by: duration) }
    func sleep(until _: Instant, tolerance _: Swift.Duration?) async throws {}
}

/// Undoes all steps.
///
/// - Returns: How many there were.
func undoAll(_ manager: KeyValueUndoManager) throws -> Int {
    var count = 0
    while manager.canUndo {
        try manager.undo()
        count += 1
    }
    return count
}

/// Redoes all steps.
func redoAll(_ manager: KeyValueUndoManager) throws { while try manager.redo() {} }

/// Why a call is refused; nil if it is not.
func thrownError<Result>(_ call: () throws -> Result) -> KeyValueUndoError? {
    do { _ = try call() } catch { return error as? KeyValueUndoError }
    return nil
}

func refusal<Result>(_ call: () throws -> Result) -> KeyValueUndoError.Code? { thrownError(call)?.code }
