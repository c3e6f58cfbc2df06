// Several key paths in one call, and those of a controller, on other executors: 10.1 and 1.7 with 11, 12.1 and 16.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.1 11 Several key paths, on another executor")
struct SeveralOnExecutorsTests {
    private let kept = Kept()
    private let tank = Tank()
    private let recorder = Recorder()

    private func observe(
        _ options: KeyValueObservingOptions = [.old, .new], _ policy: KeyValueBufferingPolicy = .unbounded
    ) -> KeyValueObservation {
        tank.changes(of: \.level, \.tags, options: options).buffer(policy: policy).deliver(to: recorder) {
            recorder, change in
            recorder.add(Self.text(of: change))
        }
    }

    private static func text(of change: KeyValueObservedChange<any Sendable>) -> String {
        "\(change.keyPath == \Tank.level ? "level" : "tags") \(TestSupport.text(of: change))"
    }

    @Test(
        "10.1 11.4 One policy bounds what waits of all; each key path closes its own gap",
        arguments: [false, true])
    func policy(dropsNewest: Bool) async {
        observe([.old, .new], dropsNewest ? .bufferingOldest(1) : .bufferingNewest(1)).store(in: kept)
        await recorder.perform { [tank] _ in
            tank.level = 1
            tank.mutable(\.tags).append("a")
            tank.level = 2
        }
        let first = dropsNewest ? "level 0→1" : "level 0→2"
        #expect(await recorder.lines(1) == [first])
        #expect(tank.observationInfo.map(\.droppedCount) == [1, 1])
        tank.mutable(\.tags).append("b")
        #expect(await recorder.lines(2) == [first, "tags []→[\"a\", \"b\"]"])
        tank.level = 3
        #expect(await recorder.lines(3).last == (dropsNewest ? "level 1→3" : "level 2→3"))
        #expect(tank.observationInfo.map(\.deliveredCount) == [2, 1])
    }

    @Test("10.1 16.1 .distinct compares a value with the one delivered last for the same key path")
    func distinct() async {
        tank.changes(of: \.level, \.next?.level, options: [.old, .new, .distinct]).deliver(to: recorder) {
            recorder, change in
            recorder.add(change)
        }.store(in: kept)
        tank.level = 0
        tank.next = nil
        tank.level = 1
        tank.next = Tank()
        tank.next = Tank()
        tank.next?.level = 1
        tank.level = 1
        tank.next = nil
        tank.level = 2
        #expect(await recorder.lines(5) == ["0→1", "nil→0", "0→1", "1→nil", "1→2"])
        #expect(tank.observationInfo.map(\.deliveredCount) == [2, 3])
    }

    @Test(
        "10.1 1.4 All key paths are checked before the first is registered")
    func unobservable() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let tank = Tank()
            _ = tank.changes(of: \.level, \.tags, \.capacity).makeAsyncIterator()
            withExtendedLifetime(tank) {}
        }
        #expect(words("Tank", " Int", "Observed", missingIn: message(of: result)) == [])
    }
}

extension Tank {
    fileprivate var capacity: Int { 10 }
}
