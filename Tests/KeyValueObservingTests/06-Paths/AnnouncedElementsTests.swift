// Elements of a property that are announced manually around an access in place to it: 6.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("6.6 Elements announced around an access in place")
struct AnnouncedElementsTests {
    private let log = Log()

    @Test(
        "6.6 Insertions, removals and replacements keep their kind at the end of a path, whatever its observers asked for",
        arguments: [[], .old, [.old, .new, .prior]] as [KeyValueObservingOptions],
        [.insertion, .removal, .replacement] as [KeyValueChange])
    func arrays(options: KeyValueObservingOptions, kind: KeyValueChange) {
        let (band, other) = (Band(["a", "b"]), Band())
        other.rival = band
        let tokens = [
            band.observe(\.members, options: [.old, .new]) { log.add("\($1.kind)") },
            other.observe(\.rival!.members, options: options) {
                log.add("path \($1.isPrior ? "prior " : "")\($1.kind)")
            },
        ]
        band.willChange(kind, valuesAt: RangeSet(1), for: \.members)
        switch kind {
        case .insertion: band.members.insert("c", at: 1)
        case .removal: band.members.remove(at: 1)
        default: band.members[1] = "c"
        }
        band.didChange(kind, valuesAt: RangeSet(1), for: \.members)
        let prior = options.contains(.prior) ? ["path prior \(kind)"] : []
        #expect(log.take() == prior + ["\(kind)", "path \(kind)"])
        withExtendedLifetime(tokens) {}
    }

    @Test("6.6 So does a union of a set", arguments: [[], .old] as [KeyValueObservingOptions])
    func sets(options: KeyValueObservingOptions) {
        let (band, other) = (Band(genres: ["a"]), Band())
        other.rival = band
        let token = other.observe(\.rival!.genres, options: options) { log.addToMany($1) }
        band.willChangeValue(for: \.genres, withSetMutation: .union, using: ["b"])
        for genre in ["b", "b"] { band.genres.insert(genre) }
        band.didChangeValue(for: \.genres, withSetMutation: .union, using: ["b"])
        #expect(log.take() == ["insertion ·→·"])
        withExtendedLifetime(token) {}
    }

    @Test("6.6 If the path was led to another array meanwhile, it is a setting")
    func ledElsewhere() {
        let (band, second, other) = (Band(["a"]), Band(["x", "y"]), Band())
        other.rival = band
        let token = other.observe(\.rival!.members, options: [.old, .new]) { log.addToMany($1) }
        band.willChange(.insertion, valuesAt: RangeSet(1), for: \.members)
        band.members.append("b")
        other.rival = second
        #expect(log.take() == [#"setting ["a"]→["x", "y"]"#])
        band.didChange(.insertion, valuesAt: RangeSet(1), for: \.members)
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }
}
