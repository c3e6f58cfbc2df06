// Getters that wait for themselves and changes without an end stop with a sentence: 5.4 and 3.4.
import KeyValueObserving
import TestSupport
import Testing

@Suite("5.4 What has no end")
struct EndlessTests {
    @Test(
        "5.4 A dependency cycle traps at registration and names what is read on its way",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)), arguments: [false, true])
    func atRegistration(isPath: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isPath] in
            let (hen, yard) = (Hen(isCyclic: true), Yard())
            yard.hen = hen
            let token = isPath ? yard.observe(\.hen?.chicken) { _, _ in } : hen.observe(\.chicken) { _, _ in }
            withExtendedLifetime(token) {}
        }
        #expect(words("Hen", "yolk", "shell", "itself", missingIn: message(of: result)) == [])
    }

    @Test(
        "5.4 A dependency cycle that a set brings about traps and names what is read on its way",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func atASet() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let hen = Hen(isCyclic: false)
            let token = hen.observe(\.chicken, options: [.old, .new]) { _, _ in }
            hen.isCyclic = true
            withExtendedLifetime(token) {}
        }
        #expect(words("Hen", "yolk", "shell", "itself", missingIn: message(of: result)) == [])
    }

    @Test(
        "5.4 A dependency cycle on a thread with a small stack",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func onAnotherThread() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            onASmallStack { _ = Hen(isCyclic: true).observe(\.chicken) { _, _ in } }
        }
        #expect(words("Hen", "yolk", "shell", "itself", missingIn: message(of: result)) == [])
    }

    @Test(
        "5.4 Cycles of properties that notify by hand, of overrides, through paths and past many others",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)), arguments: Cycle.allCases, [false, true])
    func otherCycles(cycle: Cycle, isAtASet: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [cycle, isAtASet] in
            onASmallStack {
                let snake = Snake()
                snake.friend = snake
                snake.isCyclic = !isAtASet
                let token =
                    switch cycle {
                    case .byHand: snake.observe(\.head, options: [.old, .new]) { _, _ in }
                    case .overrides: snake.observe(\.left, options: [.old, .new]) { _, _ in }
                    case .path: snake.observe(\.reflection, options: [.old, .new]) { _, _ in }
                    case .wide: snake.observe(\.wide, options: [.old, .new]) { _, _ in }
                    }
                snake.isCyclic = true
                withExtendedLifetime(token) {}
            }
        }
        #expect(words("Snake", "itself", missingIn: message(of: result)) == [])
    }

    enum Cycle: CaseIterable, Codable, Sendable { case byHand, overrides, path, wide }

    @Test("5.4 A getter that reads a property at each depth of its recursion is no cycle")
    func recursion() {
        let spiral = Spiral()
        let log = Log()
        let token = spiral.observe(\.deep, options: [.old, .new]) { log.add($1) }
        spiral.step = 1
        #expect(log.take() == ["0→20"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "5.4 What ends is no cycle where the stack is nearly full: other objects, reading again, reading deeper once",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)), arguments: Turn.allCases)
    func ending(turn: Turn) async {
        await #expect(processExitsWith: .success) { [turn] in
            deepInTheStack {
                let log = Log()
                let spirals = (0..<8).map { _ in Spiral() }
                for (spiral, next) in zip(spirals, spirals.dropFirst()) { spiral.next = next }
                let token =
                    switch turn {
                    case .otherObjects: spirals[0].observe(\.total, options: [.old, .new]) { log.add($1) }
                    case .again: spirals[0].observe(\.repeated, options: [.old, .new]) { log.add($1) }
                    case .deeper: spirals[0].observe(\.deeper, options: [.old, .new]) { log.add($1) }
                    }
                spirals[0].step = 1
                #expect(log.take() == [turn == .otherObjects ? "0→1" : turn == .again ? "0→10" : "0→11"])
                withExtendedLifetime((spirals, token)) {}
            }
        }
    }

    enum Turn: CaseIterable, Codable, Sendable { case otherObjects, again, deeper }

    @Test(
        "3.4 Handlers that change each other's property for ever trap and name the properties",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func changes() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let rally = Rally()
            let tokens = [
                rally.observe(\.ping) { rally, _ in rally.pong += 1 },
                rally.observe(\.pong) { rally, _ in rally.ping += 1 },
            ]
            rally.ping = 1
            withExtendedLifetime(tokens) {}
        }
        #expect(words("Rally", "ping", "pong", "endless", missingIn: message(of: result)) == [])
    }

    @Test(
        "3.4 The same where one of the changes is made by hand",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func changesByHand() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let rally = Rally()
            let tokens = [
                rally.observe(\.pong) { rally, _ in
                    rally.willChangeValue(for: \.ping)
                    rally.didChangeValue(for: \.ping)
                },
                rally.observe(\.ping) { rally, _ in rally.pong += 1 },
            ]
            rally.pong = 1
            withExtendedLifetime(tokens) {}
        }
        #expect(words("Rally", "ping", "pong", missingIn: message(of: result)) == [])
    }

    @Test("3.5 10.2 One that sets nothing if the value is what it should be ends")
    func endingTransactionInGetter() {
        let ledger = Ledger(isCareful: true)
        var values: [Int] = []
        let token = ledger.observe(\.doubled, options: .new) { values.append($1.newValue!) }
        ledger.amount = 1
        #expect(values.last == 2 && ledger.cache == 2)
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.4 10.2 An endless change by transactions names what changed, and the lines that registered",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func inTransactions() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            onASmallStack {
                let rally = Rally()
                let tokens = [
                    rally.observe(\.ping, fileID: "Ping.swift", line: 7) { rally, _ in
                        withKeyValueTransaction { rally.pong += 1 }
                    },
                    rally.observe(\.pong, fileID: "Pong.swift", line: 8) { rally, _ in
                        withKeyValueTransaction { rally.ping += 1 }
                    },
                ]
                rally.ping = 1
                withExtendedLifetime(tokens) {}
            }
        }
        #expect(
            words(
                "ping (registered at Ping.swift:7)", "pong (registered at Pong.swift:8)", "in a Rally",
                missingIn: message(of: result)) == [])
    }

    @Test(
        "3.4 A chain of objects that is too long for the stack traps, and is not taken for an endless change",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func longChain() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            onASmallStack {
                let players = (0..<20_000).map { _ in Rally() }
                let tokens = zip(players, players.dropFirst()).map { $0.bind(\.ping, to: $1, \.ping) }
                players[0].ping = 1
                withExtendedLifetime((players, tokens)) {}
            }
        }
        let message = message(of: result)
        #expect(words("Rally", "ping", "stack", "observe(_:options:on:)", missingIn: message) == [])
        #expect(!message.contains("endless"))
    }
}

