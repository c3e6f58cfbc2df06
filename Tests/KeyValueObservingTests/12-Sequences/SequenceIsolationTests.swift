// Sequences of a model that belongs to an actor: 12.1 and 9.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("12.1 9.6 Sequences of a main-actor model", .timeLimit(.minutes(2)))
struct SequenceIsolationTests {
    enum Kind: CaseIterable, Codable, Sendable { case values, changes, changesOfSeveral }

    @Test(
        "12.1 9.6 An iterator that is made outside the actor traps with a sentence",
        .enabled(if: RuntimeAssumption.executors.holds), arguments: Kind.allCases)
    func outside(kind: Kind) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let screen = LevelPanel()
            switch kind {
            case .values:
                let values = await screen.values
                await Task.detached { for await _ in values {} }.value
            case .changes:
                let changes = await screen.changes
                await Task.detached { for await _ in changes {} }.value
            case .changesOfSeveral:
                let changes = await screen.changesOfSeveral
                await Task.detached { for await _ in changes {} }.value
            }
        }
        #expect(words("LevelPanel", "MainActor", "SequenceIsolationTests.swift", missingIn: message(of: result)) == [])
        #expect(message(of: result).contains(/SequenceIsolationTests.swift:\d+: Fatal error/))
    }

    @Test("12.1 On the actor it gives the values, each once")
    @MainActor
    func inside() async {
        let screen = LevelPanel()
        var values = screen.values.makeAsyncIterator()
        var changes = screen.changes.makeAsyncIterator()
        var changesOfSeveral = screen.changesOfSeveral.makeAsyncIterator()
        screen.level = 1
        #expect(await values.next() == 0)
        #expect(await values.next() == 1)
        #expect(await changes.next().map(text(of:)) == "0→1")
        #expect(await changesOfSeveral.next().map(text(of:)) == "0→1")
    }

    @Test("12.1 A stream that was made on the actor is iterated anywhere, from the change that follows its making")
    @MainActor
    func stream() async {
        let screen = LevelPanel()
        let levels = screen.values.stream()
        screen.level = 1
        let first = await Task.detached {
            var iterator = levels.makeAsyncIterator()
            return await [iterator.next(), iterator.next()]
        }.value
        #expect(first == [0, 1])
    }

    @Test("12.1 A sequence of a property that any thread may read may be iterated anywhere, wherever it was made")
    @MainActor
    func sharedModel() async {
        let gauge = SharedGauge()
        let (values, changes) = (gauge.values(of: \.level), gauge.changes(of: \.level))
        let first = await Task.detached {
            var iterator = values.makeAsyncIterator()
            return await iterator.next()
        }.value
        let change = await Task.detached {
            var iterator = changes.makeAsyncIterator()
            gauge.level = 3
            return await iterator.next()?.newValue
        }.value
        #expect(first == 0 && change == 3)
    }

    @Test("12.2 Tasks that await copies of one iterator all end when the object dies")
    @MainActor
    func copies() async {
        var screen: LevelPanel? = LevelPanel()
        let iterator = screen!.changes.makeAsyncIterator()
        let tasks = (0..<2).map { _ in
            Task {
                var copy = iterator
                return await copy.next() == nil
            }
        }
        for _ in 0..<10 { await Task.yield() }
        screen = nil
        for task in tasks { #expect(await task.value) }
    }
}

@MainActor
private final class LevelPanel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    @Observed var title = ""

    var values: KeyValueSequence<Int> { values(of: \.level) }
    var changes: KeyValueSequence<KeyValueObservedChange<Int>> { changes(of: \.level) }
    var changesOfSeveral: KeyValueSequence<KeyValueObservedChange<any Sendable>> { changes(of: \.level, \.title) }
}
