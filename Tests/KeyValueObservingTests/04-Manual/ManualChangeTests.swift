// Announcing changes by hand: 3.5 and section 4 of the contract, rows C6 and C7 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4 Manual changes")
struct ManualChangeTests {
    private let counter = HandCounter()
    private let log = Log()

    @Test("4.1 An announced change is not one of a property that is known only by its view")
    func besideView() {
        let rack = Rack()
        let log = Log()
        let token = rack.observe(\.count) { _, _ in log.add("count") }
        rack.changeValue(for: \.note) {}
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }

    @Test("4.1 C6 A pair delivers old and new, prior calls before the change (#77, #156)")
    func pair() {
        let token = counter.observe(\.byHand, options: [.old, .new, .prior, .initial]) { log.add($1) }
        counter.byHand = 3
        #expect(log.take() == ["·→0", "prior 0→·", "0→3"])
        withExtendedLifetime(token) {}
    }

    @Test("4.1 The getter runs once before the change and once after it")
    func readings() {
        final class Costly: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            private var raw = 0
            private(set) var readings = 0
            var value: Int {
                get {
                    accessValue(for: \.value)
                    readings += 1
                    return raw
                }
                set {
                    changeValue(for: \.value) { raw = newValue }
                }
            }
        }
        let costly = Costly()
        costly.value = 1
        #expect(costly.readings == 0, "nobody observes it")
        let token = costly.observe(\.value, options: [.old, .new]) { log.add($1) }
        let before = costly.readings
        costly.value = 2
        costly.value = 3
        #expect(costly.readings - before == 4)
        #expect(log.take() == ["1→2", "2→3"])
        withExtendedLifetime(token) {}
    }

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

    @Test("4.1 One identity in all subclasses")
    func subclasses() {
        let derived = DerivedHandCounter()
        let tokens = [
            derived.observe(\DerivedHandCounter.byHand, options: .new) { log.add($1, as: "derived") },
            (derived as HandCounter).observe(\HandCounter.byHand, options: .new) { log.add($1, as: "base") },
        ]
        derived.byHand = 1
        #expect(log.take() == ["derived ·→1", "base ·→1"])
        #expect(
            derived.isObserved(\DerivedHandCounter.byHand) && (derived as HandCounter).isObserved(\HandCounter.byHand))
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 Without accessValue, equal key paths are one property; a path to it is not followed")
    func withoutAccess() {
        let token = counter.observe(\.silent, options: [.old, .new]) { log.add($1) }
        counter.silent = 5
        #expect(log.take() == ["0→5"])
        withExtendedLifetime(token) {}
    }

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

    @Test("4.3 Writing what is behind the property is silent")
    func behind() {
        let token = counter.observe(\.byHand) { _, _ in log.add("told") }
        counter.writeBehind(4)
        #expect(log.take() == [] && counter.byHand == 4)
        withExtendedLifetime(token) {}
    }

    @Test("3.5 Pairs within a pair of the same property belong to the outermost, sets in between too (#152)")
    func nested() {
        let token = counter.observe(\.automatic, options: [.old, .new, .prior]) { log.add($1) }
        counter.willChangeValue(for: \.automatic)
        counter.willChangeValue(for: \.automatic)
        counter.automatic = 1
        counter.didChangeValue(for: \.automatic)
        counter.automatic += 1
        #expect(log.take() == ["prior 0→·"])
        counter.didChangeValue(for: \.automatic)
        #expect(log.take() == ["0→2"])
        withExtendedLifetime(token) {}
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

    @Test("3.5 A change left open delivers nothing until it ends; other properties are not held up")
    func leftOpen() {
        let tokens = [
            counter.observe(\.automatic, options: [.old, .new]) { log.add($1, as: "automatic") },
            counter.observe(\.other, options: [.old, .new]) { log.add($1, as: "other") },
        ]
        counter.willChangeValue(for: \.automatic)
        counter.automatic = 1
        counter.other = 1
        #expect(log.take() == ["other 0→1"])
        counter.didChangeValue(for: \.automatic)
        #expect(log.take() == ["automatic 0→1"])
        withExtendedLifetime(tokens) {}
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

    @Test("3.2 Pairs may overlap; each is delivered when its change ends (#74, #150, #153)")
    func overlapping() {
        let tokens = [
            counter.observe(\.quiet, options: [.old, .new, .prior]) { log.add($1, as: "quiet") },
            counter.observe(\.byHand, options: [.old, .new, .prior]) { log.add($1, as: "byHand") },
        ]
        counter.willChangeValue(for: \.quiet)
        counter.willChangeValue(for: \.byHand)
        counter.quiet = 1
        counter.writeBehind(2)
        #expect(log.take() == ["quiet prior 0→·", "byHand prior 0→·"])
        counter.didChangeValue(for: \.quiet)
        #expect(log.take() == ["quiet 0→1"])
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["byHand 0→2"])
        counter.willChangeValue(for: \.quiet)
        counter.willChangeValue(for: \.byHand)
        counter.writeBehind(3)
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["quiet prior 1→·", "byHand prior 2→·", "byHand 2→3"])
        counter.quiet = 4
        counter.didChangeValue(for: \.quiet)
        #expect(log.take() == ["quiet 1→4"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.6 Who is removed in between is not notified; who is added is not (#141, #142, #144, #145, #146)")
    func membership() {
        let gone = counter.observe(\.byHand) { _, _ in log.add("gone") }
        let stays = counter.observe(\.byHand) { _, _ in log.add("stays") }
        counter.willChangeValue(for: \.byHand)
        gone.invalidate()
        let added = counter.observe(\.byHand) { _, _ in log.add("added") }
        counter.didChangeValue(for: \.byHand)
        #expect(log.take() == ["stays"])
        counter.byHand = 2
        #expect(log.take() == ["stays", "added"])
        withExtendedLifetime((stays, added)) {}
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

    @Test("3.4 A change by hand inside a handler waits for its turn")
    func insideHandlers() {
        let tokens = [
            counter.observe(\.automatic) { counter, _ in
                log.add("first")
                counter.byHand += 1
            },
            counter.observe(\.byHand) { _, _ in log.add("by hand") },
            counter.observe(\.automatic) { _, _ in log.add("second") },
        ]
        counter.automatic = 1
        #expect(log.take() == ["first", "second", "by hand"])
        withExtendedLifetime(tokens) {}
    }

    @Test("5.3 What is computed from properties that notify by hand fires through their pairs only, once (#136)")
    func computedFromByHand() {
        let target = HandTarget()
        let token = target.observe(\.computed) { _, _ in log.add("told") }
        target.announced = 1
        #expect(log.take() == ["told"])
        target.unannounced = 1
        #expect(log.take() == [])
        token.invalidate()
        target.announced = 2
        #expect(log.take() == [])
    }

    @Test("3.1 A pair around a setter that changes two sources: the computed property is delivered when it ends")
    func pairOfComputed() {
        let token = counter.observe(\.doubled, options: [.old, .new]) { log.add($1) }
        counter.willChangeValue(for: \.doubled)
        counter.writeBehind(4)
        counter.didChangeValue(for: \.doubled)
        #expect(log.take() == ["0→8"])
        withExtendedLifetime(token) {}
    }

    @Test("C6 The object may die, and changes be left open, without a leak of what observers hold")
    func dyingWhileOpen() {
        final class Captured {}
        for endsIt in [false, true] {
            var counter: HandCounter? = HandCounter()
            weak let weakCounter = counter
            var captured: Captured? = Captured()
            weak let weakCaptured = captured
            let tokens = [
                counter!.observe(\.byHand, options: [.old, .new]) { [captured] _, _ in _ = captured },
                counter!.observe(\.doubled, options: [.old, .new]) { [captured] _, _ in _ = captured },
            ]
            captured = nil
            counter!.willChangeValue(for: \.byHand)
            if endsIt {
                for token in tokens { token.invalidate() }
                counter!.didChangeValue(for: \.byHand)
            }
            counter = nil
            #expect(weakCounter == nil && weakCaptured == nil)
            withExtendedLifetime(tokens) {}
        }
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

    func writeBehind(_ value: Int) { stored = value }

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

private final class HandTarget: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var first = 0
    @Observed private var second = 0
    var computed: Int { announced + unannounced }

    var announced: Int {
        get {
            accessValue(for: \.announced)
            return first
        }
        set {
            willChangeValue(for: \.announced)
            first = newValue
            didChangeValue(for: \.announced)
        }
    }

    var unannounced: Int {
        get { second }
        set { second = newValue }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath == \HandTarget.computed
    }
}

private final class Rack: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Int] = []
    var note = ""
    var count: Int { mutable(\.items).count }
}

private final class Mixer: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var base = 0
    var raw = 0
    var sum: Int {
        accessValue(for: \.sum)
        return raw > 0 ? raw + base : 0
    }
}
