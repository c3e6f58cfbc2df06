// Deliveries wait until a transaction ends: 10.2 to 10.4.
import KeyValueObserving
import TestSupport
import Testing

/// An action on a sheet in a transaction, and the deliveries to its observers at the end.
private struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let observers: String
    var options: KeyValueObservingOptions = [.old, .new]
    /// The deliveries inside.
    var inside: [String] = []
    let lines: [String]
    let changes: @Sendable (Worksheet) -> Void

    init(
        _ description: String, _ observers: String, asking options: KeyValueObservingOptions = [.old, .new],
        inside: [String] = [], _ lines: String..., changes: @escaping @Sendable (Worksheet) -> Void
    ) {
        testDescription = description
        self.observers = observers
        self.options = options
        self.inside = inside
        self.lines = lines
        self.changes = changes
    }

    @inline(never)
    private static func access(_ number: inout Int, _ body: (inout Int) -> Void) { body(&number) }

    static let all = [
        Self("10.2 Sets, accesses and announced changes that follow one another are one change", "a", "a 0→9") {
            sheet in
            for number in 1...3 { sheet.a = number }
            sheet.a += 1
            sheet.changeValue(for: \.a) { sheet.a = 8 }
            sheet.a = 9
        },
        Self("10.2 A property that is set back to an equal value is told", "a code", "a 0→0", "code 0→0") {
            for number in [1, 0] { ($0.a, $0.code) = (number, number) }
        },
        Self("10.2 16.1 .distinct is not", "a sum code next.a", asking: [.old, .new, .distinct]) {
            for number in [1, 0] { ($0.a, $0.code) = (number, number) }
        },
        Self(
            "10.2 In the order of the first changes, and of the registrations within; a sum stands where its first is",
            "b a sum items a", "a 0→3", "sum 0→5", "a 0→3", "items []→[\"x\"]", "b 0→2"
        ) {
            $0.a = 1
            $0.items = ["x"]
            $0.b = 2
            $0.a = 3
        },
        Self("10.2 A path is told of what it was led to", "next.a", "next.a nil→30") {
            for number in 1...3 {
                $0.next = Worksheet()
                $0.next?.a = number * 10
            }
        },
        Self("10.2 A path whose middle dies is told all the same", "next.a", "next.a nil→nil") {
            $0.next = Worksheet()
            $0.next = nil
        },
        Self(
            "10.2 Changes of elements with settings between them are one setting",
            "items count jobs", "items []→[\"e\", \"f\"]", "count 0→2", "jobs []→[\"d\", \"e\"]"
        ) { sheet in
            for item in ["a", "b"] { sheet.mutable(\.items).append(item) }
            for item in ["c", "d"] { sheet.items = [item, "e"] }
            sheet.mutable(\.items).remove(at: 0)
            sheet.items += ["f"]
            sheet.mutable(\.jobs).append("a")
            for job in ["b", "c", "d"] { sheet.jobs = [job] }
            sheet.mutable(\.jobs).append("e")
        },
        Self("10.2 One change of elements keeps its kind", "items", "items insertion [0] ·→[\"a\"]") {
            $0.mutable(\.items).append("a")
        },
        Self(
            "10.2 7.1 A replacement of another length and a move are two changes each, and one setting",
            "items jobs", "items []→[\"y\", \"b\", \"x\"]"
        ) {
            $0.items = ["a", "b"]
            $0.mutable(\.items).replaceSubrange(0..<1, with: ["x", "y"])
            $0.mutable(\.items).moveSubranges(RangeSet(0..<1), to: 3)
        },
        Self("10.2 A path to elements is told of the whole, once", "next.items", "next.items nil→[\"a\", \"b\"]") {
            $0.next = Worksheet()
            for item in ["a", "b"] { $0.next?.mutable(\.items).append(item) }
        },
        Self(
            "10.2 16.1 With .distinct several changes of elements are a setting, which is told if the whole differs",
            "jobs items", asking: [.new, .distinct], "jobs ·→[\"a\", \"b\"]"
        ) {
            $0.mutable(\.items).append("a")
            $0.mutable(\.items).removeLast()
            $0.mutable(\.jobs).append("a")
            $0.jobs = ["a"]
            $0.mutable(\.jobs).append("b")
        },
        Self(
            "10.2 3.5 An access and an announced change count when they end: a change inside comes first",
            "b a code", "a 0→2", "b 0→1", "code 0→3"
        ) { sheet in
            access(&sheet.b) {
                sheet.a = 1
                $0 = 1
            }
            sheet.changeValue(for: \.code) { sheet.a = 2 }
            sheet.code = 3
        },
        Self("10.2 4.2 Of a property that notifies by hand what is announced is told", "quiet", "quiet 1→3") { sheet in
            sheet.quiet = 1
            sheet.changeValue(for: \.quiet) { sheet.quiet = 2 }
            sheet.changeValue(for: \.quiet) { sheet.quiet = 3 }
            sheet.quiet = 4
        },
        Self(
            "10.2 2.4 One prior for each registration, before its first change",
            "a sum code jobs", asking: [.old, .new, .prior],
            inside: [
                "a prior 0→·", "sum prior 0→·", "code prior 0→·", "jobs prior insertion [0] ·→·",
            ], "a 0→2", "sum 0→2", "code 0→2", "jobs []→[]"
        ) {
            for number in 1...2 { ($0.a, $0.code) = (number, number) }
            $0.mutable(\.jobs).append("a")
            $0.jobs = []
        },
        Self("10.2 3.5 What a getter sets belongs to the change", "limited a", "limited 0→5", "a 0→5") { $0.a = 9 },
    ]
}

