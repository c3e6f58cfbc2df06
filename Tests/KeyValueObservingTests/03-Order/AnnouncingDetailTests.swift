// What is read, called and kept while a change is announced: 2.1, 2.4, 3.5, 7.2 and 9.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Announced changes, in detail")
struct AnnouncingDetailTests {
    @Test("2.1 A property that notifies manually is not read for observers who need no values")
    func notRead() {
        let (desk, log) = (Desk(), Log())
        let tokens = [desk.observe(\.total) { log.add($1, as: "total") }, desk.observe(\.double) { log.add($1) }]
        desk.reads = 0
        desk.willChangeValue(for: \.total)
        #expect(desk.reads == 0)
        desk.didChangeValue(for: \.total)
        #expect(log.take() == ["total ·→·", "·→·"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 A getter that announces a change of what is just changing leaves every observer with the value it has")
    func announcedInAGetter() {
        let (gauge, log) = (Gauge(), Log())
        let tokens = [
            gauge.observe(\.level, options: [.old, .new]) { log.add($1, as: "level") },
            gauge.observe(\.twice, options: [.old, .new]) { log.add($1, as: "twice") },
            gauge.observe(\.limited, options: [.old, .new]) { log.add($1, as: "limited") },
        ]
        gauge.level = 8
        #expect(log.take() == ["level 0→5", "twice 0→10", "limited 0→5"])
        gauge.level = 2
        #expect(log.take() == ["level 5→2", "twice 10→4", "limited 5→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.4 3.5 There is one prior, where a change is announced within an access that has called before it")
    func priorOnce() async {
        await #expect(processExitsWith: .success) {
            let (desk, log) = (Desk(), Log())
            let token = desk.observe(\.tripled, options: [.old, .new, .prior]) { log.add($1) }
            func access(_ number: inout Int) {
                desk.willChangeValue(for: \.tripled)
                number = 2
                desk.didChangeValue(for: \.tripled)
            }
            access(&desk.number)
            #expect(log.take() == ["prior 0→·", "0→6"])
            withExtendedLifetime(token) {}
        }
    }

    @Test(
        "3.5 4.2 A change that is announced within a silent access is delivered once, in a transaction too",
        arguments: [false, true])
    func silentAccess(isTransaction: Bool) async {
        await #expect(processExitsWith: .success) { [isTransaction] in
            let (desk, log) = (Desk(), Log())
            let tokens = [
                desk.observe(\.quiet, options: [.old, .new]) { log.add($1, as: "quiet") },
                desk.observe(\.lowered, options: [.old, .new]) { log.add($1, as: "lowered") },
            ]
            func access(_ quiet: inout Int) {
                desk.willChangeValue(for: \.quiet)
                quiet = 2
                desk.didChangeValue(for: \.quiet)
                quiet = 3
            }
            func run() {
                access(&desk.quiet)
                if isTransaction { desk.number = 1 }
            }
            if isTransaction { withKeyValueTransaction(run) } else { run() }
            #expect(log.take() == ["quiet 0→3", "lowered -1→2"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("3.5 A change that is announced keeps the object at the start of a path no longer than its prior calls")
    func rootAfterPrior() {
        let (desk, log) = (Desk(), Log())
        var holder: Keeper? = Keeper(desk)
        weak let weakHolder = holder
        let token = holder?.observe(\.desk.total, options: [.old, .new, .prior]) { log.add($1) }
        desk.willChangeValue(for: \.total)
        #expect(log.take() == ["prior 0→·"])
        holder = nil
        #expect(weakHolder == nil)
        desk.didChangeValue(for: \.total)
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }
}

private final class Spotlight {
    private weak var desk: Desk?

    init(_ desk: Desk) { self.desk = desk }

    deinit { desk?.number += 1 }
}

private final class Keeper: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var desk: Desk

    init(_ desk: Desk) { self.desk = desk }
}

private final class Gauge: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedLevel = 0
    var level: Int {
        get {
            accessValue(for: \.level)
            return storedLevel
        }
        set { changeValue(for: \.level) { storedLevel = newValue } }
    }
    var twice: Int { level * 2 }
    /// Lowers what it reads, and announces that.
    var limited: Int {
        if level > 5 { level = 5 }
        return level
    }
}

private final class Desk: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var quiet = 0
    @Observed var items: [Int] = []
    @Observed var lamp: Spotlight?
    var reads = 0

    var total: Int {
        accessValue(for: \.total)
        reads += 1
        return 0
    }

    var double: Int { total * 2 }
    var tripled: Int { number * 3 }
    var lowered: Int { quiet - 1 }
    var first: Int? { items.first }

    func exchangeSilently() { _lamp = Observed(wrappedValue: nil) }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \Desk.quiet && keyPath != \Desk.total
    }
}
