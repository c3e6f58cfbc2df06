// Making in one property what was made in another.
import KeyValueObserving
import TestSupport
import Testing

private final class Bookcase: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var books = ["a", "b", "c"]
    @Observed var readers: Set<Int> = [1, 2]
    @Observed var prices = ["a": 1]
    @Observed var width = 0
}

@Suite("7.1 A property follows another one, element by element")
struct ApplyToViewTests {
    private let shelf = Bookcase()
    private let copy = Bookcase()
    private let log = Log()

    @Test("7.1 Changes of an array are made as changes of the same kind")
    func array() {
        let tokens = [
            shelf.observe(\.books, options: [.old, .new]) { [copy] in copy.mutable(\.books).apply($1) },
            copy.observe(\.books, options: [.old, .new]) { [log] in log.add($1) },
        ]
        let books = shelf.mutable(\.books)
        books.append("d")
        books.insert(contentsOf: ["x", "y"], at: RangeSet([0..<1, 2..<3]))
        books.removeSubranges(RangeSet([0..<1, 3..<4]))
        books.replaceSubranges(RangeSet([1..<2]), with: ["z"])
        shelf.books = []
        #expect(
            log.take() == [
                #"insertion ·→["d"]"#, #"insertion ·→["x", "y"]"#, #"removal ["x", "b"]→·"#,
                #"replacement ["y"]→["z"]"#, #"["a", "z", "c", "d"]→[]"#,
            ])
        #expect(copy.books == shelf.books)
        withExtendedLifetime(tokens) {}
    }

    @Test("7.2 Changes of a set are made as changes of the members that really come and go")
    func set() {
        let tokens = [
            shelf.observe(\.readers, options: [.old, .new]) { [copy] in copy.mutable(\.readers).apply($1) },
            copy.observe(\.readers, options: [.old, .new]) { [log] in log.add($1) },
        ]
        copy.readers.insert(7)
        _ = log.take()
        let readers = shelf.mutable(\.readers)
        readers.insert(7)
        readers.insert(3)
        readers.remove(1)
        #expect(copy.readers == [2, 3, 7])
        #expect(log.take() == ["insertion ·→[3]", "removal [1]→·"])
        (shelf.readers, copy.readers) = ([3], [3])
        _ = log.take()
        readers.set([4])
        #expect(log.take() == ["replacement [3]→[4]"])
        #expect(copy.readers == [4])
        withExtendedLifetime(tokens) {}
    }

    @Test("7.2 Changes of a dictionary are made as changes of the same kind")
    func dictionary() {
        let tokens = [
            shelf.observe(\.prices, options: [.old, .new]) { [copy] in copy.mutable(\.prices).apply($1) },
            copy.observe(\.prices, options: [.old, .new]) { [log] in log.add($1) },
        ]
        let prices = shelf.mutable(\.prices)
        prices.updateValue(2, forKey: "b")
        prices.updateValue(3, forKey: "b")
        prices.removeValue(forKey: "a")
        shelf.prices = ["z": 0]
        #expect(
            log.take() == [
                #"insertion ·→["b": 2]"#, #"replacement ["b": 2]→["b": 3]"#, #"removal ["a": 1]→·"#,
                #"["b": 3]→["z": 0]"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.1 A plain value is set, and what is still to come is left out")
    func plain() {
        let token = shelf.observe(\.width, options: [.prior, .new]) { [copy] in copy.mutable(\.width).apply($1) }
        shelf.width = 5
        #expect(copy.width == 5)
        withExtendedLifetime(token) {}
    }

    @Test("7.1 Elements where only a plain value is known trap with a sentence")
    func unknown() async {
        let shelf = Bookcase()
        follow(shelf.mutable(\.width), KeyValueObservedChange(kind: .setting, newValue: 3, keyPath: \Bookcase.width))
        #expect(shelf.width == 3)
        await #expect(processExitsWith: .failure) {
            follow(
                Bookcase().mutable(\.books),
                KeyValueObservedChange(
                    kind: .insertion, newValue: ["q"], indexes: RangeSet([0..<1]), keyPath: \Bookcase.books))
        }
    }
}

/// Code that knows nothing of the values.
private func follow<Value>(_ view: ObservedMutableProperty<Value>, _ change: KeyValueObservedChange<Value>) {
    view.apply(change)
}
