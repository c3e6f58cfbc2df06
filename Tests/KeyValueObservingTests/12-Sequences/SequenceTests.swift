// Changes and values as asynchronous sequences, and waiting for one of them: 12.1 to 12.4, 9.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("12 C19 Sequences")
struct SequenceTests {
    @Test("12.1 They begin when an iterator is made: values with the one that is there then")
    func beginning() async {
        let tank = Tank()
        let (changes, values) = (tank.changes(of: \.level), tank.values(of: \.level))
        tank.level = 1
        var (change, value) = (changes.makeAsyncIterator(), values.makeAsyncIterator())
        tank.level = 2
        #expect(await change.next().map(text(of:)) == "1→2")
        #expect(await [value.next(), value.next()] == [1, 2])
    }

    @Test("12.1 A change wakes an iteration that waits")
    func wakes() async {
        let tank = Tank()
        let iteration = Task {
            var numbers: [Int] = []
            for await number in tank.values(of: \.level) {
                numbers.append(number)
                if number == 1_000 { break }
                tank.level = number + 1
            }
            return numbers
        }
        #expect(await iteration.value == Array(0...1_000))
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("12.2 The object's death ends a waiting iteration, and is nil for a task that waits for one value")
    func objectDiesWhileWaiting() async {
        var tank: Tank? = Tank()
        let values = tank!.values(of: \.level)
        let (hasBegun, isSearching) = (Gate(), Gate())
        let iteration = Task {
            var count = 0
            for await _ in values {
                count += 1
                hasBegun.open()
            }
            return count
        }
        let search = Task {
            await values.first { _ in
                isSearching.open()
                return false
            }
        }
        await hasBegun.wait()
        await isSearching.wait()
        tank = nil
        #expect(await iteration.value == 1)
        #expect(await search.value == nil)
    }

    @Test("12.2 A canceled task's iteration ends, and its registration with it")
    func canceled() async {
        let tank = Tank()
        let hasBegun = Gate()
        let iteration = Task {
            var iterator = tank.values(of: \.level).makeAsyncIterator()
            _ = await iterator.next()
            hasBegun.open()
            let next = await iterator.next()
            #expect(tank.observationInfo.isEmpty)
            tank.level = 1
            return await (next, iterator.next())
        }
        await hasBegun.wait()
        iteration.cancel()
        #expect(await iteration.value == (nil, nil))
    }

    @Test("12.2 A task that was canceled before takes nothing")
    func canceledBefore() async {
        let tank = Tank()
        let isCanceled = Gate()
        let iteration = Task {
            var iterator = tank.values(of: \.level).makeAsyncIterator()
            await isCanceled.wait()
            return await iterator.next()
        }
        iteration.cancel()
        isCanceled.open()
        #expect(await iteration.value == nil)
        #expect(tank.observationInfo.isEmpty)
    }

    @Test("12.3 Neither the sequence nor an iterator keeps the object alive; a dead object's iterator ends at once")
    func lifetime() async {
        var tank: Tank? = Tank()
        weak let weakTank = tank
        let (changes, values) = (tank!.changes(of: \.level), tank!.values(of: \.level))
        var iterator = changes.makeAsyncIterator()
        tank = nil
        #expect(weakTank == nil)
        #expect(await iterator.next() == nil)
        var (late, lateValues) = (changes.makeAsyncIterator(), values.makeAsyncIterator())
        #expect(await late.next() == nil)
        #expect(await lateValues.next() == nil)
    }

    @Test("12.3 Iterators are independent, and each ends its registration when it is released")
    func iterators() async {
        let tank = Tank()
        let values = tank.values(of: \.level)
        #expect(tank.observationInfo.isEmpty)
        var first = values.makeAsyncIterator()
        do {
            var second = values.makeAsyncIterator()
            #expect(tank.observationInfo.count == 2)
            tank.level = 1
            #expect(await second.next() == 0)
            #expect(await second.next() == 1)
        }
        #expect(tank.observationInfo.count == 1)
        #expect(await first.next() == 0)
        #expect(await first.next() == 1)
    }

    @Test("12.4 The policy says what waits, the first value too")
    func buffering() async {
        let tank = Tank()
        var newest = tank.values(of: \.level).buffer(policy: .bufferingNewest(1)).makeAsyncIterator()
        var oldest = tank.values(of: \.level).buffer(policy: .bufferingOldest(2)).makeAsyncIterator()
        var changes = tank.changes(of: \.level).buffer(policy: .bufferingNewest(2)).makeAsyncIterator()
        for level in 1...5 { tank.level = level }
        #expect(tank.observationInfo.map(\.droppedCount) == [5, 4, 3])
        #expect(await newest.next() == 5)
        #expect(await oldest.next() == 0)
        #expect(await oldest.next() == 1)
        #expect(await changes.next().map(text(of:)) == "0→4")
        #expect(await changes.next().map(text(of:)) == "4→5")
    }

    @Test("12.4 An iteration that waits takes its change when it runs")
    @MainActor
    func waitingIteration() async {
        let tank = Tank()
        let log = CallLog()
        let hasBegun = Gate()
        let iteration = Task { @MainActor in
            var iterator = tank.changes(of: \.level, options: .new).buffer(policy: .bufferingNewest(2))
                .makeAsyncIterator()
            hasBegun.open()
            while let change = await iterator.next(isolation: MainActor.shared) { log.add(text(of: change)) }
        }
        await hasBegun.wait()
        for level in 1...5 { tank.level = level }
        #expect(await log.lines(2) == ["·→4", "·→5"])
        iteration.cancel()
        await iteration.value
    }
}

@Suite("12 Waiting for one value")
struct FirstValueTests {
    @Test("12.1 A value that comes later is waited for, whichever thread makes the change")
    func shared() async {
        let tank = Tank()
        let change = Task.detached { for level in 1...100 { tank.level = level } }
        #expect(await tank.values(of: \.level).first { $0 == 100 } == 100)
        await change.value
    }

    @Test("12.1 9.6 A model of the main actor is read there")
    @MainActor
    func onMainActor() async {
        let model = OfMainActor()
        let change = Task { model.isReady = true }
        let value = await model.values(of: \.isReady).first { $0 }
        #expect(value == true && model.observationInfo.isEmpty)
        await change.value
        let next = Task { model.isReady = false }
        #expect(await model.changes(of: \.isReady).first { $0.newValue == false }?.oldValue == true)
        await next.value
    }

    @Test("12.1 Each value is tested once, in order, until one satisfies the condition")
    func tested() async {
        let plain = Plain()
        let log = Log()
        var iterator = plain.changes(of: \.level, options: .new).makeAsyncIterator()
        let value = await plain.values(of: \.level).first { level in
            log.add("\(level)")
            if level < 3 { plain.level = level + 1 }
            return level == 2
        }
        #expect(value == 2 && log.lines == ["0", "1", "2"])
        // The change that was made last was not taken, and goes with the registration.
        #expect(plain.observationInfo.count == 1)
        #expect(await iterator.next()?.newValue == 1)
    }

    @Test("12.1 What the condition throws is thrown, and the registration ends")
    func throwing() async {
        struct Refusal: Error {}
        let tank = Tank()
        await #expect(throws: Refusal.self) { try await tank.values(of: \.level).first { _ in throw Refusal() } }
        #expect(tank.observationInfo.isEmpty)
    }
}

/// A model that belongs to whoever has it.
private final class Plain: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isReady = false
    @Observed var level = 0
}

@MainActor
private final class OfMainActor: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var isReady = false
}
