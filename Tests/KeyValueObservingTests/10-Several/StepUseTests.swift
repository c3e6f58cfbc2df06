// What takes the change of a transaction with steps: sequences, bindings, coding, and .distinct: 10.2.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 The users of steps")
struct StepUseTests {
    private let kept = Kept()
    private let tank = Tank()

    private func changeTwice(_ tank: Tank, _ tags: String...) {
        withKeyValueTransaction {
            for tag in tags { tank.mutable(\.tags).append(tag) }
            tank.mutable(\.members).formUnion([1])
            tank.mutable(\.members).formUnion([2])
        }
    }

    @Test(
        "10.2 12.1 A sequence delivers one element with the steps, bounded or not, of the property and of a path",
        arguments: [.unbounded, .bufferingNewest(1), .bufferingOldest(1), .bufferingNewest(5)]
            as [KeyValueBufferingPolicy])
    func sequences(policy: KeyValueBufferingPolicy) async {
        let owner = Tank()
        owner.next = tank
        var tags = tank.changes(of: \.tags).buffer(policy: policy).makeAsyncIterator()
        var members = tank.changes(of: \.members).buffer(policy: policy).makeAsyncIterator()
        var path = owner.changes(of: \.next?.tags).buffer(policy: policy).makeAsyncIterator()
        var values = tank.values(of: \.tags).buffer(policy: policy).makeAsyncIterator()
        #expect(await values.next() == [])
        for _ in 0..<2 {
            let before = tank.tags
            changeTwice(tank, "a", "b")
            let change = await tags.next()
            #expect(change?.oldValue == before && change?.newValue == before + ["a", "b"])
            #expect(change?.steps.map(\.kind) == [.insertion, .insertion])
            var copy = before
            for step in change?.steps ?? [] { step.apply(to: &copy) }
            #expect(copy == tank.tags)
            let ofPath = await path.next()
            let steps = RuntimeAssumption.keyPathComponents.holds ? 2 : 0
            #expect(ofPath?.newValue == tank.tags && ofPath?.steps.count == steps)
            #expect(await values.next() == tank.tags)
            if tank.members.count == 2, before.isEmpty { #expect(await members.next()?.steps.count == 2) }
        }
    }

    @Test("10.2 11 Where changes were dropped, those that are left fit what was delivered before", arguments: 0..<3)
    func dropped(way: Int) async {
        let policies: [KeyValueBufferingPolicy] = [.bufferingNewest(1), .bufferingOldest(1), .bufferingNewest(2)]
        var iterator = tank.changes(of: \.tags).buffer(policy: policies[way]).makeAsyncIterator()
        var copy: [String] = []
        for round in 0..<3 {
            for _ in 0..<(2 + round) { changeTwice(tank, "a", "b") }
            tank.mutable(\.tags).removeFirst()
            // As many as wait.
            for _ in 0..<(way == 2 ? 2 : 1) {
                guard let change = await iterator.next() else { continue }
                if change.kind == .setting { #expect(change.oldValue == copy) }
                if !change.steps.isEmpty {
                    var stepped = copy
                    for step in change.steps { step.apply(to: &stepped) }
                    #expect(stepped == change.newValue)
                }
                change.apply(to: &copy)
            }
            if way != 1 { #expect(copy == tank.tags) }
        }
    }

    @Test("10.2 13.1 13.2 Bindings set the whole once")
    func bindings() {
        let (left, right, target) = (Tank(), Tank(), Tank())
        var sets: [String] = []
        [
            left.bind(\.tags, to: target, \.tags), left.bindBothWays(\.tags, to: right, \.tags),
            target.observe(\.tags) { sets.append("target \($1.kind) \($1.newValue ?? [])") },
            right.observe(\.tags) { sets.append("right \($1.kind) \($1.newValue ?? [])") },
            left.observe(\.tags) { sets.append("left \($1.steps.count) \($1.newValue ?? [])") },
        ].store(in: kept)
        changeTwice(left, "a", "b")
        #expect(
            sets.sorted() == [
                #"left 2 ["a", "b"]"#, #"right setting ["a", "b"]"#, #"target setting ["a", "b"]"#,
            ])
        sets = []
        withKeyValueTransaction {
            right.mutable(\.tags).removeFirst()
            right.mutable(\.tags).append("c")
        }
        #expect(
            sets.sorted() == [#"left 0 ["b", "c"]"#, #"right setting ["b", "c"]"#, #"target setting ["b", "c"]"#])
    }

    @Test("10.2 2.8 The coded form has the steps")
    func coding() throws {
        var changes: [KeyValueObservedChange<[String]>] = []
        tank.observe(\.tags) { changes.append($1) }.store(in: kept)
        changeTwice(tank, "a", "b")
        let data = try JSONEncoder().encode(changes[0])
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let steps = try #require(object["steps"] as? [[String: Any]])
        #expect(steps.map { $0["kind"] as? String } == ["insertion", "insertion"])
        #expect(steps.map { $0["new"] as? [String] } == [["a"], ["b"]])
        #expect(object["kind"] as? String == "setting" && object["new"] as? [String] == ["a", "b"])
    }

    @Test(
        "10.2 16.1 What is set back to an equal value is not told with .distinct, steps or no steps", arguments: 0..<3)
    func setBack(way: Int) {
        let owner = Tank()
        (owner.next, tank.tags, tank.members) = (tank, ["a"], [1])
        var told: [String] = []
        [
            tank.observe(\.tags, options: [.old, .new, .distinct]) { told.append("tags \($1.kind)") },
            tank.observe(\.members, options: [.new, .distinct]) { told.append("members \($1.kind)") },
            owner.observe(\.next?.tags, options: [.old, .new, .distinct]) { told.append("path \($1.kind)") },
            tank.onChange(of: \.tags) { _, _ in told.append("onChange") },
        ].store(in: kept)
        withKeyValueTransaction {
            let view = tank.mutable(\.tags)
            switch way {
            case 0: view.append("b")
            case 1: view[0] = "b"
            default: tank.tags = []
            }
            if way == 0 { view.removeLast() } else { tank.tags = ["a"] }
            tank.mutable(\.members).insert(2)
            tank.mutable(\.members).remove(2)
        }
        #expect(told == [])
        tank.tags = ["c"]
        #expect(told == ["tags setting", "path setting", "onChange"])
    }
}

@Suite("P1 10.2 What registers late gets what is its own")
struct LateStepTests {
    private let log = Log()
    private let kept = Kept()

    @Test("P1 10.2 What registers inside gets the value after its own transaction, and of none before")
    func insideTwo() {
        let band = Band(["a", "b"])
        for member in ["c", "d"] {
            withKeyValueTransaction {
                band.observe(\.members, options: .new) { [log] in log.addToMany($1) }.store(in: kept)
                band.mutable(\.members).append(member)
            }
        }
        #expect(log.take().last == #"setting ·→["a", "b", "c", "d"]"#)
    }

    @Test("P1 3.5 10.2 What registers after a change was announced gets only what comes after it")
    func afterTheWill() {
        let person = Person()
        person.observe(\.age) { [log] in log.add($1) }.store(in: kept)
        person.willChangeValue(for: \.age)
        person.age = 1
        person.observe(\.age) { [log] in log.add($1, as: "late") }.store(in: kept)
        withKeyValueTransaction {
            person.didChangeValue(for: \.age)
            person.age = 7
        }
        #expect(log.take() == ["0→7", "late 1→7"])
    }
}
