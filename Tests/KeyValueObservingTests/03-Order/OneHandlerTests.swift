// One handler of several registrations, which is never entered while it runs: P3.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("P3 One handler of several registrations")
struct OneHandlerTests {
    private let kept = Kept()
    private let log = Log()

    @Test(
        "P3 10.1 What a list's handler changes follows when it has returned, in the order of the changes",
        .enabled(if: hasReflectionMetadata))
    func list() {
        let pair = Pair()
        pair.observe(keyPaths: [\.left, \.right]) { [log] pair, change in
            log.add(change, as: change.name)
            if change.name == "left", pair.left == 1 {
                (pair.right, pair.left) = (1, 2)
                pair.right = 2
                log.add("returns")
            }
        }.store(in: kept)
        pair.left = 1
        #expect(log.take() == ["left 0→1", "returns", "right 0→1", "left 1→2", "right 1→2"])
    }

    @Test("P3 A running handler's calls follow when it has returned, before those of later observers")
    func callsBeforeOthers() {
        let sheet = Worksheet()
        sheet.observe(\.sum) { [log] sheet, change in
            log.add(change, as: "sum")
            if sheet.b == 0 { sheet.b = 1 }
        }.store(in: kept)
        sheet.observe(\.a) { [log] in log.add($1, as: "a") }.store(in: kept)
        sheet.a = 1
        #expect(log.take() == ["sum 0→1", "sum 1→2", "a 0→1"])
    }

    @Test("P3 10.1 So do those of a list's handler")
    func listBeforeOthers() {
        let pair = Pair()
        pair.observe(keyPaths: [\.left, \.right]) { [log] pair, change in
            log.add(change.keyPath == \Pair.left ? "left" : "right")
            if change.keyPath == \Pair.left { pair.right = 1 }
        }.store(in: kept)
        pair.observe(\.left) { [log] _, _ in log.add("later") }.store(in: kept)
        pair.left = 1
        #expect(log.take() == ["left", "right", "later"])
    }

