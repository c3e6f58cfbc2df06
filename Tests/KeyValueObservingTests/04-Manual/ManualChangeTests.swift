// Announcing changes by hand: 3.5 and section 4 of the contract, rows C6 and C7 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4 Manual changes")
struct ManualChangeTests {
    private let counter = HandCounter()
    private let log = Log()

    @Test("4.1 A property that notifies by hand is read by computed properties and paths")
    func readByOthers() {
        let owner = HandCounterOwner()
        owner.counter = counter
        let tokens = [
            counter.observe(\.doubled, options: [.old, .new]) { log.add($1, as: "doubled") },
            owner.observe(\.counter?.byHand, options: [.old, .new]) { log.add($1, as: "path") },
        ]
        counter.byHand = 3
        #expect(log.take() == ["doubled 0→6", "path 0→3"])
        withExtendedLifetime(tokens) {}
    }

    // #156
    @Test("4.1 Without accessValue, equal key paths are one property; a path to it is not followed")
    func withoutAccess() {
        let token = counter.observe(\.silent, options: [.old, .new]) { log.add($1) }
        counter.silent = 5
        #expect(log.take() == ["0→5"])
        withExtendedLifetime(token) {}
    }

    // #77
    @Test("4.2 C7 With automatic notification off a set is silent, a pair delivers once, .initial is sent (#46, #78)")
    func automaticOff() {
        let token = counter.observe(\.quiet, options: [.initial, .old, .new]) { log.add($1) }
        counter.quiet = 1
        #expect(log.take() == ["·→0"])
        counter.willChangeValue(for: \.quiet)
        counter.quiet = 2
        counter.didChangeValue(for: \.quiet)
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(token) {}
    }

