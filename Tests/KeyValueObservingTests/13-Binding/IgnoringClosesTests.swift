// What is ignored is what closes inside the block, on whichever thread it is delivered, and when: 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.3 What closes inside ignoringChanges")
struct IgnoringClosesTests {
    private let observers = WorksheetObservers()
    private var sheet: Worksheet { observers.sheet }
    private let tally = Tally()
    private let kept = Kept()
    private let log = Log()

    @Test("13.3 17.2 A shared change that is handed to another thread is ignored there as on its own", arguments: 0..<4)
    func handedOver(kind: Int) {
        let (tally, log, held) = (tally, log, HeldChange())
        // It delivers on the thread that is held, while this thread makes its changes.
        tally.observe(\.other) { _, change in if change.newValue == 1 { held.hold() } }.store(in: kept)
        tally.observe(\.count) { _, change in if change.newValue == 1 { held.hold() } }.store(in: kept)
        let tokens = [
            tally.observe(\.count) { log.add($1, as: "count") }, tally.observe(\.sum) { log.add($1, as: "sum") },
        ]
        tally.observe(\.count) { log.add($1, as: "other") }.store(in: kept)
        held.begin { tally.count = 1 }
        func ignoring(_ body: () -> Void) { tokens[0].ignoringChanges { tokens[1].ignoringChanges(body) } }
        switch kind {
        case 0: ignoring { tally.count = 2 }
        case 1: ignoring { tally.count += 1 }
        case 2: ignoring { withKeyValueTransaction { tally.count = 2 } }
        default:
            withKeyValueTransaction { ignoring { tally.count = 2 } }
        }
        held.finish()
        let lines = log.take()
        #expect(lines.contains("other 1→2"))
        // A transaction that was open before takes its course.
        #expect(lines.contains("count 1→2") == (kind == 3))
        tally.count = 3
        #expect(log.take().filter { !$0.hasPrefix("sum") } == ["count 2→3", "other 2→3"])
    }

    @Test("13.3 17.2 A change that a handler makes is ignored, even if it is delivered when the handler has returned")
    func deliveredLater() {
        let (tally, log, tokens) = (tally, log, Guarded<[KeyValueObservation]>([]))
        let token = tally.observe(\.count) { log.add($1, as: "own") }
        tokens.withLock { $0 = [token] }
        tally.observe(\.count) { tally, change in
            log.add(change, as: "setting")
            if change.newValue == 1 { tokens.withLock { $0 }[0].ignoringChanges { tally.count = 2 } }
        }.store(in: kept)
        tally.observe(\.count) { log.add($1, as: "last") }.store(in: kept)
        tally.count = 1
        #expect(log.take() == ["own 0→1", "setting 0→1", "last 0→1", "last 1→2", "setting 1→2"])
        tally.count = 3
        #expect(log.take() == ["own 2→3", "setting 2→3", "last 2→3"])
    }

    @Test("13.3 A change that an ignoring handler makes, still due to another handler, is delivered to that one alone")
    func handlerIgnores() {
        var tokens: [KeyValueObservation] = []
        let first = sheet.observe(\.a) { [log] sheet, change in
            log.add(change, as: "first")
            if change.newValue == 1 { tokens[0].ignoringChanges { tokens[1].ignoringChanges { sheet.a = 2 } } }
        }
        tokens = [
            first, sheet.observe(\.a) { [log] in log.add($1, as: "second") },
            sheet.observe(\.a) { [log] in log.add($1, as: "third") },
        ]
        sheet.a = 1
        #expect(log.take() == ["first 0→1", "second 0→1", "third 0→1", "third 1→2"])
        sheet.a = 3
        #expect(log.take() == ["first 2→3", "second 2→3", "third 2→3"])
    }

    @Test(
        "13.3 10.2 A transaction counts by where it ends; what it is told is by P1",
        arguments: zip(
            0..<4,
            [
                ["own a 0→3", "own sum 0→3", "own next.items [\"w\"]→[\"w\", \"x\", \"y\"]"], [],
                ["own a 1→3", "own sum 0→3", "own next.items [\"w\"]→[\"w\", \"x\", \"y\"]"], [],
            ]))
    func transactions(way: Int, lines: [String]) {
        let next = Worksheet()
        (sheet.next, next.items) = (next, ["w"])
        observers.observe("a sum next.items", as: "own")
        let tokens = observers.tokens
        func ignoring(_ body: () -> Void) {
            tokens[0].ignoringChanges { tokens[1].ignoringChanges { tokens[2].ignoringChanges(body) } }
        }
        func first() {
            sheet.a = 1
            next.mutable(\.items).append("x")
        }
        func second() {
            sheet.a = 3
            next.mutable(\.items).append("y")
        }
        func both() {
            first()
            second()
        }
        switch way {
        case 0:
            withKeyValueTransaction {
                first()
                ignoring(second)
            }
        case 1: ignoring { withKeyValueTransaction(both) }
        case 2:
            ignoring(first)
            withKeyValueTransaction(second)
        default:
            // The inner one is none of its own.
            ignoring { withKeyValueTransaction { withKeyValueTransaction(both) } }
        }
        #expect(observers.take() == lines.map { $0.replacing(" by ", with: " ") })
        next.mutable(\.items).append("z")
        let insertion =
            RuntimeAssumption.keyPathComponents.holds
            ? #"insertion [3] ·→["z"]"# : #"["w", "x", "y"]→["w", "x", "y", "z"]"#
        #expect(observers.take() == ["own next.items " + (lines.isEmpty ? #"["w"]→["w", "x", "y", "z"]"# : insertion)])
    }

    @Test(
        "13.3 2.4 3.5 Priors are by where they are called, the call by where the change ends", arguments: [false, true])
    func announced(isInside: Bool) {
        let token = observers.observe("quiet", [.old, .new, .prior])
        func ignoring(_ body: () -> Void) { token?.ignoringChanges(body) }
        if isInside { ignoring { sheet.willChangeValue(for: \.quiet) } } else { sheet.willChangeValue(for: \.quiet) }
        #expect(observers.take() == (isInside ? [] : ["quiet prior 0→·"]))
        sheet.quiet = 1
        if isInside { sheet.didChangeValue(for: \.quiet) } else { ignoring { sheet.didChangeValue(for: \.quiet) } }
        #expect(observers.take() == (isInside ? ["quiet 0→1"] : []))
    }
}

@Suite("P1 7.5 13.3 What was ignored is missing in the last value")
struct IgnoredElementTests {
    @Test(
        "P1 7.5 13.3 After an ignored change, elements are a setting, however far it lies from both ends",
        arguments: [false, true], [false, true])
    func inTheMiddle(hasPrior: Bool, isInTransaction: Bool) {
        let (owner, catalog, kept, log) = (Catalog(), Catalog(), Kept(), Log())
        catalog.list = Array(0..<200)
        owner.next = catalog
        if hasPrior { catalog.observe(\.list, options: .prior) { _, _ in }.store(in: kept) }
        let token = owner.observe(\.next?.list) { [log, unowned catalog] in
            let isWhole = $1.oldValue == Array(0..<200) && $1.newValue == catalog.list
            log.add("\($1.kind), whole: \(isWhole)")
        }
        func change() { catalog.mutable(\.list)[100] = -1 }
        token.ignoringChanges { isInTransaction ? withKeyValueTransaction { change() } : change() }
        catalog.mutable(\.list).append(200)
        #expect(log.take() == ["setting, whole: true"])
    }
}
