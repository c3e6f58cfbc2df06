// Changes of a shared property that are made while another one is delivered: 17.2, 3.4, 3.5.
import KeyValueObserving
import TestSupport
import Testing

/// What a getter does when it is run for the first time.
private final class Once: @unchecked Sendable {
    private var body: (() -> Void)?

    func set(_ body: @escaping () -> Void) { self.body = body }
    func run() {
        let body = body
        self.body = nil
        body?()
    }
}

private final class Meter: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var value = 0
    @ObservedShared var items: [Int] = []
    let once = Once()

    /// Reads the value before anything else happens.
    var copy: Int { value }
    /// Keeps the value at ten at most.
    var clamped: Int {
        if value > 10 { value = 10 }
        return value
    }
    /// The same, in place.
    var clampedInPlace: Int {
        if value > 10 { value -= value - 10 }
        return value
    }
    /// Reads the value, and does once what it was given.
    var reading: Int {
        let value = value
        once.run()
        return value
    }
    /// Empties the items where there are more than two.
    var shortCount: Int {
        if items.count > 2 { items = [] }
        return items.count
    }
    /// Reads the items, and does once what it was given.
    var sum: Int {
        let items = items
        once.run()
        return items.reduce(0, +)
    }
}

private final class Owner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var meter = Meter()
}

@Suite("17.2 3.4 Changes of a shared property that are made while another one is delivered")
struct SharedNestingTests {
    private let tally = Tally()
    private let meter = Meter()
    private let log = Log()

