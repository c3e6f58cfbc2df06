// Changes are made in copies, and undone: 7.1. Random programs do so with every change (7.5).
import KeyValueObserving
import TestSupport
import Testing

@Suite("7.1 Applying changes")
struct ApplyTests {
    @Test("7.1 Each change, applied to a copy in turn, gives the property's value, and its inverse the one before")
    func arrays() {
        let shelf = Bookcase()
        var copies = [shelf.books]
        let token = shelf.observe(\.books, options: [.old, .new, .prior]) { _, change in
            var copy = copies[copies.count - 1]
            change.apply(to: &copy)
            guard !change.isPrior else {
                #expect(copy == copies.last && change.inverse == nil)
                return
            }
            var undone = copy
            change.inverse?.apply(to: &undone)
            #expect(undone == copies.last)
            copies.append(copy)
        }
        let books = shelf.mutable(\.books)
        books.append(contentsOf: ["a", "b", "c", "d"])
        books.insert(contentsOf: ["x", "y"], at: RangeSet([1..<2, 4..<5]))
        books.replaceSubranges(RangeSet([0..<1, 3..<4]), with: ["p", "q"])
        books.removeSubranges(RangeSet([0..<1, 5..<6]))
        books.replaceSubrange(0..<1, with: ["m", "n"])
        books.moveSubranges(RangeSet(0..<2), to: 4)
        books.sort()
        shelf.books = ["z"]
        #expect(copies.last == shelf.books && copies.count == 11)
        withExtendedLifetime(token) {}
    }

    @Test("7.1 So it does for sets and dictionaries")
    func setsAndDictionaries() throws {
        let shelf = Bookcase()
        var (labels, prices) = (shelf.labels, shelf.prices)
        var undone: (Set<String>, [String: Int]) = ([], [:])
        let tokens = [
            shelf.observe(\.labels, options: [.old, .new, .prior]) { _, change in
                undone.0 = labels
                change.apply(to: &labels)
                #expect(!change.isPrior || labels == undone.0)
                var copy = labels
                change.inverse?.apply(to: &copy)
                #expect(copy == undone.0)
            },
            shelf.observe(\.prices, options: [.old, .new, .prior]) { _, change in
                undone.1 = prices
                change.apply(to: &prices)
                #expect(!change.isPrior || prices == undone.1)
                var copy = prices
                change.inverse?.apply(to: &copy)
                #expect(copy == undone.1)
            },
        ]
        shelf.mutable(\.labels).formUnion(["a", "b"])
        shelf.mutable(\.labels).set(["b", "c"])
        shelf.mutable(\.labels).subtract(["b"])
        shelf.labels = ["q"]
        shelf.mutable(\.prices)["a"] = 1
        shelf.mutable(\.prices)["a"] = 2
        shelf.mutable(\.prices).merge(["a": 3, "b": 4]) { $1 }
        shelf.mutable(\.prices)["a"] = nil
        #expect(labels == ["q"] && prices == ["b": 4] && labels == shelf.labels && prices == shelf.prices)
        withExtendedLifetime(tokens) {}
    }

    @Test("7.1 A change without the values it needs has no inverse")
    func incomplete() {
        let shelf = Bookcase()
        var inverses: [Bool] = []
        let tokens = [
            shelf.observe(\.books, options: .new) { inverses.append($1.inverse != nil) },
            shelf.observe(\.books, options: .old) { inverses.append($1.inverse != nil) },
        ]
        shelf.mutable(\.books).append("a")
        shelf.mutable(\.books).removeLast()
        shelf.books = ["b"]
        #expect(inverses == [true, false, false, true, false, false])
        withExtendedLifetime(tokens) {}
    }

    /// The line of the registration below, for its message.
    private static let withoutNew: UInt = 4711

    @Test("7.1 Applying a change without the value it needs traps, and says which option is missing")
    func missingOption() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = Bookcase()
            var copy = shelf.books
            let token = shelf.observe(\.books, options: .old, line: Self.withoutNew) { $1.apply(to: &copy) }
            shelf.mutable(\.books).append("a")
            withExtendedLifetime(token) {}
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("The insertion of books has no new value. Register with the option .new at "))
        #expect(message.contains("ApplyTests.swift:\(Self.withoutNew) to get it."))
    }
}

private final class Bookcase: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var books: [String] = []
    @Observed var labels: Set<String> = []
    @Observed var prices: [String: Int] = [:]
}