    @Test("4.2 C7 A subclass decides for an inherited property and falls back for the rest (#157)")
    func subclassDecides() {
        let derived = DerivedHandCounter()
        let tokens = [
            derived.observe(\.automatic) { _, _ in log.add("automatic") },
            derived.observe(\.quiet) { _, _ in log.add("quiet") },
            derived.observe(\.other) { _, _ in log.add("other") },
        ]
        derived.automatic = 1
        derived.quiet = 1
        derived.other = 1
        #expect(log.take() == ["other"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 A surplus didChangeValue is ignored (#79, #154)")
    func surplusDid() {
        let token = counter.observe(\.automatic, options: [.old, .new]) { log.add($1) }
        counter.didChangeValue(for: \.automatic)
        counter.automatic = 1
        counter.didChangeValue(for: \.automatic)
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 A didChangeValue on another thread than its willChangeValue is a surplus one")
    func otherThread() {
        let shared = Unchecked(value: counter)
        let count = Guarded(0)
        let token = counter.observe(\.byHand) { _, _ in count.withLock { $0 += 1 } }
        counter.willChangeValue(for: \.byHand)
        onThreads(1) { _ in shared.value.didChangeValue(for: \.byHand) }
        #expect(count.withLock { $0 } == 0)
        counter.didChangeValue(for: \.byHand)
        #expect(count.withLock { $0 } == 1)
        withExtendedLifetime(token) {}
    }

    @Test("3.6 A change begun before anybody observes is no change for those who come (#82)")
    func willBeforeObservers() {
        counter.willChangeValue(for: \.byHand)
        let first = counter.observe(\.byHand) { _, _ in log.add("byHand") }
        let second = counter.observe(\.quiet) { _, _ in log.add("quiet") }
        counter.willChangeValue(for: \.quiet)
        counter.didChangeValue(for: \.quiet)
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["quiet"])
        counter.byHand = 1
        #expect(log.take() == ["byHand"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("3.6 An observer that a prior handler adds or removes (#148, #149)")
    func membershipInPriors() {
        var added: KeyValueObservation?
        var victim: KeyValueObservation? = counter.observe(\.byHand) { _, _ in log.add("victim") }
        let meddler = counter.observe(\.byHand, options: .prior) { counter, change in
            log.add(change.isPrior ? "prior" : "meddler")
            victim?.invalidate()
            victim = nil
            if added == nil { added = counter.observe(\.byHand, options: .new) { log.add($1) } }
        }
        for value in 1...3 { counter.byHand = value }
        #expect(
            log.take() == ["prior", "meddler", "prior", "meddler", "·→2", "prior", "meddler", "·→3"])
        withExtendedLifetime((meddler, added)) {}
    }

    @Test("3.5 3.6 A prior handler that ends another observer ends the change, too")
    func endInPriors() {
        let victim = counter.observe(\.byHand) { _, _ in log.add("victim") }
        let tokens = [
            counter.observe(\.byHand, options: .prior) { counter, change in
                log.add(change.isPrior ? "prior" : "after")
                guard change.isPrior else { return }
                victim.invalidate()
                counter.didChangeValue(for: \.byHand)
            }, counter.observe(\.byHand, options: .prior) { log.add($1.isPrior ? "second prior" : "second") },
        ]
        counter.willChangeValue(for: \.byHand)
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["prior", "second prior", "second", "after"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 A prior handler may end the announced change of a computed property and begin another")
    func beginAgainInPriors() {
        var hasBegunAgain = false
        let token = counter.observe(\.doubled, options: [.new, .prior]) { counter, change in
            log.add(change.isPrior ? "prior" : "\(change.newValue ?? -1)")
            guard change.isPrior, !hasBegunAgain else { return }
            hasBegunAgain = true
            counter.didChangeValue(for: \.doubled)
            counter.willChangeValue(for: \.doubled)
        }
        counter.willChangeValue(for: \.doubled)
        counter.didChangeValue(for: \.doubled)
        _ = log.take()
        counter.byHand = 3
        #expect(log.take() == ["prior", "6"])
        withExtendedLifetime(token) {}
    }

    @Test("P3 3.4 A change by hand in a handler is told before the rest of another property's change")
    func insideHandlers() {
        let tokens = [
            counter.observe(\.automatic) { counter, _ in counter.byHand = 5 },
            counter.observe(\.automatic) { counter, _ in log.add("reads \(counter.byHand)") },
            counter.observe(\.byHand, options: [.old, .new]) { log.add($1) },
        ]
        counter.automatic = 1
        #expect(log.take() == ["0→5", "reads 5"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 5.1 A manual property whose getter reads the same property of another object depends on that")
    func sameOfAnother() {
        let end = ManualTree(nil)
        let top = ManualTree(end)
        let token = top.observe(\.depth, options: [.old, .new]) { log.add($1) }
        end.own = 1
        #expect(log.take() == ["0→1"])
        withExtendedLifetime((top, token)) {}
    }

    @Test("P1 4.1 A manual property whose getter reports itself twice is told as one that reports itself once")
    func reportedTwice() {
        let tree = ManualTree(nil)
        let token = tree.observe(\.total, options: [.old, .new]) { log.add($1) }
        tree.setSilently(1)
        tree.changeValue(for: \.total) { tree.setSilently(2) }
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(token) {}
    }
}

private class HandCounter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var automatic = 0
    @Observed var other = 0
    @Observed var quiet = 0
    private var stored = 0
    private var storedSilently = 0

    var byHand: Int {
        get {
            accessValue(for: \.byHand)
            return stored
        }
        set {
            willChangeValue(for: \.byHand)
            stored = newValue
            didChangeValue(for: \.byHand)
        }
    }

    /// Does not say that it is read.
    var silent: Int {
        get { storedSilently }
        set {
            willChangeValue(for: \.silent)
            storedSilently = newValue
            didChangeValue(for: \.silent)
        }
    }

    var doubled: Int { byHand * 2 }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \HandCounter.quiet && keyPath != \HandCounter.byHand && keyPath != \HandCounter.silent
    }
}

private final class DerivedHandCounter: HandCounter {
    override class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \HandCounter.automatic && super.automaticallyNotifiesObservers(for: keyPath)
    }
}

private final class HandCounterOwner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var counter: HandCounter?
}

/// Adds its own number to that of a constant tree below it.
private final class ManualTree: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let below: ManualTree?
    private var stored = 0

    init(_ below: ManualTree?) { self.below = below }

    var own: Int {
        get { stored }
        set { changeValue(for: \.depth) { stored = newValue } }
    }
    var depth: Int {
        accessValue(for: \.depth)
        return stored + (below?.depth ?? 0)
    }
    var total: Int {
        accessValue(for: \.total)
        accessValue(for: \.total)
        return stored
    }

    func setSilently(_ number: Int) { stored = number }
}
