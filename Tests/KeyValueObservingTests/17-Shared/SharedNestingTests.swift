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
}

@Suite("17.2 3.4 Changes of a shared property that are made while another one is delivered")
struct SharedNestingTests {
    private let kept = Kept()
    private let tally = Tally()
    private let meter = Meter()
    private let log = Log()

    @Test(
        "17.2 What others store while a handler runs is delivered by its thread after it, known or new",
        arguments: [false, true])
    func handedOver(isKnown: Bool) {
        let log = log
        tally.observe(\.count, options: [.old, .new]) { tally, change in
            log.add(change)
            guard change.newValue == 1 else { return }
            onThreads(1) { _ in
                tally.count = 2
                tally.count += 1
            }
            log.add("stored \(tally.count)")
        }.store(in: kept)
        if isKnown {
            tally.count = -1
            tally.count = 0
            #expect(log.take() == ["0→-1", "-1→0"])
        }
        tally.count = 1
        #expect(log.take() == ["0→1", "stored 3", "1→2", "2→3"])
    }

    @Test("17.2 A handler's set comes after what another thread stored before it, once the handler has returned")
    func setAfterOthers() {
        let log = log
        tally.observe(\.count, options: [.old, .new]) { tally, change in
            log.add(change)
            guard change.newValue == 1 else { return }
            onThreads(1) { _ in tally.count = 2 }
            tally.count += 1
            log.add("set")
        }.store(in: kept)
        tally.count = 1
        #expect(log.take() == ["0→1", "set", "1→2", "2→3"])
    }

    @Test("3.4 The rest of a change is delivered before a handler's view changes the property", arguments: [0, 1, 2])
    func restBeforeViews(way: Int) {
        let log = log
        [
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
        ].store(in: kept)
        tally.items = [1]
        let second = way == 0 ? "insertion ·→[2]" : "[1]→[1, 2]"
        #expect(
            log.take() == [
                "a []→[1]", "b reads [1] at []→[1]", "b reads [1, 2] at \(second)", "changed", "a \(second)",
            ])
    }

    @Test("3.5 5.1 What a getter sets while the change ends is part of it, for those too that were evaluated before")
    func evaluatedBefore() {
        let log = log
        [
            meter.observe(\.copy, options: [.old, .new]) { log.add($1, as: "copy") },
            meter.observe(\.clamped, options: [.old, .new]) { log.add($1, as: "clamped") },
            meter.observe(\.value, options: [.old, .new]) { log.add($1, as: "value") },
        ].store(in: kept)
        meter.value = 12
        #expect(log.take() == ["copy 0→10", "clamped 0→10", "value 0→10"])
    }

    @Test("17.1 12.1 A value that was replaced in place is released, although the change had kept it")
    func released() {
        tally.observe(\.next, options: [.old, .new]) { _, _ in }.store(in: kept)
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
    }
}