@Suite("10.2 C18 Transactions")
struct TransactionTests {
    private let kept = Kept()
    private let observers = WorksheetObservers()
    private var sheet: Worksheet { observers.sheet }

    @Test("10.2 Changes in a transaction are delivered when it ends", arguments: Scene.all)
    private func scene(_ scene: Scene) {
        let observers = WorksheetObservers(scene.observers, scene.options)
        withKeyValueTransaction {
            scene.changes(observers.sheet)
            #expect(observers.take() == scene.inside)
        }
        #expect(observers.take() == scene.lines)
    }

    @Test("10.2 5.2 What depends on several changes is evaluated once")
    func evaluatedOnce() {
        observers.observe("sum")
        let before = sheet.evaluations
        withKeyValueTransaction { for number in 1...3 { (sheet.a, sheet.b) = (number, number) } }
        #expect(observers.take() == ["sum 0→6"] && sheet.evaluations == before + 1)
    }

    // MARK: Participants

    @Test("10.3 2.4 A registration made inside gets calls before changes, too, from the first change after it")
    func priorsOfLate() {
        withKeyValueTransaction {
            sheet.a = 1
            observers.observe("a sum", [.old, .new, .prior], as: "late")
            for number in 2...3 { sheet.a = number }
            #expect(observers.take() == ["late a prior 1→·", "late sum prior 1→·"])
        }
        #expect(observers.take() == ["late a 1→3", "late sum 1→3"])
    }

    @Test("10.3 One that ends inside, and one whose object dies inside, get nothing")
    func ended() {
        var dying: WorksheetObservers? = WorksheetObservers("a")
        let log = dying?.log
        weak let weakSheet = dying?.sheet
        observers.observe("a")
        withKeyValueTransaction {
            for number in 1...2 {
                sheet.a = number
                dying?.sheet.a = number
            }
            observers.endAll()
            dying = nil
            // It keeps no object alive.
            #expect(weakSheet == nil)
        }
        #expect(observers.take() == [] && log?.take() == [])
    }

