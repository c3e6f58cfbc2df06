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
