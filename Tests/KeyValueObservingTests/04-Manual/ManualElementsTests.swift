// Announcing changes of elements by hand: 4.1 and section 7 of the contract, row C6 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4 7 Manual changes of elements")
struct ManualElementsTests {
    private let playlist = Playlist()
    private let log = Log()

    private func observe(_ options: KeyValueObservingOptions = [.old, .new]) -> KeyValueObservation {
        playlist.observe(\.songs, options: options) { [log] in log.addToMany($1) }
    }

    @Test("4.1 7.1 Insertion, removal and replacement carry kind, indexes and elements (#158, #160, #172, #173)")
    func elements() {
        let token = observe([.old, .new, .prior])
        playlist.change(.insertion, at: RangeSet(0, 1)) { $0 = ["a", "b"] }
        playlist.change(.replacement, at: RangeSet(1)) { $0[1] = "x" }
        playlist.change(.removal, at: RangeSet(0)) { $0.removeFirst() }
        #expect(
            log.take() == [
                "prior insertion [0, 1] ·→·", #"insertion [0, 1] ·→["a", "b"]"#, #"prior replacement [1] ["b"]→·"#,
                #"replacement [1] ["b"]→["x"]"#, #"prior removal [0] ["a"]→·"#, #"removal [0] ["a"]→·"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 An announcement that a member makes while it is compared for another one belongs to the same change")
    func announcedByAMember() {
        let cabinet = Cabinet(tags: [Tag(name: "b")])
        let token = cabinet.observe(\.tags) { [log] _, _ in log.add("called") }
        let tags: Set = [Tag(name: "a")]
        Tag.whenCompared.withLock { whenCompared in
            whenCompared = { cabinet.willChangeValue(for: \.tags, withSetMutation: .union, using: tags) }
        }
        cabinet.willChangeValue(for: \.tags, withSetMutation: .union, using: tags)
        #expect(Tag.whenCompared.withLock { $0 == nil })
        cabinet.didChangeValue(for: \.tags, withSetMutation: .union, using: tags)
        #expect(log.take() == [])
        cabinet.didChangeValue(for: \.tags, withSetMutation: .union, using: tags)
        #expect(log.take() == ["called"])
        withExtendedLifetime(token) {}
    }

    @Test("7.2 An announcement of no element is delivered to nobody")
    func nothing() {
        let token = observe([.prior])
        playlist.change(.insertion, at: RangeSet<Int>()) { _ in }
        playlist.mutate(.union, []) { _ in }
        #expect(log.take() == [])
        playlist.change(.insertion, at: RangeSet(0)) { $0 = ["a"] }
        #expect(log.take().count == 2)
        withExtendedLifetime(token) {}
    }

    @Test("7.2 The mutations of a set carry the members that really come and go (#195–#201, #203)")
    func members() {
        let token = playlist.observe(\.tags, options: [.old, .new, .prior]) { [log] in log.addToMany($1) }
        playlist.mutate(.union, ["a", "b"]) { $0 = ["a", "b"] }
        playlist.mutate(.union, ["b", "c"]) { $0.formUnion(["b", "c"]) }
        playlist.mutate(.minus, ["a", "z"]) { $0.subtract(["a", "z"]) }
        playlist.mutate(.intersect, ["b"]) { $0.formIntersection(["b"]) }
        playlist.mutate(.set, ["b", "d"]) { $0 = ["b", "d"] }
        playlist.mutate(.set, ["b", "d"]) { $0 = ["b", "d"] }
        #expect(
            log.take() == [
                "prior insertion ·→·", #"insertion ·→["a", "b"]"#, "prior insertion ·→·", #"insertion ·→["c"]"#,
                #"prior removal ["a"]→·"#, #"removal ["a"]→·"#, #"prior removal ["c"]→·"#, #"removal ["c"]→·"#,
                "prior replacement []→·", #"replacement []→["d"]"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("4.1 An observed property may be announced by hand; what is set in between belongs to it")
    func observedProperty() {
        let band = Band(["a"])
        let root = Band()
        root.rival = band
        let tokens = [
            band.observe(\.members, options: [.old, .new]) { [log] in log.addToMany($1) },
            band.observe(\.size, options: .new) { [log] in log.addToMany($1, as: "size") },
            root.observe(\.rival?.members, options: .new) { [log] in log.addToMany($1, as: "path") },
        ]
        band.willChange(.insertion, valuesAt: RangeSet(1), for: \.members)
        band.members.append("b")
        band.mutable(\.members)[0] = "x"
        band.didChange(.insertion, valuesAt: RangeSet(1), for: \.members)
        #expect(log.take() == [#"insertion [1] ·→["b"]"#, "size setting ·→2", #"path insertion [1] ·→["b"]"#])
        withExtendedLifetime(tokens) {}
    }

    @Test("6.6 A path ends at a property that notifies by hand")
    func path() {
        let owner = PlaylistOwner()
        owner.playlist = playlist
        let tokens = [
            owner.observe(\.playlist?.songs, options: [.old, .new]) { [log] in log.addToMany($1) },
            owner.observe(\.playlist?.songs.count, options: [.old, .new]) { [log] in log.addToMany($1) },
            playlist.observe(\.summary, options: .new) { [log] in log.addToMany($1) },
        ]
        playlist.change(.insertion, at: RangeSet(0)) { $0 = ["a"] }
        #expect(log.take() == [#"insertion [0] ·→["a"]"#, "setting 0→1", "setting ·→a"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.1 With the kind .setting it is an announcement of the value")
    func setting() {
        let token = observe()
        playlist.change(.setting, at: RangeSet(0)) { $0 = ["a", "b"] }
        #expect(log.take() == [#"setting []→["a", "b"]"#])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 Pairs inside a pair belong to it: of the value, or of the same elements")
    func nested() {
        let token = observe()
        playlist.willChangeValue(for: \.songs)
        playlist.change(.insertion, at: RangeSet(0)) { $0 = ["a"] }
        #expect(log.take() == [])
        playlist.didChangeValue(for: \.songs)
        #expect(log.take() == [#"setting []→["a"]"#])

        playlist.willChange(.insertion, valuesAt: RangeSet(1), for: \.songs)
        playlist.willChangeValue(for: \.songs)
        playlist.change(.insertion, at: RangeSet(1)) { $0.append("b") }
        playlist.didChangeValue(for: \.songs)
        playlist.didChange(.insertion, valuesAt: RangeSet(1), for: \.songs)
        playlist.didChange(.insertion, valuesAt: RangeSet(1), for: \.songs)
        #expect(log.take() == [#"insertion [1] ·→["b"]"#])
        withExtendedLifetime(token) {}
    }

    @Test("4.1 Announcing costs nothing and checks nothing while nobody observes")
    func unobserved() {
        playlist.change(.removal, at: RangeSet(7)) { $0 = ["a"] }
        #expect(playlist.songs == ["a"])
    }

    static let wrongUses: [(use: @Sendable (Playlist) -> Void, sentence: String)] = [
        (
            { $0.change(.removal, at: RangeSet(1)) { _ in } },
            "at index 1, but its count is 1"
        ),
        // #180: what was announced did not happen.
        ({ $0.change(.insertion, at: RangeSet(1)) { _ in } }, "at index 1, but its count is 1"),
        // #187
        (
            {
                $0.willChange(.insertion, valuesAt: RangeSet(0), for: \.songs)
                $0.willChange(.insertion, valuesAt: RangeSet(1), for: \.songs)
            }, "end a change of elements before the next one begins"
        ),
        (
            {
                $0.willChange(.insertion, valuesAt: RangeSet(0), for: \.songs)
                $0.didChange(.removal, valuesAt: RangeSet(0), for: \.songs)
            }, "Call willChange and didChange with the same arguments"
        ),
        ({ $0.willChange(.removal, valuesAt: RangeSet(0), for: \.summary) }, "which is a String and not an array"),
    ]

    @Test("4.1 7.3 Wrong announcements trap with a sentence (#180, #187)", arguments: wrongUses.indices)
    func traps(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            let playlist = Playlist()
            playlist.change(.insertion, at: RangeSet(0)) { $0 = ["a"] }
            let tokens = [
                playlist.observe(\.songs, options: [.old, .new]) { _, _ in },
                playlist.observe(\.summary, options: [.old, .new]) { _, _ in },
            ]
            Self.wrongUses[index].use(playlist)
            withExtendedLifetime(tokens) {}
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(Self.wrongUses[index].sentence))
    }
}

/// Announces everything by hand.
final class Playlist: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedSongs: [String] = []
    private var storedTags: Set<String> = []

    var songs: [String] {
        accessValue(for: \.songs)
        return storedSongs
    }
    var tags: Set<String> {
        accessValue(for: \.tags)
        return storedTags
    }
    var summary: String { songs.joined() }

    func change(_ kind: KeyValueChange, at indexes: RangeSet<Int>, _ body: (inout [String]) -> Void) {
        willChange(kind, valuesAt: indexes, for: \.songs)
        body(&storedSongs)
        didChange(kind, valuesAt: indexes, for: \.songs)
    }

    func mutate(_ kind: KeyValueSetMutationKind, _ members: Set<String>, _ body: (inout Set<String>) -> Void) {
        willChangeValue(for: \.tags, withSetMutation: kind, using: members)
        body(&storedTags)
        didChangeValue(for: \.tags, withSetMutation: kind, using: members)
    }
}

private final class PlaylistOwner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var playlist: Playlist?
}

private final class Cabinet: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var tags: Set<Tag>

    init(tags: Set<Tag>) { self.tags = tags }
}

private struct Tag: Hashable {
    /// Called once.
    static let whenCompared = Guarded<(() -> Void)?>(nil)
    let name: String

    static func == (left: Tag, right: Tag) -> Bool {
        let whenCompared = whenCompared.withLock { whenCompared in
            defer { whenCompared = nil }
            return whenCompared
        }
        whenCompared?()
        return left.name == right.name
    }

    func hash(into hasher: inout Hasher) {}
}
