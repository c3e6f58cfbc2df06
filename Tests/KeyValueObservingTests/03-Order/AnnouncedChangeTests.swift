// Changes that are announced: what is read, called and kept meanwhile, and paths that are led there or away: 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Announced changes")
struct AnnouncedChangeTests {
    private let kept = Kept()
    private let observers = WorksheetObservers()
    private var sheet: Worksheet { observers.sheet }

    // MARK: What is read and called

    @Test("2.1 A property that notifies manually is not read for observers that need no values")
    func notRead() {
        let (sheet, log) = (LookedAtSheet(), Log())
        let tokens = [
            sheet.observe(\.total, options: []) { log.add($1, as: "total") },
            sheet.observe(\.double, options: []) { log.add($1) },
        ]
        sheet.reads = 0
        sheet.willChangeValue(for: \.total)
        #expect(sheet.reads == 0)
        sheet.didChangeValue(for: \.total)
        #expect(log.take() == ["total ·→·", "·→·"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 What a handler reads during a manual call is not what a getter around it depends on")
    func readInHandlers() {
        let (sheet, other, log) = (LookedAtSheet(), Worksheet(), Log())
        let tokens = [
            sheet.observe(\.uses, options: .prior) { _, _ in _ = other.a },
            sheet.observe(\.counted, options: [.old, .new]) { log.add($1) },
        ]
        sheet.a = 1
        other.a = 5
        sheet.a = 2
        #expect(log.take() == ["0→1", "1→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "P3 3.5 A handler that is called before a change may end it; later changes are told", arguments: [false, true])
    func endedBefore(isComputed: Bool) {
        let (keyPath, log) = (isComputed ? \Worksheet.sum : \.a, observers.log)
        sheet.observe(keyPath, options: [.prior, .old, .new]) { sheet, change in
            log.add(change)
            if change.isPrior, sheet.a == 0 { sheet.didChangeValue(for: keyPath) }
        }.store(in: kept)
        sheet.willChangeValue(for: keyPath)
        #expect(log.take() == ["prior 0→·", "0→0"])
        sheet.a = 1
        sheet.didChangeValue(for: keyPath)
        #expect(log.take() == ["prior 0→·", "0→1"])
    }

    @Test("3.5 A didChangeValue whose deliveries lead to another one of the same change is a surplus one")
    func didInsideDid() {
        observers.observe("b")
        (0..<2).map { _ in sheet.observe(\.a) { sheet, _ in sheet.didChangeValue(for: \.b) } }.store(in: kept)
        sheet.willChangeValue(for: \.b)
        sheet.b = 7
        sheet.a = 1
        #expect(observers.take() == ["b 0→7"])
    }

    // MARK: What never ends

    @Test("3.5 A change that never ends does not keep the object", arguments: [false, true])
    func object(isPath: Bool) {
        weak var weakSheet: Worksheet?
        let token: KeyValueObservation
        do {
            let sheet = Worksheet()
            weakSheet = sheet
            token = isPath ? sheet.observe(\.next?.a) { _, _ in } : sheet.observe(\.a) { _, _ in }
            if isPath { sheet.willChangeValue(for: \.next) } else { sheet.willChangeValue(for: \.a) }
        }
        #expect(weakSheet == nil && token.isInvalidated)
    }

    @Test("1.6 3.5 Nor a handler whose registration ends, nor an old value that is no longer requested")
    func handlerAndOldValue() {
        var (captured, next): (Log?, Worksheet?) = (Log(), Worksheet())
        weak let weakCaptured = captured
        weak let weakNext = next
        sheet.next = next
        let token = sheet.observe(\.next, options: .old) { [captured] _, _ in _ = captured }
        sheet.observe(\.next, options: []) { _, _ in }.store(in: kept)
        sheet.willChangeValue(for: \.next)
        token.invalidate()
        (sheet.next, next, captured) = (nil, nil, nil)
        #expect(weakCaptured == nil && weakNext == nil)
        sheet.didChangeValue(for: \.next)
    }

    @Test("3.5 It silences nothing but its own key path, that on its own thread only, and no object that comes later")
    func silence() throws {
        observers.observe("a b sum")
        let shared = Unchecked(value: sheet)
        onThreads(1) { _ in shared.value.willChangeValue(for: \.a) }
        (sheet.a, sheet.b) = (1, 2)
        #expect(observers.take() == ["a 0→1", "sum 0→1", "b 0→2", "sum 1→3"])
        for _ in 0..<1_000 {
            let later = WorksheetObservers("a")
            later.sheet.a = 1
            try #require(later.take() == ["a 0→1"])
            later.sheet.willChangeValue(for: \.a)
        }
    }

    @Test("3.5 A change that is announced keeps the object at the start of a path no longer than its prior calls")
    func rootAfterPrior() {
        var root: Worksheet? = Worksheet()
        weak let weakRoot = root
        root?.next = sheet
        root?.observe(\.next?.code, options: [.old, .new, .prior]) { [log = observers.log] in log.add($1) }.store(
            in: kept)
        sheet.willChangeValue(for: \.code)
        #expect(observers.take() == ["prior 0→·"])
        root = nil
        #expect(weakRoot == nil)
        sheet.didChangeValue(for: \.code)
        #expect(observers.take() == [])
    }

    // MARK: Paths

    @Test("3.5 A path that leads to a changing property is notified when that change ends", arguments: 0..<4)
    func ledThere(way: Int) {
        let next = Worksheet()
        let other = way % 2 == 0 ? next.observe(\.a) { _, _ in } : nil
        observers.observe("next.a")
        let (held, shared) = (HeldChange(), Unchecked(value: next))
        if way < 2 {
            next.willChangeValue(for: \.a)
        } else {
            held.begin {
                shared.value.willChangeValue(for: \.a)
                held.hold()
                shared.value.a = 1
                shared.value.didChangeValue(for: \.a)
            }
        }
        sheet.next = next
        #expect(observers.take() == ["next.a nil→0"])
        if way < 2 {
            next.a = 1
            next.didChangeValue(for: \.a)
        } else {
            held.finish()
        }
        #expect(observers.take() == ["next.a 0→1"])
        next.a = 2
        #expect(observers.take() == ["next.a 1→2"])
        withExtendedLifetime(other) {}
    }

    @Test(
        "P1 3.5 A path that is led away from a property during its change: old is what was told last", arguments: 0..<2)
    func ledAway(way: Int) {
        let (next, other) = (Worksheet(), Worksheet())
        (sheet.next, other.a) = (next, 7)
        observers.observe("next.a")
        next.observe(\.a, options: .prior) { [sheet] next, change in
            guard way == 1, change.isPrior else { return }
            next.a = 5
            sheet.next = other
        }.store(in: kept)
        if way == 0 {
            next.willChangeValue(for: \.a)
            next.a = 5
            sheet.next = other
            next.didChangeValue(for: \.a)
        } else {
            next.a = 1
        }
        #expect(observers.take() == ["next.a 0→7"])
    }
}

/// Counts how often it is looked at.
private final class LookedAtSheet: Worksheet {
    var reads = 0
    private var storedUses = 0

    var total: Int {
        accessValue(for: \.total)
        reads += 1
        return 0
    }
    var double: Int { total * 2 }

    /// Announced by each read of `counted`.
    var uses: Int {
        accessValue(for: \.uses)
        return storedUses
    }
    var counted: Int {
        changeValue(for: \.uses) { storedUses += 1 }
        return a
    }
}
