// How many changes may wait, and what follows those that were dropped: 11.4.
import KeyValueObserving
import TestSupport
import Testing

/// Changes that are made while some wait, and what arrives of them.
private struct Backlog: Sendable, CustomTestStringConvertible {
    let policy: KeyValueBufferingPolicy
    let options: KeyValueObservingOptions
    /// A number sets the level; `+a` appends a tag, `=ab` sets the tags, `-` removes the first; `(` and `)` enclose a
    /// transaction; at `|` what waits is delivered.
    let changes: String
    let lines: [String]

    init(
        _ policy: KeyValueBufferingPolicy, asking options: KeyValueObservingOptions = [.old, .new], _ changes: String,
        _ lines: String...
    ) {
        self.policy = policy
        self.options = options
        self.changes = changes
        self.lines = lines
    }

    var testDescription: String { "\(policy) \(options) \(changes)" }
    var isOfLevels: Bool { changes.first?.isNumber ?? false }

    func make(of tank: Tank, delivering deliver: () -> Void) {
        var words = changes.split(separator: " ")[...]
        func follow() {
            while let word = words.popFirst(), word != ")" {
                let tags = word.dropFirst().map(String.init)
                switch word.first {
                case "(": withKeyValueTransaction { follow() }
                case "|": deliver()
                case "+": tank.mutable(\.tags).append(contentsOf: tags)
                case "=": tank.tags = tags
                case "-": tank.mutable(\.tags).removeFirst()
                default: tank.level = Int(word) ?? 0
                }
            }
        }
        follow()
    }

