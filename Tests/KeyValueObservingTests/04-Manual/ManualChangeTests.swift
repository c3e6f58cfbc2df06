// Announcing changes by hand: 3.5 and section 4 of the contract, rows C6 and C7 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4 Manual changes")
struct ManualChangeTests {
    private let kept = Kept()
    private let counter = HandCounter()
    private let watcher = Watcher()
    private var log: Log { watcher.log }

    // #156
    @Test("4.1 Without accessValue, equal key paths are one property; a path to it is not followed")
    func withoutAccess() {
        watcher.watch(counter, \.silent)
        counter.silent = 5
        #expect(log.take() == ["0→5"])
    }

    // #77
    @Test("4.2 C7 With automatic notification off a set is silent, a pair delivers once, .initial is sent (#46, #78)")
    func automaticOff() {
        watcher.watch(counter, \.quiet, [.initial, .old, .new])
        for value in [1, 3] {
            counter.quiet = value
            counter.changeValue(for: \.quiet) { counter.quiet = value + 1 }
        }
        counter.quiet = 5
        #expect(log.take() == ["·→0", "1→2", "3→4"])
    }

    @Test(
        "4.2 2.4 No observer is called before a change announced within an access in place, because none could read it")
    func noPriorWithinAccess() {
        watcher.watch(counter, \.quiet, [.old, .new, .prior])
        inPlace(&counter.quiet) { quiet in counter.changeValue(for: \.quiet) { quiet = 3 } }
        #expect(log.take() == ["0→3"])
        counter.changeValue(for: \.quiet) { counter.quiet += 1 }
        #expect(log.take() == ["prior 3→·", "3→4"])
    }

    @Test("3.5 A didChangeValue that is one too many, or on another thread, is ignored (#79, #154)")
    func surplusDid() {
        let shared = Unchecked(value: counter)
        watcher.watch(counter, \.automatic)
        watcher.watch(counter, \.byHand)
        counter.didChangeValue(for: \.automatic)
        counter.automatic = 1
        counter.didChangeValue(for: \.automatic)
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["0→1"])
        counter.willChangeValue(for: \.byHand)
        onThreads(1) { _ in shared.value.didChangeValue(for: \.byHand) }
        #expect(log.take() == [])
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["0→0"])
    }

    // #142
    @Test("2.4 3.5 3.6 A change begun before a registration is no change for that registration (#82)")
    func willBeforeObservers() {
        counter.willChangeValue(for: \.byHand)
        watcher.watch(counter, \.byHand, as: "byHand")
        watcher.watch(counter, \.quiet, as: "quiet")
        counter.changeValue(for: \.quiet) {}
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["quiet 0→0"])
        counter.byHand = 1
        #expect(log.take() == ["byHand 0→1"])
    }

    @Test("3.5 4.1 Changes that two threads announce, of an object without observers, belong to the threads")
    func announcedOnTwoThreads() {
        let shared = Unchecked(value: counter)
        counter.willChangeValue(for: \.quiet)
        onThreads(1) { [log] _ in
            let counter = shared.value
            counter.willChangeValue(for: \.byHand)
            let token = counter.observe(\.byHand) { log.add($1, as: "byHand") }
            counter.didChangeValue(for: \.byHand)
            counter.byHand = 2
            withExtendedLifetime(token) {}
        }
        #expect(log.take() == ["byHand 0→2"])
        watcher.watch(counter, \.quiet)
        counter.quiet = 1
        counter.didChangeValue(for: \.quiet)
        counter.changeValue(for: \.quiet) { counter.quiet = 2 }
        #expect(log.take() == ["1→2"])
    }

    @Test("4.1 5.2 An announced change notifies the property's own observers and those of declared dependents")
    func announcedWithDependents() {
        let gauge = Gauge()
        watcher.watch(gauge, \.label, as: "label")
        watcher.watch(gauge, \.reading, as: "reading")
        gauge.changeValue(for: \.reading) { gauge.hidden = 1 }
        #expect(log.take() == ["label 0→1", "reading 0→1"])
        withKeyValueTransaction {
            for hidden in 2...3 { gauge.changeValue(for: \.reading) { gauge.hidden = hidden } }
        }
        #expect(log.take() == ["label 1→3", "reading 1→3"])
        gauge.base = 1
        #expect(log.take() == ["label 3→4", "reading 3→4"])
    }

    // MARK: In prior calls

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
        counter.changeValue(for: \.byHand) {}
        #expect(log.take() == ["prior", "second prior", "second", "after"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 A prior handler may end the announced change of a computed property and begin another")
    func beginAgainInPriors() {
        var hasBegunAgain = false
        counter.observe(\.doubled, options: [.new, .prior]) { counter, change in
            log.add(change.isPrior ? "prior" : "\(change.newValue ?? -1)")
            guard change.isPrior, !hasBegunAgain else { return }
            hasBegunAgain = true
            counter.didChangeValue(for: \.doubled)
            counter.willChangeValue(for: \.doubled)
        }.store(in: kept)
        counter.changeValue(for: \.doubled) {}
        _ = log.take()
        counter.byHand = 3
        #expect(log.take() == ["prior", "6"])
    }

    // MARK: Subscripts

    @Test("4.1 5.1 Each argument of a subscript is a property of its own, which a getter may come to read")
    func arguments() {
        watcher.watch(counter, \.["volume"], as: "volume")
        watcher.watch(counter, \.chosen, as: "chosen")
        counter["bass"] = 2
        #expect(log.take() == [] && counter.isObserved(\.["volume"]) && !counter.isObserved(\.["bass"]))
        counter["volume"] = 1
        #expect(log.take() == ["volume 0→1", "chosen 0→1"])
        counter.automatic = 1
        counter["bass"] = 3
        counter["volume"] = 4
        #expect(log.take() == ["chosen 1→2", "chosen 2→3", "volume 1→4"])
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

    @Test("P1 4.1 A manual property whose getter reports itself twice notifies like one that reports itself once")
    func reportedTwice() {
        let tree = ManualTree(nil)
        tree.observe(\.total, options: [.old, .new]) { log.add($1) }.store(in: kept)
        tree.setSilently(1)
        tree.changeValue(for: \.total) { tree.setSilently(2) }
        #expect(log.take() == ["1→2"])
    }
}

/// Has properties that notify by hand.
private final class HandCounter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var automatic = 0
    @Observed var quiet = 0
    private var stored = 0
    private var storedSilently = 0
    private var levels: [String: Int] = [:]

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
        set { changeValue(for: \.silent) { storedSilently = newValue } }
    }
    var doubled: Int { byHand * 2 }

    subscript(name: String) -> Int {
        get {
            accessValue(for: \.[name])
            return levels[name] ?? 0
        }
        set { changeValue(for: \.[name]) { levels[name] = newValue } }
    }
    var chosen: Int { self[automatic > 0 ? "bass" : "volume"] }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \HandCounter.quiet && keyPath != \HandCounter.byHand && keyPath != \HandCounter.silent
    }
}

/// What it shows is announced, and also read from a property that is observed.
private final class Gauge: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var base = 0
    var hidden = 0
    var reading: Int { base + hidden }
    var label: String { "\(reading)" }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Gauge.label ? [\Gauge.reading] : []
    }
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
