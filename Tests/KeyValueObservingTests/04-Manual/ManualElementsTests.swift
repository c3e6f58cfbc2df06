// Elements of collections that notify manually: 4.1, 4.4 and section 7 of the contract, row C6 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.4 7 Elements of manual collections")
struct ManualElementsTests {
    private let playlist = Playlist()
    private let log = Log()

    private func observe(_ options: KeyValueObservingOptions = [.old, .new]) -> KeyValueObservation {
        playlist.observe(\.songs, options: options) { [log] in log.addToMany($1) }
    }

    // #163 #171 #214 #308
    @Test("4.4 7.1 Insertion, removal and replacement carry kind, indexes and elements (#158, #160, #172, #173)")
    func elements() {
        let token = observe([.old, .new, .prior])
        playlist.mutable(\.songs).append(contentsOf: ["a", "b"])
        playlist.mutable(\.songs)[1] = "x"
        playlist.mutable(\.songs).remove(at: 0)
        #expect(
            log.take() == [
                "prior insertion [0, 1] ·→·", #"insertion [0, 1] ·→["a", "b"]"#, #"prior replacement [1] ["b"]→·"#,
                #"replacement [1] ["b"]→["x"]"#, #"prior removal [0] ["a"]→·"#, #"removal [0] ["a"]→·"#,
            ])
        withExtendedLifetime(token) {}
    }

    // #188 #196 #197 #199 #200
    @Test("4.4 7.2 Mutations of a set carry the members that really come and go (#195–#201, #203)")
    func members() {
        let token = playlist.observe(\.tags, options: [.old, .new, .prior]) { [log] in log.addToMany($1) }
        let tags = playlist.mutable(\.tags)
        tags.formUnion([])
        tags.formUnion(["a", "b"])
        tags.formUnion(["b", "c"])
        tags.subtract(["a", "z"])
        tags.formIntersection(["b"])
        tags.set(["b", "d"])
        tags.set(["b", "d"])
        #expect(
            log.take() == [
                "prior insertion ·→·", #"insertion ·→["a", "b"]"#, "prior insertion ·→·", #"insertion ·→["c"]"#,
                #"prior removal ["a"]→·"#, #"removal ["a"]→·"#, #"prior removal ["c"]→·"#, #"removal ["c"]→·"#,
                "prior replacement []→·", #"replacement []→["d"]"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("6.6 A path ends at a property that notifies manually")
    func path() {
        let owner = PlaylistOwner()
        owner.playlist = playlist
        let tokens = [
            owner.observe(\.playlist?.songs, options: [.old, .new]) { [log] in log.addToMany($1) },
            owner.observe(\.playlist?.songs.count, options: [.old, .new]) { [log] in log.addToMany($1) },
            playlist.observe(\.summary, options: .new) { [log] in log.addToMany($1) },
        ]
        playlist.mutable(\.songs).append("a")
        #expect(log.take() == [#"insertion [0] ·→["a"]"#, "setting 0→1", "setting ·→a"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 C6 Changes inside a pair belong to it, whatever their kind (#187)")
    func nested() {
        let token = observe()
        playlist.willChangeValue(for: \.songs)
        playlist.mutable(\.songs).append("a")
        playlist.willChangeValue(for: \.songs)
        playlist.songs = ["b"]
        playlist.didChangeValue(for: \.songs)
        #expect(log.take() == [])
        playlist.didChangeValue(for: \.songs)
        playlist.didChangeValue(for: \.songs)
        #expect(log.take() == [#"setting []→["b"]"#])
        withExtendedLifetime(token) {}
    }
}

/// Announces everything manually.
final class Playlist: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedSongs: [String] = []
    private var storedTags: Set<String> = []

    var songs: [String] {
        get {
            accessValue(for: \.songs)
            return storedSongs
        }
        set {
            changeValue(for: \.songs) { storedSongs = newValue }
        }
    }
    var tags: Set<String> {
        get {
            accessValue(for: \.tags)
            return storedTags
        }
        set {
            changeValue(for: \.tags) { storedTags = newValue }
        }
    }
    var summary: String { songs.joined() }
}

private final class PlaylistOwner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var playlist: Playlist?
}