    static let all = [
        // The first of the newest has the old value from before the gap, and what follows the oldest the last one that
        // was delivered.
        Self(.bufferingNewest(3), "1 2 3 4 5", "0→3", "3→4", "4→5"),
        Self(.bufferingOldest(3), "1 2 3 4 5", "0→1", "1→2", "2→3"),
        Self(.bufferingOldest(1), "1 2 3 | 4", "0→1", "1→4"),
        // A dropped initial value is no old value.
        Self(.bufferingNewest(1), asking: [.initial, .old, .new], "1 2 3", "0→3"),
        // After a dropped change of elements comes a setting of the whole, as it was at that change.
        Self(.bufferingNewest(2), "+a +b +c +d", #"[]→["a", "b", "c"]"#, #"insertion ·→["d"]"#),
        Self(
            .bufferingOldest(2), "+a +b +c +d | - +e", #"insertion ·→["a"]"#, #"insertion ·→["b"]"#,
            #"["a", "b"]→["b", "c", "d"]"#, #"insertion ·→["e"]"#),
        Self(.bufferingNewest(1), "=z | +a =b", #"[]→["z"]"#, #"["z"]→["b"]"#),
        Self(.bufferingNewest(1), asking: .new, "=ab +c", #"·→["a", "b", "c"]"#),
        // A transaction is one setting of the whole.
        Self(.bufferingOldest(1), "( +a +b ) | +c", #"[]→["a", "b"]"#, #"insertion ·→["c"]"#),
        Self(.bufferingNewest(2), "( +a +b +c )", #"[]→["a", "b", "c"]"#),
        Self(.bufferingNewest(2), "( +a +b +c =d )", #"[]→["d"]"#),
        Self(.bufferingOldest(1), asking: .old, "( =a +b ) | =c", "[]→·", #"["a", "b"]→·"#),
        // A gap gives only the values that were asked for.
        Self(.bufferingNewest(1), asking: [], "=a +b +c", "·→·"),
        Self(.bufferingNewest(1), asking: .old, "=a | +b +c", "[]→·", #"["a"]→·"#),
        Self(.bufferingNewest(1), asking: .new, "=a | +b +c", #"·→["a"]"#, #"·→["a", "b", "c"]"#),
    ]
}

@Suite("11.4 12.4 C19 Buffering")
struct BufferingTests {
    private let kept = Kept()
    private let tank = Tank()
    private let pump = Pump()
    private let log = Log()

    @Test("11.4 10.2 Waiting changes, dropped ones, and the changes that include them", arguments: Backlog.all)
    private func backlog(_ backlog: Backlog) {
        let (log, made) = (log, CallCount())
        (backlog.isOfLevels
            ? [
                tank.changes(of: \.level, options: backlog.options).buffer(policy: backlog.policy).deliver(on: pump) {
                    log.add($0)
                },
                tank.observe(\.level, options: backlog.options) { _, _ in made.count += 1 },
            ]
            : [
                tank.changes(of: \.tags, options: backlog.options).buffer(policy: backlog.policy).deliver(on: pump) {
                    log.add($0)
                },
                tank.observe(\.tags, options: backlog.options) { _, _ in made.count += 1 },
            ]).store(in: kept)
        backlog.make(of: tank) { pump.run() }
        pump.run()
        #expect(log.take() == backlog.lines)
        let (delivered, dropped) = (backlog.lines.count, made.count - backlog.lines.count)
        // The steps of a transaction are fewer here than for the other observer.
        #expect(
            backlog.changes.contains("(")
                || tank.observationInfo[0].description.hasSuffix(
                    dropped == 0 ? "delivered \(delivered)" : "delivered \(delivered), dropped \(dropped)")
        )
    }

    @Test(
        "11.4 A change whose handler has begun does not wait any more",
        arguments: [
            (KeyValueBufferingPolicy.bufferingNewest(2), ["·→1", "·→4", "·→5"]),
            (.bufferingOldest(2), ["·→1", "·→2", "·→3"]),
        ])
    func begun(policy: KeyValueBufferingPolicy, lines: [String]) {
        tank.changes(of: \.level, options: .new).buffer(policy: policy).deliver(on: pump) {
            [tank, log] change in
            log.add(change)
            guard change.newValue == 1 else { return }
            for level in 2...5 { tank.level = level }
        }.store(in: kept)
        tank.level = 1
        pump.run()
        #expect(log.take() == lines)
    }

    @Test("11.4 7.5 What arrives gives the property's value when it is replayed", arguments: [1, 2, 5], [false, true])
    func replay(bound: Int, isInTransactions: Bool) {
        for policy in [KeyValueBufferingPolicy.bufferingNewest(bound), .bufferingOldest(bound)] {
            let (tank, tags, members) = (Tank(), Guarded<[String]>([]), Guarded<Set<Int>>([]))
            let tokens = [
                tank.changes(of: \.tags, options: [.old, .new]).buffer(policy: policy).deliver(on: pump) { change in
                    tags.withLock { change.apply(to: &$0) }
                },
                tank.changes(of: \.members, options: [.old, .new]).buffer(policy: policy).deliver(on: pump) {
                    change in
                    members.withLock { change.apply(to: &$0) }
                },
            ]
            var generator = SplitMix(state: UInt64(bound))
            for _ in 0..<200 {
                let count = Int.random(in: 1...8, using: &generator)
                let make = { for _ in 0..<count { Self.change(tank, using: &generator) } }
                if isInTransactions { withKeyValueTransaction(make) } else { make() }
                for _ in 0..<Int.random(in: 0...4, using: &generator) { pump.runOne() }
            }
            // When nothing waits, the next change of each closes the last gap.
            pump.run()
            tank.mutable(\.tags).append("end")
            tank.mutable(\.members).formUnion([1_000])
            pump.run()
            #expect(tags.withLock { $0 } == tank.tags && members.withLock { $0 } == tank.members)
            #expect(isInTransactions || tank.observationInfo.allSatisfy { $0.droppedCount > 0 })
            withExtendedLifetime(tokens) {}
        }
    }

    private static func change(_ tank: Tank, using generator: inout SplitMix) {
        let number = Int.random(in: 0..<10, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: tank.tags = ["\(number)"]
        case 1, 2: tank.mutable(\.tags).insert("\(number)", at: tank.tags.count / 2)
        case 3: if !tank.tags.isEmpty { tank.mutable(\.tags).removeFirst() }
        case 4: tank.mutable(\.members).formUnion([number])
        default: tank.mutable(\.members).subtract([number])
        }
    }

    @Test(
        "11.4 The initial value waits as changes do, also if another thread changes the property meanwhile",
        arguments: [(KeyValueBufferingPolicy.bufferingNewest(1), "0→1"), (.bufferingOldest(1), "·→0")])
    func initialAmongChanges(policy: KeyValueBufferingPolicy, line: String) {
        let tank = FillingTank()
        tank.changes(of: \.shownLevel, options: [.initial, .old, .new]).buffer(policy: policy).deliver(
            on: pump
        ) { [log] in log.add($0) }.store(in: kept)
        pump.run()
        #expect(log.take() == [line] && tank.observationInfo.map(\.droppedCount) == [1])
        tank.level = 9
        pump.run()
        #expect(log.take().last?.hasSuffix("→9") ?? false)
    }

    @Test("11.4 The bound includes the change of a running asynchronous handler, and its iterator counts dropped ones")
    func asynchronousHandler() async {
        let (tank, runner, calls, written) = (tank, Runner(), CallLog(), Gate())
        tank.changes(of: \.level).buffer(policy: .bufferingNewest(2)).deliver(on: runner) { change in
            calls.add(text(of: change))
            await written.wait()
        }.store(in: kept)
        var iterator = tank.changes(of: \.level).buffer(policy: .bufferingOldest(1)).makeAsyncIterator()
        tank.level = 1
        #expect(await calls.lines(1) == ["0→1"])
        for level in 2...5 { tank.level = level }
        #expect(tank.observationInfo[0].droppedCount == 2 && iterator.droppedCount == 4)
        written.open()
        #expect(await calls.lines(3) == ["0→1", "1→4", "4→5"])
        #expect(await iterator.next().map(text(of:)) == "0→1" && iterator.droppedCount == 4)
    }

    // MARK: The end when too much waits

    @Test("11.4 The sequence ends when more than n wait: those n are delivered, and the token reports it")
    func finishing() {
        let token = tank.changes(of: \.level).buffer(policy: .finishing(after: 2)).deliver(on: pump) { [log] in
            log.add($0)
        }
        tank.level = 1
        tank.level = 2
        #expect(!token.hasOverflowed && tank.observationInfo.count == 1)
        pump.run()
        for level in 3...4 { tank.level = level }
        #expect(!token.hasOverflowed)
        for level in 5...6 { tank.level = level }
        #expect(token.hasOverflowed && tank.observationInfo.isEmpty)
        pump.run()
        #expect(log.take() == ["0→1", "1→2", "2→3", "3→4"] && token.isInvalidated && token.hasOverflowed)
        pump.run()
        #expect(log.take() == [])
    }

    @Test("11.4 A loop gets the n that waited, and its iterator reports why it ends", arguments: [false, true])
    func finishingIteration(isInitialOne: Bool) async {
        let values = tank.values(of: \.level).buffer(policy: .finishing(after: 2))
        var iterator = values.makeAsyncIterator()
        if !isInitialOne { #expect(await iterator.next() == 0) }
        for level in 1...3 { tank.level = level }
        #expect(iterator.hasOverflowed)
        let expected = isInitialOne ? [0, 1] : [1, 2]
        #expect(await [iterator.next(), iterator.next(), iterator.next()] == expected + [nil])
        #expect(iterator.hasOverflowed && iterator.droppedCount == 0)
    }

    @Test("11.2 11.4 Changes that wait after an overflow are released with the token")
    func finishingEnds() {
        let token = tank.changes(of: \.level).buffer(policy: .finishing(after: 1)).deliver(on: pump) { [log] in
            log.add($0)
        }
        for level in 1...2 { tank.level = level }
        #expect(token.hasOverflowed)
        token.invalidate()
        pump.run()
        #expect(log.take() == [])
    }

    @Test("11.4 Steps and elements within the bound are delivered as they are")
    func finishingElements() {
        let token = tank.changes(of: \.tags).buffer(policy: .finishing(after: 2)).deliver(on: pump) { [log] in
            log.add($0)
        }
        tank.mutable(\.tags).append("a")
        tank.mutable(\.tags).append("b")
        pump.run()
        #expect(log.take() == [#"insertion ·→["a"]"#, #"insertion ·→["b"]"#] && !token.hasOverflowed)
    }

    // MARK: Equal values

    @Test(
        "12.1 A value that equals the newest that waits takes no place, and none that was delivered before is repeated")
    func equalsTakeNoPlace() {
        let values = tank.values(of: \.level).removeDuplicates().buffer(policy: .bufferingNewest(2))
        values.deliver(on: pump) { [log] in log.add("\($0)") }.store(in: kept)
        for level in [0, 1, 1, 1] { tank.level = level }
        pump.run()
        #expect(log.take() == ["0", "1"] && tank.observationInfo.map(\.droppedCount) == [0])
        // What is dropped lets equal ones meet.
        for level in [2, 1, 3] { tank.level = level }
        pump.run()
        #expect(log.take() == ["3"] && tank.observationInfo.map(\.droppedCount) == [1])
    }

    @Test("12.1 With the oldest kept, a value that was dropped is no value that was delivered")
    func droppedIsNotDelivered() {
        let values = tank.values(of: \.level).removeDuplicates().buffer(policy: .bufferingOldest(1))
        values.deliver(on: pump) { [log] in log.add("\($0)") }.store(in: kept)
        tank.level = 5
        pump.run()
        tank.level = 5
        pump.run()
        #expect(log.take() == ["0", "5"])
    }

    @Test("12.1 Equal whole values after a change of elements are dropped")
    func equalWholes() {
        let values = tank.values(of: \.tags).removeDuplicates()
        values.deliver(on: pump) { [log] in log.add("\($0)") }.store(in: kept)
        tank.tags = ["a"]
        tank.mutable(\.tags)[0] = "a"
        tank.mutable(\.tags).append("b")
        pump.run()
        #expect(log.take() == ["[]", #"["a"]"#, #"["a", "b"]"#])
    }

    @Test(
        "11.4 A policy with a number below 1 traps and says what to use")
    func numberBelowOne() async {
        let newest = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Tank().changes(of: \.level).buffer(policy: .bufferingNewest(0)).deliver(to: Recorder()) { _, _ in }
        }
        #expect(words("of Tank", "newest(0)", ".unbounded", missingIn: message(of: newest)) == [])
        let oldest = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Tank().values(of: \.level).buffer(policy: .bufferingOldest(-1))
        }
        #expect(words("of Tank", "oldest(-1)", ".unbounded", missingIn: message(of: oldest)) == [])
    }
}

/// A tank that another thread fills once, while its level is read for the initial value.
private final class FillingTank: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    private var reads = 0

    var shownLevel: Int {
        let shown = level
        reads += 1
        if reads == 3 { onThreads(1) { _ in self.level += 1 } }
        return shown
    }
}
