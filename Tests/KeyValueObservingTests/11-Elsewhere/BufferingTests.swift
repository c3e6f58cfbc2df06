// How many changes may wait, and what follows those that were dropped: 11.4.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("11.4 12.4 C19 Buffering")
struct BufferingTests {
    private let tank = Tank()
    private let recorder = Recorder()

    /// The changes that arrive of those that are made while the recorder is busy, and then of one more.
    private func arrivals<Value: Sendable>(
        _ keyPath: any KeyPath<Tank, Value> & Sendable, options: KeyValueObservingOptions = [.old, .new],
        _ policy: KeyValueBufferingPolicy, count: Int, making changes: @Sendable (Tank) -> Void,
        then another: ((Tank) -> Void)? = nil
    ) async -> [String] {
        let token = await recorder.perform { [tank] recorder in
            let token = tank.observe(keyPath, options: options, on: recorder, bufferingPolicy: policy) { $0.add($1) }
            changes(tank)
            return token
        }
        var count = count
        _ = await recorder.lines(count)
        if let another {
            another(tank)
            count += 1
            _ = await recorder.lines(count)
        }
        // Whatever else had been delivered would be before this.
        let last = tank.observe(\.next, on: recorder) { recorder, _ in recorder.add("end") }
        tank.next = nil
        let lines = await recorder.lines(count + 1)
        withExtendedLifetime((token, last)) {}
        return lines
    }

    @Test("11.4 The newest wait: the last n arrive, and the first of them has the old value that was before the gap")
    func newest() async {
        let lines = await arrivals(\.level, .newest(3), count: 3) { for level in 1...10 { $0.level = level } }
        #expect(lines == ["0→8", "8→9", "9→10", "end"])
    }

    @Test(
        "11.4 The oldest wait: the first n arrive, and what comes later has the last value that was delivered as its old one"
    )
    func oldest() async {
        let lines = await arrivals(\.level, .oldest(3), count: 3) { for level in 1...10 { $0.level = level } }
        #expect(lines == ["0→1", "1→2", "2→3", "end"])
    }

    @Test("11.4 After a gap the old value is the last one that was delivered")
    func afterTheGap() async {
        let token = tank.observe(\.level, options: [.old, .new], on: recorder, bufferingPolicy: .oldest(1)) {
            $0.add($1)
        }
        await recorder.perform { [tank] _ in for level in 1...10 { tank.level = level } }
        #expect(await recorder.lines(1) == ["0→1"])
        tank.level = 11
        #expect(await recorder.lines(2) == ["0→1", "1→11"])
        #expect(tank.observationInfo.map(\.droppedCount) == [9])
        #expect(tank.observationInfo.map(\.deliveredCount) == [2])
        #expect(tank.observationDescription.hasSuffix("delivered 2, dropped 9"))
        withExtendedLifetime(token) {}
    }

    @Test("11.4 Dropped changes are counted")
    func dropped() async {
        let token = await recorder.perform { [tank] recorder in
            let token = tank.observe(\.level, on: recorder, bufferingPolicy: .newest(2)) { $0.add($1) }
            for level in 1...10 { tank.level = level }
            #expect(tank.observationInfo.map(\.droppedCount) == [8])
            return token
        }
        _ = await recorder.lines(2)
        #expect(tank.observationInfo.map(\.deliveredCount) == [2])
        withExtendedLifetime(token) {}
    }

    @Test(
        "11.4 A change whose handler has begun does not wait any more",
        arguments: [KeyValueBufferingPolicy.newest(2), .oldest(2)])
    func begun(policy: KeyValueBufferingPolicy) async {
        let token = tank.observe(\.level, options: .new, on: recorder, bufferingPolicy: policy) {
            [tank] recorder, change in
            recorder.add(change)
            guard change.newValue == 1 else { return }
            for level in 2...5 { tank.level = level }
        }
        tank.level = 1
        #expect(await recorder.lines(3) == (policy == .newest(2) ? ["·→1", "·→4", "·→5"] : ["·→1", "·→2", "·→3"]))
        withExtendedLifetime(token) {}
    }

    @Test("11.4 A dropped initial value is no old value")
    func droppedInitial() async {
        let lines = await arrivals(\.level, options: [.initial, .old, .new], .newest(1), count: 1) { tank in
            for level in 1...3 { tank.level = level }
        }
        #expect(lines == ["0→3", "end"])
    }