/// Keeps a computed value in an observed property.
private final class Ledger: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var amount = 0
    @Observed var cache = 0
    private let isCareful: Bool

    var doubled: Int {
        withKeyValueTransaction { if !isCareful || cache != amount * 2 { cache = amount * 2 } }
        return cache
    }

    init(isCareful: Bool = false) {
        self.isCareful = isCareful
    }
}

private final class Spiral: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var step = 0
    @Observed var next: Spiral?

    /// Reads the step at 20 depths.
    var deep: Int { sum(20) }
    private func sum(_ depth: Int) -> Int { depth == 0 ? 0 : step + sum(depth - 1) }

    var total: Int { step + (next?.total ?? 0) }
    var repeated: Int { (0..<10).reduce(0) { sum, _ in sum + step } }
    var deeper: Int { step + repeated }
}

private final class Hen: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isCyclic: Bool
    @Observed var yolk = 0
    @Observed var shell = 0
    var chicken: Int { yolk + (isCyclic ? egg : 0) }
    var egg: Int { shell + chicken }

    init(isCyclic: Bool) {
        self.isCyclic = isCyclic
    }
}

private class Worm: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isCyclic = false
    @Observed var left = 0
    @Observed var right = 0
    @Observed var friend: Snake?
    @Observed var rings = (0..<300).map { _ in Ring() }

    final class Ring: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var size = 1
    }
}

/// Has cycles of every sort once it is cyclic.
private final class Snake: Worm {
    override var left: Int {
        get { super.left + (isCyclic ? right : 0) }
        set { super.left = newValue }
    }

    override var right: Int {
        get { super.right + left }
        set { super.right = newValue }
    }

    var head: Int {
        accessValue(for: \.head)
        return 1 + (isCyclic ? tail : 0)
    }

    var tail: Int {
        accessValue(for: \.tail)
        return 1 + head
    }

    var reflection: Int { 1 + (isCyclic ? friend?.friend?.reflection ?? 0 : 0) }

    /// Reads more of others than of itself.
    var wide: Int { rings.reduce(0) { $0 + $1.size } + (isCyclic ? self.wide : 0) }
}

private final class Yard: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var hen: Hen?
}

private final class Rally: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var ping = 0
    @Observed var pong = 0
}
