// Conformance cases with classes or steps of their own. #35: collections are values, which cannot be observed.
// #141 #144 #145 #146 and #322 are in PrinciplesTests.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance: more cases")
struct MoreCases {
    private let sheet = Worksheet()
    private let watcher = Watcher()
    private var log: Log { watcher.log }

    @Test("1.2 9.5 #29 An object that observes itself may end that in deinit")
    func endedInDeinit() {
        var sheet: SelfObserver? = SelfObserver()
        weak let weakSheet = sheet
        sheet?.token = sheet?.observe(\.a) { [log] in log.add($1) }
        sheet?.a = 1
        sheet = nil
        #expect(weakSheet == nil && log.take() == ["0→1"])
    }

    @Test("#32 An element that is observed by its index delivers its changes, until it is removed")
    func byIndex() {
        let table = Table()
        table.rows = [Table(), Table()]
        watcher.watch(table, \.rows[1].number)
        for index in 0...1 { table.rows[index].number = 1 }
        watcher.stop()
        table.rows[1].number = 3
        #expect(log.take() == ["0→1"])
    }

    @Test("#34 Observing an element that is not there traps as the array does")
    func missingElement() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Table().observe(\.rows[0].number) { _, _ in }
        }
        #expect(words("index out of range", missingIn: message(of: result)) == [])
    }

    @Test("#98 #107 An object on the way that is computed is followed as it is chosen anew, and not after the end")
    func computedMiddle() {
        let (chooser, first, second) = (Chooser(), Sample("1"), Sample("2"))
        watcher.watch(chooser, \.child.number, [])
        chooser.base.children["child"] = first
        chooser.base = second
        second.children["child"] = Sample("3")
        #expect(log.take().count == 3)
        (first.number, chooser.spare.number) = (1, 1)
        watcher.stop()
        second.children["child"]?.number = 1
        #expect(log.take() == [])
    }

    @Test("#112 Two declared paths by properties that give the same object are both followed to the end")
    func aliases() {
        let (chooser, leaf) = (Chooser(), Sample("leaf"))
        watcher.watch(chooser, \.declared, [])
        chooser.base.child = leaf
        leaf.number = 1
        leaf.firstTrigger = true
        #expect(log.take() == ["·→·", "·→·", "·→·"])
    }

    @Test("#134 Observers of two objects that compute from a third are called once each, for equal values too")
    func sharedSource() {
        let base = Sample("base")
        let choosers = [Chooser(base), Chooser(base)]
        for (index, chooser) in choosers.enumerated() { watcher.watch(chooser, \.total, as: "\(index)") }
        for number: UInt32 in [1, 1] { base.number = number }
        choosers[0].own = 2
        #expect(log.take() == ["0 0→1", "1 0→1", "0 1→1", "1 1→1", "0 1→3"])
    }

    @Test("#136 What is computed from properties that notify by hand changes with their pairs only")
    func computedFromByHand() {
        let token = sheet.observe(reading: { $0.quiet + $0.code }) { [log] in log.add($1) }
        sheet.quiet = 1
        sheet.changeValue(for: \.quiet) { sheet.quiet = 2 }
        sheet.code = 3
        token.invalidate()
        sheet.code = 4
        #expect(log.take() == ["0→2", "2→5"])
    }

    @Test("#340 Observers that eight threads attach at once each get the next change")
    func attachedAtOnce() {
        let (gauge, sum, tokens) = (SharedGauge(), Guarded(0), Guarded<Set<KeyValueObservation>>([]))
        onThreads(8) { _ in
            for _ in 0..<625 {
                let token = gauge.observe(\.level) { gauge, _ in sum.withLock { $0 += gauge.level } }
                tokens.withLock { _ = $0.insert(token) }
            }
        }
        gauge.level = 2
        #expect(sum.withLock { $0 } == 10_000 && gauge.observationInfo.count == 5_000)
    }

    /// That a set then takes as long as before is measured by the benchmarks.
    @Test("B15 After the last removal a set evaluates nothing, of a computed property and of a path")
    func afterTheLast() {
        let root = Worksheet()
        root.next = sheet
        let tokens = [sheet.observe(\.sum) { _, _ in }, root.observe(\.next?.sum) { _, _ in }]
        sheet.a = 1
        let evaluations = sheet.evaluations
        for token in tokens { token.invalidate() }
        for number in 2...9 { sheet.a = number }
        #expect(sheet.evaluations == evaluations && sheet.observationInfo.isEmpty && !sheet.isObserved(\.sum))
    }
}

/// Has rows, which are tables themselves.
private final class Table: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var rows: [Table] = []
}

/// Ends its own registration when it goes.
private final class SelfObserver: Worksheet {
    var token: KeyValueObservation?

    deinit { token?.invalidate() }
}

/// What it computes leads through an object that is replaced.
private final class Chooser: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var base: Sample
    @Observed var own: UInt32 = 0
    let spare = Sample("spare")

    var child: Sample { base.children["child"] ?? spare }
    var total: UInt32 { own + base.number }
    var first: Sample? { base.child }
    var second: Sample? { base.child }
    /// Nobody can see what it reads.
    var declared: Int { 0 }

    init(_ base: Sample = Sample("base")) { self.base = base }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Chooser.declared ? [\Chooser.first?.firstTrigger, \Chooser.second?.number] : []
    }
}
