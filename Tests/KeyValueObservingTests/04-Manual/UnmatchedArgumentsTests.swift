// Pairs of calls whose arguments differ: 4.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.1 Pairs of different arguments")
struct UnmatchedArgumentsTests {
    @Test("4.1 A pair of different arguments traps, also where nobody observes the object", arguments: [false, true])
    func differentArguments(isObserved: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isObserved] in
            let playlist = Queue()
            let token = isObserved ? playlist.observe(\.songs) { _, _ in } : nil
            playlist.willChangeValue(for: \.songs)
            playlist.didChange(.insertion, valuesAt: RangeSet(0..<1), for: \.songs)
            withExtendedLifetime(token) {}
        }
        #expect(
            words(
                "Queue announced a change as a setting of the whole", "insertion at", "same arguments",
                missingIn: message(of: result)) == [])
    }

    @Test("4.1 So it does inside another pair", arguments: [false, true])
    func nested(isObserved: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isObserved] in
            let playlist = Queue()
            let token = isObserved ? playlist.observe(\.songs) { _, _ in } : nil
            playlist.willChange(.insertion, valuesAt: RangeSet(0..<1), for: \.songs)
            playlist.willChange(.removal, valuesAt: RangeSet(0..<1), for: \.songs)
            withExtendedLifetime(token) {}
        }
        #expect(words("Queue announced a change as", "and then one", missingIn: message(of: result)) == [])
    }

    @Test("4.1 A pair of the whole inside one of elements, or the other way round, belongs to the outer one")
    func wholeInElements() {
        let (playlist, log) = (Queue(), Log())
        let token = playlist.observe(\.songs, options: [.old, .new]) { log.add($1) }
        playlist.willChangeValue(for: \.songs)
        playlist.willChange(.insertion, valuesAt: RangeSet(0..<1), for: \.songs)
        playlist.songs = ["a"]
        playlist.didChange(.insertion, valuesAt: RangeSet(0..<1), for: \.songs)
        #expect(log.take() == [])
        playlist.didChangeValue(for: \.songs)
        #expect(log.take() == [#"[]→["a"]"#])
        withExtendedLifetime(token) {}
    }
}

private final class Queue: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var songs: [String] = []

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Queue.songs }
}