    @Test("11.4 After a dropped change of elements comes a setting of the whole, as it was at that change")
    func newestElements() async {
        let lines = await arrivals(\.tags, .newest(2), count: 2) { tank in
            for tag in ["a", "b", "c", "d"] { tank.mutable(\.tags).append(tag) }
        }
        #expect(lines == [#"[]→["a", "b", "c"]"#, #"insertion ·→["d"]"#, "end"])
    }

    @Test("11.4 So it is where the newest are dropped")
    func oldestElements() async {
        let token = tank.observe(\.tags, options: [.old, .new], on: recorder, bufferingPolicy: .oldest(2)) {
            $0.add($1)
        }
        await recorder.perform { [tank] _ in
            for tag in ["a", "b", "c", "d"] { tank.mutable(\.tags).append(tag) }
        }
        _ = await recorder.lines(2)
        tank.mutable(\.tags).removeFirst()
        tank.mutable(\.tags).append("e")
        #expect(
            await recorder.lines(4) == [
                #"insertion ·→["a"]"#, #"insertion ·→["b"]"#, #"["a", "b"]→["b", "c", "d"]"#, #"insertion ·→["e"]"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("11.4 10.2 In a transaction, too, the old value after dropped changes is the last value that was delivered")
    func oldestInTransaction() async {
        let lines = await arrivals(\.tags, .oldest(1), count: 1) { tank in
            withKeyValueTransaction { for tag in ["a", "b"] { tank.mutable(\.tags).append(tag) } }
        } then: {
            $0.mutable(\.tags).append("c")
        }
        #expect(lines == [#"insertion ·→["a"]"#, #"["a"]→["a", "b", "c"]"#, "end"])
    }

    @Test("11.4 10.2 In a transaction, too, a setting of the whole is as it was at the change")
    func newestInTransaction() async {
        let lines = await arrivals(\.tags, .newest(2), count: 2) { tank in
            withKeyValueTransaction {
                for tag in ["a", "b", "c"] { tank.mutable(\.tags).append(tag) }
                tank.tags = ["d"]
            }
        }
        #expect(lines == [#"[]→["a", "b", "c"]"#, #"["a", "b", "c"]→["d"]"#, "end"])
    }

    @Test("11.4 10.2 So it is where only old values are asked for")
    func onlyOldInTransaction() async {
        let lines = await arrivals(\.tags, options: .old, .oldest(1), count: 1) { tank in
            withKeyValueTransaction {
                tank.tags = ["a"]
                tank.mutable(\.tags).append("b")
            }
        } then: {
            $0.tags = ["c"]
        }
        #expect(lines == ["[]→·", #"["a"]→·"#, "end"])
    }

    @Test("11.4 A setting after dropped changes of elements has the whole old value")
    func settingAfterElements() async {
        tank.tags = ["z"]
        let lines = await arrivals(\.tags, .newest(1), count: 1) { tank in
            tank.mutable(\.tags).append("a")
            tank.tags = ["b"]
        }
        #expect(lines == [#"["z"]→["b"]"#, "end"])
    }

    @Test("11.4 A change of elements after a dropped setting is a setting of the whole")
    func elementsAfterSetting() async {
        let lines = await arrivals(\.tags, options: .new, .newest(1), count: 1) { tank in
            tank.tags = ["a", "b"]
            tank.mutable(\.tags).append("c")
        }
        #expect(lines == [#"·→["a", "b", "c"]"#, "end"])
    }

    @Test("11.4 A gap gives only the values that were asked for", arguments: [[], KeyValueObservingOptions.old, .new])
    func optionsAfterAGap(options: KeyValueObservingOptions) async {
        let lines = await arrivals(\.tags, options: options, .newest(1), count: 1) { tank in
            for tag in ["a", "b"] { tank.mutable(\.tags).append(tag) }
        }
        let expected = options == .old ? "[]→·" : options == .new ? #"·→["a", "b"]"# : "·→·"
        #expect(lines == [expected, "end"])
    }

    @Test("11.4 7.5 What arrives gives the property's value when it is replayed", arguments: [1, 2, 5], [false, true])
    func replay(bound: Int, isInTransactions: Bool) async {
        for policy in [KeyValueBufferingPolicy.newest(bound), .oldest(bound)] {
            let tank = Tank()
            let replica = Replica()
            let tags = tank.observe(\.tags, options: [.old, .new], on: replica, bufferingPolicy: policy) {
                $0.apply($1)
            }
            let members = tank.observe(\.members, options: [.old, .new], on: replica, bufferingPolicy: policy) {
                $0.apply($1)
            }
            let made = CallCount()
            let counting = [
                tank.observe(\.tags) { _, _ in made.count += 1 }, tank.observe(\.members) { _, _ in made.count += 1 },
            ]
            var generator = SplitMix(state: UInt64(bound))
            for round in 0..<200 {
                let count = Int.random(in: 1...8, using: &generator)
                let make = { for _ in 0..<count { Self.change(tank, using: &generator) } }
                if isInTransactions { withKeyValueTransaction(make) } else { make() }
                if round % 10 == 0 { await replica.pause() }
            }
            // When nothing waits, the next change of each closes the last gap.
            await Self.settle(tank, replica, made.count)
            tank.mutable(\.tags).append("end")
            tank.mutable(\.members).formUnion([1_000])
            await Self.settle(tank, replica, made.count)
            #expect(await replica.tags == tank.tags)
            #expect(await replica.members == tank.members)
            #expect(tank.observationInfo.contains { $0.droppedCount > 0 })
            withExtendedLifetime((tags, members, counting)) {}
        }
    }

    /// Returns when each change has been delivered or dropped.
    private static func settle(_ tank: Tank, _ replica: Replica, _ count: Int) async {
        while tank.observationInfo.filter({ $0.observer != nil }).map({ $0.deliveredCount + $0.droppedCount })
            .reduce(0, +) < count
        {
            await Task.yield()
        }
        await replica.pause()
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
        arguments: [(KeyValueBufferingPolicy.newest(1), "0→1"), (.oldest(1), "·→0")])
    func initialAmongChanges(policy: KeyValueBufferingPolicy, line: String) async {
        let tank = FillingTank()
        let token = await recorder.perform { recorder in
            tank.observe(\.shownLevel, options: [.initial, .old, .new], on: recorder, bufferingPolicy: policy) {
                $0.add($1)
            }
        }
        #expect(await recorder.lines(1) == [line])
        #expect(tank.observationInfo.map(\.droppedCount) == [1])
        tank.level = 9
        let lines = await recorder.lines(2)
        #expect(lines.count == 2 && lines[1].hasSuffix("→9"))
        withExtendedLifetime(token) {}
    }

    @Test("11.4 A policy with a number below 1 traps and says what to use")
    func numberBelowOne() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Tank().observe(\.level, on: Recorder(), bufferingPolicy: .newest(0)) { _, _ in }
        }
        #expect(words("level of Tank", "newest(0)", ".unbounded", missingIn: message(of: result)) == [])
        await #expect(processExitsWith: .failure) {
            _ = Tank().values(of: \.level, bufferingPolicy: .oldest(-1))
        }
    }

    @Test("11.4 So it does where changes of the property wait for others already")
    func numberBelowOneBesideOthers() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (tank, recorder) = (Tank(), Recorder())
            let tokens = await recorder.perform { recorder in
                let tokens = [KeyValueBufferingPolicy.newest(1), .oldest(1)].map { policy in
                    tank.observe(\.tags, options: [.initial, .old, .new], on: recorder, bufferingPolicy: policy) {
                        $0.add($1)
                    }
                }
                for tag in ["a", "b", "c"] { tank.mutable(\.tags).append(tag) }
                return tokens
            }
            _ = await recorder.lines(2)
            _ = tank.observe(\.tags, on: recorder, bufferingPolicy: .oldest(0)) { _, _ in }
            withExtendedLifetime(tokens) {}
        }
        #expect(words("tags of Tank", "oldest(0)", missingIn: message(of: result)) == [])
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

/// Makes in copies what is made in a tank.
private actor Replica {
    private(set) var tags: [String] = []
    private(set) var members: Set<Int> = []

    func apply(_ change: KeyValueObservedChange<[String]>) { change.apply(to: &tags) }

    func apply(_ change: KeyValueObservedChange<Set<Int>>) { change.apply(to: &members) }

    /// Returns when the handler that has begun is finished.
    func pause() {}
}