    @Test(
        "P3 10.1 10.2 So it is in a transaction, with distinct values, and with calls before a change",
        .enabled(if: hasReflectionMetadata))
    func listInTransaction() {
        let pair = Pair()
        pair.observe(keyPaths: [\.left, \.right], options: [.old, .new, .prior, .distinct]) {
            [log] pair, change in
            log.add(change, as: change.name)
            guard change.name == "left", !change.isPrior, pair.left == 1 else { return }
            withKeyValueTransaction {
                pair.right = 5
                pair.left = 1
            }
            log.add("returns")
        }.store(in: kept)
        pair.left = 1
        #expect(
            log.take() == [
                "left prior 0→·", "left 0→1", "returns", "right prior 0→·", "left prior 1→·", "right 0→5",
            ])
    }

    @Test("P3 16.4 An arrival's handler that appends is called for that when it has returned")
    func arrival() {
        let team = Team(["a"])
        team.observe(eachOf: \.members, \.score) { [log] _, member, change in
            log.add(change, as: member.name)
        } arrival: { [log] team, member in
            log.add("+\(member.name)")
            if team.members.count < 3 {
                let next = Member("\(member.name)\(team.members.count)")
                team.mutable(\.members).append(next)
                next.score = 7
            }
            log.add("returns")
        }.store(in: kept)
        #expect(log.take() == ["+a", "returns", "+a1", "returns", "a1 0→7", "+a12", "returns", "a12 0→7"])
    }

    @Test("P3 16.4 A change's handler that sets another element's property is called for that when it has returned")
    func change() {
        let team = Team(["a", "b"])
        team.observe(eachOf: \.members, \.score) { [log] team, member, change in
            log.add(change, as: member.name)
            if member.score == 1 {
                for other in team.members { other.score = 2 }
                team.mutable(\.members).append(Member("c"))
            }
            log.add("returns")
        } arrival: { [log] _, member in
            log.add("+\(member.name)")
        }.store(in: kept)
        _ = log.take()
        team.members[0].score = 1
        #expect(log.take() == ["a 0→1", "returns", "a 1→2", "returns", "b 0→2", "returns", "+c"])
    }

    @Test("P3 16.4 A handler of a departure may wait, too; an object that has left meanwhile has no more changes")
    func departure() {
        let team = Team(["a", "b", "c"])
        team.observe(eachOf: \.members, \.score) { [log] _, member, change in
            log.add(change, as: member.name)
        } departure: { [log] team, member in
            log.add("-\(member.name)")
            if member.name == "a" {
                for other in team.members { other.score = 3 }
                team.mutable(\.members).removeFirst()
            }
            log.add("returns")
        }.store(in: kept)
        team.mutable(\.members).removeFirst()
        #expect(log.take() == ["-a", "returns", "c 0→3", "-b", "returns"])
    }

    @Test("P3 9.3 A call that waits is not made if its token, or its pair of a controller, has ended", arguments: 0..<4)
    func ended(form: Int) throws {
        let (pair, team, log, token) = (Pair(), Team(["a", "b"]), log, Token())
        let controller = KVOController(observer: log)
        func handle() {
            log.add("begins")
            (pair.left, pair.right, team.members[0].score, team.members[1].score) = (2, 2, 2, 2)
            team.mutable(\.members).append(Member("c"))
            token.value = nil
            controller.unobserve(pair, \.right)
            controller.unobserve(pair, keyPath: "right")
            log.add("returns")
            controller.unobserveAll()
        }
        switch form {
        case 0: token.value = pair.observe(keyPaths: [\.left, \.right]) { _, _ in handle() }
        case 1: controller.observe(pair, keyPaths: [\.left, \.right]) { _, _, _ in handle() }
        case 2: try controller.observe(pair, keyPaths: ["left", "right"]) { _, _, _ in handle() }
        default:
            token.value = team.observe(eachOf: \.members, \.score) { _, _, _ in
                handle()
            } arrival: { _, member in
                if member.name == "c" { log.add("+c") }
            }
        }
        (pair.left, team.members[0].score) = (1, 1)
        #expect(log.take() == ["begins", "returns"])
        #expect(pair.observationInfo.isEmpty && team.members.allSatisfy(\.observationInfo.isEmpty))
    }

    @Test("P3 1.6 A call that waited for a handler that ended its registration is released with it")
    func released() {
        let pair = Pair()
        weak var captured: Pair?
        do {
            let (other, token) = (Pair(), Token())
            captured = other
            token.value = pair.observe(keyPaths: [\.left, \.right]) { pair, _ in
                pair.right = other.left
                token.value = nil
            }
            pair.left = 1
        }
        #expect(captured == nil)
    }

    enum Endless: CaseIterable, Codable, Sendable { case list, wide, controller, named, elements, arrivals }

    @Test(
        "P3 3.8 What waits without end traps, and names what goes round and the lines that registered",
        .enabled(if: hasReflectionMetadata),
        .timeLimit(.minutes(10)), arguments: Endless.allCases)
    func endless(form: Endless) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [form] in
            let (pair, team, start) = (Pair(), Team(["a", "b"]), Pair())
            let controller = KVOController(observer: start)
            func go(_ pair: Pair, _ name: String) {
                for _ in 0..<(form == .wide ? 2 : 1) { if name == "left" { pair.right += 1 } else { pair.left += 1 } }
            }
            let (file, line): (StaticString, UInt) = ("Round.swift", 7)
            var tokens: [KeyValueObservation] = []
            switch form {
            case .list, .wide:
                tokens = [pair.observe(keyPaths: [\.left, \.right], fileID: file, line: line) { go($0, $1.name) }]
            case .controller:
                controller.observe(pair, keyPaths: [\.left, \.right], fileID: file, line: line) { go($1, $2.name) }
            case .named:
                try? controller.observe(pair, keyPaths: ["left", "right"], fileID: file, line: line) {
                    go($1, $2.name)
                }
            case .elements:
                tokens = [
                    team.observe(eachOf: \.members, \.score, fileID: file, line: line) { team, member, _ in
                        for other in team.members where other !== member { other.score += 1 }
                    }
                ]
            case .arrivals:
                tokens = [
                    team.observe(eachOf: \.members, \.score, fileID: file, line: line) { _, _, _ in
                    } arrival: { team, member in
                        if member.name != "a", member.name != "b" { team.members = [Member("d")] }
                    }
                ]
            }
            // What begins it does not go round.
            tokens.append(
                start.observe(\.left, fileID: "Start.swift", line: 9) { _, _ in
                    pair.left += 1
                    team.members[0].score += 1
                    team.mutable(\.members).append(Member("c"))
                })
            start.left = 1
            withExtendedLifetime(tokens) {}
        }
        let message = message(of: result)
        let names =
            switch form {
            case .elements: ["score", "Member"]
            case .arrivals: ["members", "Team"]
            case .wide: ["Pair"]
            default: ["left (registered at Round.swift:7)", "right (registered at Round.swift:7)", "Pair"]
            }
        #expect(words("endless change", "(registered at Round.swift:7)", missingIn: message) == [])
        #expect(names.filter { !message.contains($0) } == [])
        #expect(!message.contains("Start.swift"))
    }
}

private final class Pair: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var left = 0
    @Observed var right = 0

    static var keyPathsByKey: [String: AnyKeyPath] { ["left": \Pair.left, "right": \Pair.right] }
}

private final class Member: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var score = 0

    init(_ name: String) { self.name = name }
}

private final class Team: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var members: [Member]

    init(_ names: [String]) { members = names.map { Member($0) } }
}

private final class Token {
    var value: KeyValueObservation?
}
