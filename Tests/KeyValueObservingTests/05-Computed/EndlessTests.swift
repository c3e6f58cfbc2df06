// Getters that wait for themselves and changes without an end stop with a sentence: 5.4 and 3.4.
import KeyValueObserving
import TestSupport
import Testing

@Suite("5.4 What has no end")
struct EndlessTests {
    @Test(
        "5.4 A dependency cycle traps at registration and names what is read on its way",
        .enabled(if: hasReflectionMetadata),
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)), arguments: [false, true])
    func atRegistration(isPath: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isPath] in
            let (hen, yard) = (Hen(isCyclic: true), Yard())
            yard.hen = hen
            let token = isPath ? yard.observe(\.hen?.chicken) { _, _ in } : hen.observe(\.chicken) { _, _ in }
            withExtendedLifetime(token) {}
        }
        #expect(words("Hen", "yolk", "shell", "itself", "EndlessTests.swift:", missingIn: message(of: result)) == [])
    }

    @Test(
        "5.4 What ends is no cycle where the stack is nearly full: other objects, reading again, reading deeper once",
        .disabled(if: isUnderSanitizer, "its calls take more of the stack than is left"),
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

    @Test(
        "3.5 A getter that changes what it reads is evaluated again, eight times at most",
        arguments: [false, true], [false, true])
    func restless(isInTransaction: Bool, beginsTransactions: Bool) {
        let (spiral, log) = (Spiral(), Log())
        spiral.beginsTransactions = beginsTransactions
        let token = spiral.observe(\.restless, options: [.old, .new]) { log.add($1) }
        let count = spiral.restlessCount
        if isInTransaction { withKeyValueTransaction { spiral.step = 100 } } else { spiral.step = 100 }
        #expect(spiral.restlessCount == count + 8)
        #expect(log.take() == ["\(count)→108"])
        withExtendedLifetime(token) {}
    }

    enum Turn: CaseIterable, Codable, Sendable { case otherObjects, again, deeper }

    /// Handlers that set each other's property, also in transactions, and one that sets its own again and again.
    enum Rule: CaseIterable, Codable, Sendable { case eachOther, transactions, ownTransaction, twice }

    @Test(
        "3.4 3.8 10.2 A change without end traps, and names what goes round and the lines that registered",
        .enabled(if: hasReflectionMetadata),
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)), arguments: Rule.allCases)
    func changes(rule: Rule) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [rule] in
            @Sendable func run() {
                let rally = Rally()
                let tokens = [
                    rally.observe(\.ping, fileID: "Ping.swift", line: 7) { rally, _ in
                        switch rule {
                        case .eachOther: rally.pong += 1
                        case .transactions: withKeyValueTransaction { rally.pong += 1 }
                        case .ownTransaction: withKeyValueTransaction { rally.ping += 1 }
                        case .twice: for _ in 0..<2 { rally.ping += 1 }
                        }
                    },
                    rally.observe(\.pong, fileID: "Pong.swift", line: 8) { rally, _ in
                        if rule == .eachOther { rally.ping += 1 } else { withKeyValueTransaction { rally.ping += 1 } }
                    },
                ]
                // What begins it does not go round.
                let starter = Rally()
                let start = starter.observe(\.ping, fileID: "Start.swift", line: 9) { _, _ in rally.ping = 1 }
                starter.ping = 1
                withExtendedLifetime((tokens, start)) {}
            }
            if rule == .transactions { onASmallStack(run) } else { run() }
        }
        let message = message(of: result)
        #expect(words("endless change", "ping (registered at Ping.swift:7)", "Rally", missingIn: message) == [])
        if rule == .eachOther || rule == .transactions {
            #expect(words("pong (registered at Pong.swift:8)", missingIn: message) == [])
        }
        #expect(!message.contains("Start.swift"))
    }

    @Test(
        "3.4 A chain of objects that is too long for the stack traps, and is not taken for an endless change",
        .enabled(if: hasReflectionMetadata),
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
        #expect(words("Rally", "ping", "stack", "deliver(to:)", missingIn: message) == [])
        #expect(!message.contains("endless"))
    }

    @Test(
        "3.8 A chain of prior handlers in a transaction that is too long for the stack ends with the sentence",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func longChainOfPriors() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            onASmallStack {
                let players = (0..<20_000).map { _ in Rally() }
                let tokens = zip(players, players.dropFirst()).map { player, next in
                    player.observe(\.ping, options: .prior) { if $1.isPrior { next.ping += 1 } }
                }
                withKeyValueTransaction { players[0].ping = 1 }
                withExtendedLifetime((players, tokens)) {}
            }
        }
        #expect(words("The stack is nearly full", missingIn: message(of: result)) == [])
        #expect(message(of: result).contains(/handlers of [^)]*\) run one inside the other/), "each is named once")
        #expect(message(of: result).contains(/[1-9]\d+ deep, the innermost for a change of a Rally\./))
    }
}

private final class Spiral: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var step = 0
    @Observed var next: Spiral?

    private func sum(_ depth: Int) -> Int { depth == 0 ? 0 : step + sum(depth - 1) }

    var total: Int { step + (next?.total ?? 0) }
    var repeated: Int { (0..<10).reduce(0) { sum, _ in sum + step } }
    var deeper: Int { step + repeated }

    private(set) var restlessCount = 0
    var beginsTransactions = false
    var restless: Int {
        restlessCount += 1
        if beginsTransactions { withKeyValueTransaction { step += 1 } } else { step += 1 }
        return step
    }
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

private final class Yard: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var hen: Hen?
}

private final class Rally: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var ping = 0
    @Observed var pong = 0
}