    @Test("3.5 10.2 A change announced and open at the end is delivered when it ends, with all changes")
    func leftOpen() {
        observers.observe("a code sum")
        withKeyValueTransaction {
            sheet.a = 1
            sheet.willChangeValue(for: \.code)
            sheet.willChangeValue(for: \.b)
        }
        #expect(observers.take() == ["a 0→1", "sum 0→1"])
        (sheet.b, sheet.code) = (2, 5)
        sheet.didChangeValue(for: \.b)
        sheet.didChangeValue(for: \.code)
        #expect(observers.take() == ["sum 1→3", "code 0→5"])
    }

    // MARK: Its end

    @Test("10.4 A thrown error delivers what was stored, and a result is returned")
    func thrown() {
        struct Refusal: Error {}
        observers.observe("a")
        #expect(throws: Refusal.self) {
            try withKeyValueTransaction {
                sheet.a = 1
                throw Refusal()
            }
        }
        #expect(observers.take() == ["a 0→1"] && withKeyValueTransaction { 7 } == 7)
    }

    @Test("10.4 Nested transactions end with the outermost")
    func nested() {
        observers.observe("a")
        withKeyValueTransaction {
            withKeyValueTransaction { sheet.a = 1 }
            #expect(observers.take() == [])
            sheet.a = 2
        }
        #expect(observers.take() == ["a 0→2"])
    }

    @Test("10.4 P1 Other threads are not held up; what they tell of is where the rest begins")
    func otherThreads() {
        observers.observe("b sum", as: "first")
        let shared = Unchecked(value: sheet)
        withKeyValueTransaction {
            sheet.a = 1
            observers.observe("sum", as: "second")
            onThreads(1) { _ in shared.value.b = 10 }
            #expect(observers.take() == ["first b 0→10", "first sum 0→11", "second sum 1→11"])
            sheet.a = 2
        }
        #expect(observers.take() == ["first sum 11→12", "second sum 11→12"])
    }

    @Test("10.4 P3 What a handler changes at the end completes only what it concerns")
    func changesInHandlers() {
        sheet.observe(\.a, options: [.old, .new]) { [log = observers.log] sheet, change in
            log.add(change, as: "first")
            if change.newValue == 1 { sheet.a = 2 }
        }.store(in: kept)
        observers.observe("a b")
        withKeyValueTransaction { (sheet.a, sheet.b) = (1, 5) }
        #expect(observers.take() == ["first 0→1", "a 0→1", "a 1→2", "first 1→2", "b 0→5"])
    }

    @Test("10.4 P3 What handlers change that a transaction calls while it is open belongs to it")
    func inAHandler() {
        [
            sheet.observe(\.a, options: [.old, .new]) { [log = observers.log] sheet, change in
                log.add(change, as: "first")
                if change.newValue == 1 { withKeyValueTransaction { for number in 2...3 { sheet.a = number } } }
            },
            sheet.observe(\.a) { [log = observers.log] sheet, _ in
                sheet.b += 1
                log.add("after the set")
            },
        ].store(in: kept)
        observers.observe("a b")
        sheet.a = 1
        #expect(
            observers.take() == [
                "first 0→1", "after the set", "a 0→1", "b 0→1", "b 1→2", "after the set", "a 1→3", "first 1→3",
            ])
    }

    @Test("2.4 10.3 A registration made by a prior handler in a transaction takes part in the next set")
    func registeredInAPrior() {
        let (log, kept) = (observers.log, Kept())
        sheet.observe(\.a, options: .prior) { sheet, change in
            if change.isPrior { sheet.observe(\.a) { log.add($1) }.store(in: kept) }
        }.store(in: kept)
        withKeyValueTransaction { for number in 1...2 { sheet.a = number } }
        #expect(log.take() == ["1→2"])
    }

    @Test("10.2 A transaction that changes many properties twice calls each registration once")
    func manyTwice() {
        let (sheets, log) = ((0..<40).map { _ in Worksheet() }, Log())
        sheets.map { $0.observe(\.code, options: [.old, .new]) { log.add($1) } }.store(in: kept)
        withKeyValueTransaction { for code in 1...2 { for sheet in sheets { sheet.code = code } } }
        #expect(log.take() == Array(repeating: "0→2", count: 40))
    }
}
