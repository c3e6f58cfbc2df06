// One property, written with key paths of several classes; and subscripts whose arguments have several types.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 4.1 One property, however its key path is written")
struct WrittenInManyWaysTests {
    private let log = Log()

    // MARK: Arguments

    @Test(
        "1.8 Arguments of a generic subscript may have types of different size and the same hash",
        .needsReadableKeyPaths)
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

    @Test(
        "4.1 A manual property of a protocol extension is one property, from whichever class it is changed and observed",
        .needsReadableKeyPaths,
        arguments: [false, true])
    func protocolExtension(isObservedAsSubclass: Bool) {
        let book = Novel()
        let tokens =
            isObservedAsSubclass
            ? [
                book.observe(\.mark, options: [.old, .new]) { [log] in log.add($1, as: "mark") },
                book.observe(\.doubled, options: [.old, .new]) { [log] in log.add($1, as: "doubled") },
            ]
            : [
                (book as Volume).observe(\.mark, options: [.old, .new]) { [log] in log.add($1, as: "mark") },
                (book as Volume).observe(\.doubled, options: [.old, .new]) { [log] in log.add($1, as: "doubled") },
            ]
        book.mark = 1
        #expect(log.take() == ["mark 0→1", "doubled 0→2"])
        (book as any Marked).mark = 2
        #expect(log.take() == ["mark 1→2", "doubled 2→4"])
        (book as Volume).mark = 3
        #expect(log.take() == ["mark 2→3", "doubled 4→6"])
        #expect(book.isObserved(\.mark) && (book as Volume).isObserved(\.mark))
        withExtendedLifetime(tokens) {}
    }

    // MARK: A manual subscript of a superclass

    @Test(
        "4.1 A manual subscript that a subclass announces notifies everybody",
        .needsReadableKeyPaths)
    func subscriptAnnouncedInSubclass() {
        let grid = FastGrid()
        let tokens = [
            grid.observe(\.sum, options: [.old, .new]) { [log] in log.add($1, as: "sum") },
            (grid as Grid).observe(\.[0], options: [.old, .new]) { [log] in log.add($1, as: "superclass") },
            grid.observe(\.[0], options: [.old, .new]) { [log] in log.add($1, as: "subclass") },
        ]
        grid.fill(5)
        #expect(log.take() == ["sum 0→5", "superclass 0→5", "subclass 0→5"])
        grid[0] = 6
        #expect(log.take() == ["sum 5→6", "superclass 5→6", "subclass 5→6"])
        grid[1] = 1
        #expect(log.take() == ["sum 6→7"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "4.1 D2 A manual subscript of a superclass is observed, and removed, as either class writes it",
        .needsReadableKeyPaths)
    func subscriptOfEitherClass() {
        let grid = FastGrid()
        let controller = KVOController(observer: log)
        controller.observe(grid as Grid, \.[1]) { log, _, _ in log.add("called") }
        #expect(grid.isObserved(\.[1]) && (grid as Grid).isObserved(\.[1]) && !grid.isObserved(\.[0]))
        controller.unobserve(grid, \.[1])
        grid[1] = 2
        #expect(log.take().isEmpty && !(grid as Grid).isObserved(\.[1]))
        controller.observe(grid, \.[1]) { log, _, _ in log.add("called") }
        controller.unobserve(grid as Grid, \.[1])
        grid[1] = 3
        #expect(log.take().isEmpty && !grid.isObserved(\.[1]))
    }

    @Test(
        "1.6 1.8 Arguments that count references are equal in all classes, and are let go",
        .needsReadableKeyPaths)
    func countedArguments() {
        weak var weakKey: Key?
        do {
            let grid = FastGrid()
            let key = Key(text: "a rather long text, which lies elsewhere")
            weakKey = key
            let same = Key(text: ["a rather long text,", "which lies elsewhere"].joined(separator: " "))
            let tokens = [
                (grid as Grid).observe(\.[cell: key], options: [.old, .new]) { [log] in log.add($1, as: "superclass") },
                grid.observe(\.[cell: key], options: [.old, .new]) { [log] in log.add($1, as: "subclass") },
            ]
            for value in 1...3 { grid.setCell(same, to: value) }
            #expect(
                log.take() == [
                    "superclass 0→1", "subclass 0→1", "superclass 1→2", "subclass 1→2", "superclass 2→3",
                    "subclass 2→3",
                ])
            grid.setCell(Key(text: "another"), to: 4)
            #expect(log.take().isEmpty && grid.isObserved(\.[cell: same]) && (grid as Grid).isObserved(\.[cell: same]))
            for token in tokens { token.invalidate() }
            #expect(!grid.isObserved(\.[cell: same]))
        }
        #expect(weakKey == nil)
    }

    @Test(
        "4.1 Announcing a subscript does not read it where nobody observes it: it may not be there yet",
        .needsReadableKeyPaths)
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
        "1.7 A16 A computed property of a superclass is one key path, as either class writes it",
        .needsReadableKeyPaths)
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

    @Test(
        "5.1 What a subclass declares of an inherited computed property holds however the key path is written",
        .needsReadableKeyPaths,
        arguments: [false, true])
    func declaredInSubclass(isObservedAsSuperclassFirst: Bool) {
        let index = Index()
        let base = { [log] in (index as Volume).observe(\.title, options: .new) { log.add($1, as: "superclass") } }
        let derived = { [log] in index.observe(\.title, options: .new) { log.add($1, as: "subclass") } }
        let tokens = isObservedAsSuperclassFirst ? [base(), derived()] : [derived(), base()]
        index.language = "de"
        #expect(log.take().sorted() == ["subclass ·→Index", "superclass ·→Index"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Guide: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var pages = 0

    subscript<Key: Hashable>(key: Key) -> String { "\(Key.self) \(pages)" }
}

private protocol Marked: KeyValueObservable {
    var storedMark: Int { get set }
}

extension Marked {
    fileprivate var mark: Int {
        get {
            accessValue(for: \.mark)
            return storedMark
        }
        set { changeValue(for: \.mark) { storedMark = newValue } }
    }
    fileprivate var doubled: Int { mark * 2 }
}

private class Volume: Marked {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var pages = 0
    var storedMark = 0

    var isLong: Bool { pages > 300 }
    var title: String { "Volume" }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> { [] }
}

private class Index: Volume {
    @Observed var language = "en"

    /// Reads nothing that is observed.
    override var title: String { "Index" }

    override class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Index.title ? [\Index.language] : super.keyPathsAffectingValue(for: keyPath)
    }
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
