// Where a path is hooked, when the objects on its way come and go.
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("6.2 What a path depends on")
struct PathDependencyTests {
    @Test("6.2 Objects that come and go on the way: each is followed while it is there, and let go")
    func objectsComeAndGo() {
        let station = Station()
        let log = Log()
        let observation = station.observe(\.next?.next?.number, options: [.old, .new]) { log.add($1) }
        weak var gone: Station?
        for round in 1...100 {
            let middle = Station(next: Station(number: round))
            station.next = middle
            middle.next?.number += 1000
            #expect(gone == nil)
            #expect(
                log.take() == [
                    round == 1 ? "nil→1" : "\(round + 999)→\(round)", "\(round)→\(round + 1000)",
                ])
            gone = middle
        }
        withExtendedLifetime(observation) {}
    }

    @Test("6.2 9.2 A path that several threads evaluate at once is hooked to where it leads in the end, once")
    func evaluationsThatMeet() {
        let station = Station()
        let lines = (0..<4).map { Station(next: Station(number: $0)) }
        let told = Calls()
        let observation = station.observe(\.next?.next?.number, options: [.old, .new]) { _, _ in told.add() }
        for round in 0..<20 {
            onThreads(4) { thread in
                for turn in 0..<100 {
                    station.next = lines[(thread + turn) % 4]
                    lines[thread].next?.number += 1
                }
            }
            station.next = lines[round % 4]
            told.reset()
            for line in lines { line.next?.number += 1 }
            #expect(told.count == 1)
        }
        withExtendedLifetime(observation) {}
    }

    @Test(
        "6.2 9.2 Who comes while one thread reads a path and another changes what it has read is notified of the rest")
    func comesWhileThePathIsRead() {
        let junction = Junction(next: Junction(number: 1))
        let other = Junction(number: 2)
        let (early, late) = (Log(), Log())
        var observations = [junction.observe(\.sum, options: [.old, .new]) { early.add($1) }]
        let change = HeldChange()
        junction.whenRead = { next in
            guard next === other else { return }
            // The path is hooked to it by now. Another thread finds out who is notified, and waits before the change.
            junction.whenRead = { _ in
                junction.whenRead = nil
                change.hold()
            }
            change.begin { other.number = 3 }
            observations.append(junction.observe(\.sum, options: [.old, .new]) { late.add($1) })
        }
        junction.next = other
        change.finish()
        #expect(early.take() == ["1→2", "2→3"])
        _ = late.take()
        other.number = 4
        #expect(early.take() == ["3→4"])
        #expect(late.take() == ["3→4"])
        withExtendedLifetime(observations) {}
    }

    @Test("6.2 A path that ends while it is being read is left by all it has read")
    func goesWhileThePathIsRead() {
        let junction = Junction(next: Junction(number: 1))
        let other = Junction(number: 2)
        let log = Log()
        var observation: KeyValueObservation? = junction.observe(\.sum, options: [.old, .new]) { log.add($1) }
        junction.whenRead = { next in
            if next === other { observation = nil }
        }
        junction.next = other
        #expect(observation == nil)
        junction.whenRead = nil
        other.number = 3
        junction.next = nil
        #expect(log.take().isEmpty)
        junction.next = other
        let second = junction.observe(\.sum, options: [.old, .new]) { log.add($1) }
        other.number = 4
        #expect(log.take() == ["3→4"])
        withExtendedLifetime(second) {}
    }

    @Test("6.2 9.2 An evaluation that meets other objects only, and ends after one that met more of them")
    func onlyOtherObjects() {
        let leaves = (0..<4).map { _ in Junction(number: 1) }
        let crown = Crown([leaves[0]])
        let log = Log()
        let observation = crown.observe(\.sum, options: [.new]) { log.add($1) }
        let change = HeldChange()
        crown.leaves = Array(leaves[0..<3])
        crown.whenRead = { change.hold() }
        // It has read three when it waits.
        change.begin { leaves[0].number = 2 }
        crown.leaves = [leaves[3]]
        crown.whenRead = {
            crown.whenRead = nil
            change.finish()
        }
        leaves[0].number = 3
        _ = log.take()
        leaves[3].number = 7
        #expect(log.take() == ["·→7"])
        leaves[1].number = 8
        #expect(log.take().isEmpty)
        withExtendedLifetime(observation) {}
    }

    @Test("6.2 9.2 What a handler holds is let go without a lock, also where another thread leads the path elsewhere")
    func handlersAreLetGoWithoutALock() {
        let last = Station(number: 1)
        let line = (0..<50).reduce(last) { next, number in Station(next: next, number: number) }
        let root = Station(next: line)
        let observation = root.observe(\.next?.total, options: [.new]) { _, _ in }
        onThreads(2) { thread in
            for turn in 0..<1000 {
                if thread == 0 {
                    root.next = nil
                    root.next = line
                } else {
                    let passenger = Passenger(at: last)
                    let second = root.observe(\.next?.total, options: [.new]) { _, _ in _ = passenger }
                    last.number = turn
                    second.invalidate()
                }
            }
        }
        #expect(root.next === line)
        withExtendedLifetime(observation) {}
    }
}

/// Looks at a station when it goes, which takes the lock of that.
private final class Passenger: Sendable {
    private let station: Station
    init(at station: Station) { self.station = station }
    deinit { station.observe(\.number) { _, _ in }.invalidate() }
}

/// Finds its leaves without reading an observed property; threads take turns with it, or leave it as it is.
private final class Crown: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    var leaves: [Junction]
    var whenRead: (() -> Void)?

    init(_ leaves: [Junction]) {
        self.leaves = leaves
    }

    var sum: Int {
        let sum = leaves.reduce(0) { $0 + $1.number }
        whenRead?()
        return sum
    }
}

/// Says when its computed property has read the next one; threads take turns with it.
private final class Junction: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var next: Junction?
    @Observed var number: Int
    var whenRead: ((Junction?) -> Void)?

    init(next: Junction? = nil, number: Int = 0) {
        self.next = next
        self.number = number
    }

    var sum: Int {
        let next = next
        let ahead = next?.number
        if ahead != nil { whenRead?(next) }
        return (ahead ?? 0) + number
    }
}

/// Counts on several threads.
private final class Calls: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
    func reset() { number.store(0, ordering: .relaxed) }
}

/// Its properties may be read and set on all threads at once.
private final class Station: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let stored: Guarded<(next: Station?, number: Int)>

    init(next: Station? = nil, number: Int = 0) {
        stored = Guarded((next, number))
    }

    var next: Station? {
        get {
            accessValue(for: \.next)
            return stored.withLock { $0.next }
        }
        set {
            willChangeValue(for: \.next)
            stored.withLock { $0.next = newValue }
            didChangeValue(for: \.next)
        }
    }

    /// Of all stations from here on.
    var total: Int { number + (next?.total ?? 0) }

    var number: Int {
        get {
            accessValue(for: \.number)
            return stored.withLock { $0.number }
        }
        set {
            willChangeValue(for: \.number)
            stored.withLock { $0.number = newValue }
            didChangeValue(for: \.number)
        }
    }
}
