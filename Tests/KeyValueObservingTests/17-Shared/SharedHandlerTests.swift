// One handler of several registrations over shared properties, which runs on one thread at a time: P3, 17.2.
import KeyValueCoding
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("P3 17.2 One handler of several registrations runs on one thread at a time")
struct SharedHandlerTests {
    private let kept = Kept()
    private let log = Log()

    @Test(
        "P3 17.2 A list's handler runs on one thread at a time, and is called for every change", arguments: 0..<3)
    func listOnThreads(form: Int) throws {
        let (tally, inside, chains) = (Count(), Inside(), Box((count: ValueChain(), other: ValueChain())))
        let controller = KVOController(observer: log)
        // Nothing guards what it changes.
        func handle(_ keyPath: AnyKeyPath, _ old: Any?, _ new: Any?) {
            let (old, new) = (old as? Int, new as? Int)
            inside.run {
                if keyPath == \Count.count {
                    chains.value.count.add(old, new)
                } else {
                    chains.value.other.add(old, new)
                }
            }
        }
        switch form {
        case 0:
            tally.observe(keyPaths: [\.count, \.other]) { handle($1.keyPath, $1.oldValue, $1.newValue) }.store(in: kept)
        case 1:
            controller.observe(tally, keyPaths: [\.count, \.other]) { handle($2.keyPath, $2.oldValue, $2.newValue) }
        default:
            try controller.observe(tally, keyPaths: ["count", "other"]) { handle($2.keyPath, $2.oldValue, $2.newValue) }
        }
        onThreads(4) { thread in
            for value in 1...500 { if thread % 2 == 0 { tally.count = value } else { tally.other = value } }
        }
        #expect(inside.overlaps == 0)
        let (count, other) = chains.value
        #expect(count.isWhole && other.isWhole && count.last == tally.count && other.last == tally.other)
        #expect(count.length == 1_000 && other.length == 1_000)
    }

    @Test("P3 17.2 16.4 The three handlers of each element run on one thread at a time, and are called for all")
    func elementsOnThreads() {
        let squad = Squad()
        let (inside, total, present) = (Inside(), Box(0), Box(Set<ObjectIdentifier>()))
        let fixed = (0..<2).map { _ in Tally() }
        squad.members = fixed
        squad.observe(eachOf: \.members, \.count) { _, _, change in
            inside.run { total.value += 1 }
        } arrival: { _, member in
            inside.run { present.value.insert(ObjectIdentifier(member)) }
        } departure: { _, member in
            inside.run { present.value.remove(ObjectIdentifier(member)) }
        }.store(in: kept)
        onThreads(4) { thread in
            for value in 1...300 {
                if thread < 2 {
                    fixed[thread].count = value
                } else {
                    let guest = Tally()
                    squad.mutable(\.members).append(guest)
                    squad.mutable(\.members).removeAll { $0 === guest }
                }
            }
        }
        #expect(inside.overlaps == 0 && total.value == 600)
        #expect(present.value == Set(fixed.map { ObjectIdentifier($0) }))
    }

    @Test("P3 17.2 13.2 The conversions of a binding both ways run on one thread at a time; both ends agree at last")
    func bindingOnThreads() {
        let (left, right, inside, calls) = (Tally(), Tally(), Inside(), Box(0))
        let binding = left.bindBothWays(\.count, to: right, \.count) { value in
            inside.run { calls.value += 1 }
            return value + 1
        } reverse: { value in
            inside.run { calls.value += 1 }
            return value - 1
        }
        onThreads(4) { thread in
            for value in 1...300 { (thread % 2 == 0 ? left : right).count = value * 10 + thread }
        }
        #expect(inside.overlaps == 0 && calls.value > 0)
        #expect(right.count == left.count + 1)
        withExtendedLifetime(binding) {}
    }

    @Test(
        "P3 9.3 17.2 What another thread has left is not called once invalidate() has returned",
        .enabled(if: hasReflectionMetadata))
    func endedOnThreads() {
        let (tally, log, token) = (Tally(), log, Token())
        token.value = tally.observe(keyPaths: [\.count, \.other]) { tally, change in
            log.add(change, as: change.name)
            guard change.name == "count" else { return }
            onThreads(1) { _ in tally.other = 1 }
            log.add("stored \(tally.other)")
            if tally.count == 2 { token.value?.invalidate() }
        }
        tally.count = 1
        #expect(log.take() == ["count 0→1", "stored 1", "other 0→1"])
        tally.count = 2
        #expect(log.take() == ["count 1→2", "stored 1"])
    }

    @Test(
        "P3 13.3 What another thread has left is called without what the calling thread ignores",
        .enabled(if: hasReflectionMetadata))
    func ignoringOnThreads() {
        let (tally, plain, log) = (Tally(), Tally(), log)
        let ignored = plain.observe(\.plain) { log.add($1) }
        tally.observe(keyPaths: [\.count, \.other]) { tally, change in
            if change.name == "count" {
                onThreads(1) { _ in tally.other = 1 }
            }
            plain.plain += 1
        }.store(in: kept)
        ignored.ignoringChanges { tally.count = 1 }
        #expect(log.take() == ["1→2"])
    }
}

private final class Count: KeyValueCodable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var count = 0
    @ObservedShared var other = 0

    static var keyPathsByKey: [String: AnyKeyPath] { ["count": \Count.count, "other": \Count.other] }
}

private final class Squad: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var members: [Tally] = []
}

private final class Token: @unchecked Sendable {
    var value: KeyValueObservation?
}

/// A value that nothing guards.
private final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// Counts how often some code is entered while it is running.
private final class Inside: Sendable {
    private let count = Atomic(0)
    private let overlapping = Atomic(0)

    var overlaps: Int { overlapping.load(ordering: .relaxed) }

    func run(_ body: () -> Void) {
        if count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 { overlapping.wrappingAdd(1, ordering: .relaxed) }
        body()
        count.wrappingSubtract(1, ordering: .relaxed)
    }
}
