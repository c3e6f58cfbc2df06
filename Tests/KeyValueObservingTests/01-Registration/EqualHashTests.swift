// Key paths that differ in arguments with the same hash: 1.8.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 Arguments with the same hash")
struct EqualHashTests {
    @Test("1.8 Ending one of many registrations whose arguments have the same hash ends no other", arguments: [3, 20])
    func endOne(_ count: Int) {
        let (board, log) = (Board(), Log())
        var tokens = (0..<count).map { number in
            board.observe(\.[Spot(number: number)], options: .new) { log.add($1, as: "\(number)") }
        }
        tokens.remove(at: 1).invalidate()
        #expect(!board.isObserved(\.[Spot(number: 1)]))
        #expect(board.isObserved(\.[Spot(number: 0)]) && board.isObserved(\.[Spot(number: 2)]))
        // It is the same path as before.
        tokens.append(board.observe(\.[Spot(number: 2)], options: .new) { log.add($1, as: "again") })
        board.start = 10
        let lines = (0..<count).filter { $0 != 1 }.map { "\($0) ·→\(10 + $0)" }
        #expect(log.take() == lines + ["again ·→12"])
        #expect(board.observationInfo.count == count)
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "4.1 A manual change at one of many arguments with the same hash is delivered there only", arguments: [3, 20])
    func manual(_ count: Int) {
        let (board, log) = (Board(), Log())
        var tokens = (0..<count).map { number in
            board.observe(\.[manual: Spot(number: number)], options: .new) { log.add($1, as: "\(number)") }
        }
        tokens.remove(at: 1).invalidate()
        for number in 0..<3 { board.changeValue(for: \.[manual: Spot(number: number)]) {} }
        #expect(log.take() == ["0 ·→0", "2 ·→2"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Board: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var start = 0

    subscript(place: Spot) -> Int { start + place.number }

    subscript(manual place: Spot) -> Int {
        accessValue(for: \.[manual: place])
        return place.number
    }
}

private struct Spot: Hashable {
    let number: Int

    func hash(into hasher: inout Hasher) {}
}