    @Test(
        "17.2 What others store while a handler runs is delivered by its thread after it, whether or not the observer is new",
        arguments: [false, true])
    func handedOver(isKnown: Bool) {
        let log = log
        let token = tally.observe(\.count, options: [.old, .new]) { tally, change in
            log.add(change)
            guard change.newValue == 1 else { return }
            onThreads(1) { _ in
                tally.count = 2
                tally.count += 1
            }
            log.add("stored \(tally.count)")
        }
        if isKnown {
            tally.count = -1
            tally.count = 0
            #expect(log.take() == ["0→-1", "-1→0"])
        }
        tally.count = 1
        #expect(log.take() == ["0→1", "stored 3", "1→2", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "17.2 3.4 After a handler has set the property, its thread still delivers what others store",
        arguments: [0, 1, 2])
    func handedOverAfterSet(way: Int) {
        let log = log
        let token = tally.observe(\.count, options: [.old, .new]) { tally, change in
            log.add(change)
            guard change.newValue == 1 else { return }
            switch way {
            case 0: tally.count = 2
            case 1: tally.count += 1
            default: withKeyValueTransaction { tally.count = 2 }
            }
            onThreads(1) { _ in tally.count = 3 }
            log.add("stored")
        }
        tally.count = -1
        tally.count = 0
        _ = log.take()
        tally.count = 1
        #expect(log.take() == ["0→1", "1→2", "stored", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("17.2 A handler's set comes after what another thread stored before it, once the handler has returned")
    func setAfterOthers() {
        let log = log
        let token = tally.observe(\.count, options: [.old, .new]) { tally, change in
            log.add(change)
            guard change.newValue == 1 else { return }
            onThreads(1) { _ in tally.count = 2 }
            tally.count += 1
            log.add("set")
        }
        tally.count = 1
        #expect(log.take() == ["0→1", "set", "1→2", "2→3"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.4 What is left of a change is delivered before a handler's view changes the property", arguments: [0, 1, 2])
    func restBeforeViews(way: Int) {
        let log = log
        let tokens = [
            tally.observe(\.items, options: [.old, .new]) { tally, change in
                log.add(change, as: "a")
                guard change.newValue == [1] else { return }
                switch way {
                case 0: tally.mutable(\.items).append(2)
                case 1: tally.items.append(2)
                default: tally.items = [1, 2]
                }
                log.add("changed")
            },
            tally.observe(\.items, options: [.old, .new]) { tally, change in
                log.add(change, as: "b reads \(tally.items) at")
            },
        ]
        tally.items = [1]
        let second = way == 0 ? "insertion ·→[2]" : "[1]→[1, 2]"
        #expect(
            log.take() == [
                "a []→[1]", "b reads [1] at []→[1]", "a \(second)", "b reads [1, 2] at \(second)", "changed",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 5.1 What a getter sets while the change ends is part of it, for those too that were evaluated before")
    func evaluatedBefore() {
        let log = log
        let tokens = [
            meter.observe(\.copy, options: [.old, .new]) { log.add($1, as: "copy") },
            meter.observe(\.clamped, options: [.old, .new]) { log.add($1, as: "clamped") },
            meter.observe(\.value, options: [.old, .new]) { log.add($1, as: "value") },
        ]
        meter.value = 12
        #expect(log.take() == ["copy 0→10", "clamped 0→10", "value 0→10"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 5.1 A getter may set the shared property in place, too")
    func settingInPlace() {
        let log = log
        let tokens = [
            meter.observe(\.clampedInPlace, options: [.old, .new]) { log.add($1, as: "clamped") },
            meter.observe(\.value, options: [.old, .new]) { log.add($1, as: "value") },
        ]
        meter.value = 12
        meter.value = 3
        meter.value += 20
        #expect(
            log.take() == [
                "clamped 0→10", "value 0→10", "clamped 10→3", "value 10→3", "clamped 3→10", "value 3→10",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("17.2 3.5 What a getter sets while another thread's change waits comes after that")
    func settingWhileOthersWait() {
        let (meter, values) = (meter, Chain<Int>())
        let tokens = [
            meter.observe(\.reading) { _, _ in },
            meter.observe(\.value, options: [.old, .new]) { values.add($1) },
        ]
        meter.once.set {
            onThreads(1) { _ in meter.value = 5 }
            meter.value = 6
            meter.value = 7
        }
        meter.value = 1
        #expect(values.breaks(from: 0, to: 7) == "" && meter.value == 7)
        withExtendedLifetime(tokens) {}
    }

    @Test("17.2 7.5 What a getter changes by a view while another thread's change waits is replayed")
    func viewsWhileOthersWait() {
        let (meter, copy) = (meter, Replayed())
        let tokens = [
            meter.observe(\.sum) { _, _ in },
            meter.observe(\.items, options: [.old, .new]) { copy.apply($1) },
        ]
        meter.once.set {
            onThreads(1) { _ in meter.items = [5] }
            meter.mutable(\.items).append(6)
            meter.items = [7]
            meter.items = [8]
        }
        meter.items = [1]
        #expect(meter.items == [8] && copy.value == [8])
        withExtendedLifetime(tokens) {}
    }

    @Test("17.1 12.1 A value that was replaced in place is released, although the change had kept it")
    func released() {
        let token = tally.observe(\.next, options: [.old, .new]) { _, _ in }
        func replace(_ next: inout Tally?) { next = nil }
        weak var replaced: Tally?
        do {
            let next = Tally()
            replaced = next
            tally.next = next
        }
        #expect(replaced != nil)
        replace(&tally.next)
        #expect(replaced == nil)
        withExtendedLifetime(token) {}
    }

    @Test(
        "16.3 Who observes any property is called for shared ones, however they are first changed",
        arguments: [0, 1, 2])
    func anyProperty(way: Int) {
        let log = log
        let token = tally.observeAnyProperty { _, keyPath in log.add(keyPath == \Tally.items ? "items" : "?") }
        switch way {
        case 0: tally.items.append(1)
        case 1: tally.mutable(\.items).append(1)
        default: tally.items = [1]
        }
        #expect(log.take() == ["items"])
        withExtendedLifetime(token) {}
    }

    @Test("1.3 10.2 What an initial call in a transaction sets is delivered when that ends")
    func setInInitialCallOfTransaction() {
        let (tally, log) = (tally, log)
        var token: KeyValueObservation?
        withKeyValueTransaction {
            token = tally.observe(\.count, options: [.old, .new, .initial]) { tally, change in
                log.add(change)
                if change.newValue == 0 { tally.count = 7 }
            }
            #expect(log.take() == ["·→0"])
        }
        #expect(log.take() == ["0→7"])
        withExtendedLifetime(token) {}
    }

    @Test("1.3 3.5 After an initial call comes what a getter has made of the value that the call set")
    func getterAfterInitialCall() {
        let (meter, log) = (Meter(), log)
        let tokens = [
            meter.observe(\.clamped) { _, _ in },
            meter.observe(\.value, options: [.old, .new, .initial]) { meter, change in
                log.add(change)
                if change.newValue == 0 { meter.value = 12 }
            },
        ]
        #expect(log.take() == ["·→0", "0→10"])
        withExtendedLifetime(tokens) {}
    }

    @Test("7.5 17.3 Elements at the end of a path come after what another thread changed while a handler ran")
    func elementsAfterChangeOfOthers() {
        let (owner, meter, log) = (Owner(), meter, log)
        meter.items = [4, 9]
        let token = owner.observe(\.meter.items, options: [.old, .new]) { _, change in
            log.add(change)
            guard change.newValue == [4, 9] else { return }
            onThreads(1) { _ in meter.items = [9, 4] }
            meter.mutable(\.items)[0] = 2
        }
        owner.meter = meter
        #expect(meter.items == [2, 4])
        #expect(log.take().prefix(2) == ["[]→[4, 9]", "[4, 9]→[2, 4]"])
        withExtendedLifetime(token) {}
    }
}
