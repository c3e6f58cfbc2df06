// One property, written with key paths of several classes; and subscripts whose arguments have several types.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 4.1 One property, however its key path is written")
struct WrittenInManyWaysTests {
    private let log = Log()

    // MARK: Arguments

    @Test(
        "1.8 Arguments of a generic subscript may have types of different size and the same hash")
    func argumentsOfDifferentTypes() {
        let guide = Guide()
        let tokens = [
            guide.observe(\.["abc"], options: .new) { [log] in log.add("String \($1.newValue!)") },
            guide.observe(\.["abc".dropFirst(0)], options: .new) { [log] in log.add("Substring \($1.newValue!)") },
            guide.observe(\.[String(repeating: "ab", count: 20)], options: .new) { [log] _, _ in log.add("long") },
            guide.observe(\.[String(repeating: "ab", count: 20)[...]], options: .new) { [log] _, _ in log.add("slice")
            },
        ]
        guide.pages = 2
        #expect(
            log.take() == [
                "String String 2", "Substring Substring 2", "long", "slice",
            ])
        #expect(guide.isObserved(\.["abc"]) && guide.isObserved(\.["abc".dropFirst(0)]))
        #expect(!guide.isObserved(\.["abcd"]) && !guide.isObserved(\.["abcd".dropFirst(0)]))
        withExtendedLifetime(tokens) {}
    }

    @Test("1.8 Equal arguments of a generic subscript are one key path, wherever they are written")
    func equalArguments() {
        func observe<Key: Hashable & Sendable>(_ guide: Guide, _ key: Key) -> KeyValueObservation {
            guide.observe(\.[key], options: .new) { [log] in log.add("generic \($1.newValue!)") }
        }
        let guide = Guide()
        let tokens = [
            guide.observe(\.["abc"], options: .new) { [log] in log.add("first \($1.newValue!)") },
            guide.observe(\.[["ab", "c"].joined()], options: .new) { [log] in log.add("second \($1.newValue!)") },
            observe(guide, "abc"),
        ]
        guide.pages = 3
        #expect(log.take() == ["first String 3", "second String 3", "generic String 3"])
        let controller = KVOController(observer: log)
        controller.observe(guide, \.["abc"]) { _, _, _ in }
        controller.unobserve(guide, \.[["ab", "c"].joined()])
        #expect(guide.observationInfo.count == 3)
        withExtendedLifetime(tokens) {}
    }

    // MARK: A protocol extension

    // MARK: A manual subscript of a superclass

    @Test(
        "1.6 1.8 Arguments that count references are compared by what they are, and are let go")
    func countedArguments() {
        weak var weakKey: Key?
        do {
            let grid = FastGrid()
            let key = Key(text: "a rather long text, which lies elsewhere")
            weakKey = key
            let same = Key(text: ["a rather long text,", "which lies elsewhere"].joined(separator: " "))
            let tokens = [
                grid.observe(\.[cell: key], options: [.old, .new]) { [log] in log.add($1, as: "first") },
                grid.observe(\.[cell: same], options: [.old, .new]) { [log] in log.add($1, as: "second") },
            ]
            for value in 1...3 { grid.setCell(same, to: value) }
            #expect(
                log.take() == [
                    "first 0→1", "second 0→1", "first 1→2", "second 1→2", "first 2→3", "second 2→3",
                ])
            grid.setCell(Key(text: "another"), to: 4)
            #expect(log.take().isEmpty && grid.isObserved(\.[cell: same]))
            for token in tokens { token.invalidate() }
            #expect(!grid.isObserved(\.[cell: same]))
        }
        #expect(weakKey == nil)
    }

    @Test(
        "4.1 Announcing a subscript does not read it where nobody observes it: it may not be there yet")
    func announcedBeforeItIsThere() {
        let grid = FastGrid()
        let token = grid.observe(\.[0]) { [log] _, _ in log.add("called") }
        grid.append(7)
        #expect(grid[2] == 7 && log.take().isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test("5.1 A class is asked about a key path as it was written, also from a superclass that is not observable")
    func declaredFromUnobservableClass() {
        let album = Album()
        let token = album.observe(\.shown, options: .new) { [log] in log.add($1) }
        album.number = 1
        #expect(log.take() == ["·→0"])
        withExtendedLifetime(token) {}
    }

    // MARK: A computed property of a superclass

    @Test(
        "1.7 A16 A computed property of a superclass is one key path, as either class writes it")
    func computedOfEitherClass() throws {
        let novel = Novel()
        let token = novel.observe(\.isLong) { _, _ in }
        #expect((novel as Volume).isObserved(\.isLong))
        token.invalidate()
        #expect(!novel.isObserved(\.isLong))
        let controller = KVOController(observer: log, duplicates: .ignore)
        controller.observe(novel, \.isLong) { log, _, _ in log.add("first") }
        controller.observe(novel as Volume, \.isLong) { log, _, _ in log.add("second") }
        novel.pages = 500
        #expect(log.take() == ["first"])
        controller.unobserve(novel as Volume, \.isLong)
        novel.pages = 1
        #expect(log.take().isEmpty)
    }
}

private final class Guide: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var pages = 0

    subscript<Key: Hashable>(key: Key) -> String { "\(Key.self) \(pages)" }
}

private class Volume: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var pages = 0

    var isLong: Bool { pages > 300 }
}

private final class Novel: Volume {}

private class Sheet {
    var size: Int { 0 }
}

private final class Album: Sheet, KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0

    /// Depends on `number` by what the class declares.
    var shown: Int { size }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        if keyPath == \Album.shown { return [\Sheet.size] }
        return keyPath == \Sheet.size ? [\Album.number] : []
    }
}

private class Grid: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var cells = [0, 0]

    subscript(index: Int) -> Int {
        get {
            accessValue(for: \.[index])
            return cells[index]
        }
        set { changeValue(for: \.[index]) { cells[index] = newValue } }
    }

    var sum: Int { self[0] + self[1] }

    private var cellsByKey: [Key: Int] = [:]

    subscript(cell key: Key) -> Int {
        get {
            accessValue(for: \.[cell: key])
            return cellsByKey[key] ?? 0
        }
        set { cellsByKey[key] = newValue }
    }
}

/// Equal to others with the same text.
private final class Key: Hashable {
    let text: String

    init(text: String) {
        self.text = text
    }

    static func == (left: Key, right: Key) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

private final class FastGrid: Grid {
    func fill(_ value: Int) { changeValue(for: \.[0]) { cells[0] = value } }

    func setCell(_ key: Key, to value: Int) { changeValue(for: \.[cell: key]) { self[cell: key] = value } }

    func append(_ value: Int) { changeValue(for: \.[cells.count]) { cells.append(value) } }
}
