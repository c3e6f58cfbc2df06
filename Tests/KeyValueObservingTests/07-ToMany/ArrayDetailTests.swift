// What views of collections do in the cases that come up seldom: 7.1 to 7.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7 C16 Views of collections, in the cases that come up seldom")
struct ArrayDetailTests {
    private let person = Person()

    /// Calls `body` once, right before the next change of the tags.
    private func beforeNext(_ body: @escaping (Person) -> Void) -> KeyValueObservation {
        var isFirst = true
        return person.observe(\.tags, options: .prior) { person, change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            body(person)
        }
    }

    @Test("7.1 3.4 What is inserted at a position goes there, though a prior handler has made the array longer")
    func insertionAfterPrior() {
        person.tags = ["a", "b"]
        let token = beforeNext { $0.tags = ["a", "b", "c"] }
        person.mutable(\.tags).insert("x", at: 1)
        #expect(person.tags == ["a", "x", "b", "c"])
        withExtendedLifetime(token) {}
    }

    @Test("7.1 3.4 What is appended stays at the end, though a prior handler has made the array longer")
    func appendingAfterPrior() {
        person.tags = ["a", "b"]
        let token = beforeNext { $0.tags = ["a", "b", "c"] }
        person.mutable(\.tags).append(contentsOf: ["x", "y"])
        #expect(person.tags == ["a", "b", "c", "x", "y"])
        withExtendedLifetime(token) {}
    }

    @Test("7.2 7.3 A range from the end, and the removal of nothing, are in range and deliver nothing")
    func emptyRanges() {
        let log = Log()
        let token = person.observe(\.tags, options: [.old, .new, .prior]) { _, change in log.add(change) }
        let view = person.mutable(\.tags)
        view.removeAll()
        view.removeSubrange(0...)
        #expect(log.take() == [])
        person.tags = ["a", "b"]
        _ = log.take()
        view.removeSubrange(2...)
        view.removeSubrange(..<0)
        #expect(person.tags == ["a", "b"] && log.take() == [])
        withExtendedLifetime(token) {}
    }

    @Test("7.3 The sentence names the position, also where adding to it overflows, and a count below 0")
    func overflow() async {
        let far = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Person().mutable(\.tags).insert("x", at: Int.max)
        }
        #expect(message(of: far).contains("Index \(Int.max) is out of range of tags of a Person"))
        let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Person().mutable(\.tags).removeFirst(-3)
        }
        #expect(message(of: negative).contains("Index -3 is out of range"))
        let below = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            person.tags = ["a", "b"]
            person.mutable(\.tags).removeLast(5)
        }
        #expect(message(of: below).contains("Index -3 is out of range of tags of a Person, whose indices are 0..<2."))
        let several = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Person().mutable(\.tags).insert(contentsOf: ["x"], at: RangeSet(-1..<0))
        }
        #expect(message(of: several).contains("Index -1 is out of range"))
    }

    @Test("7.1 Removing everything gives the memory back, unless it is to be kept")
    func capacity() {
        let tags = (0..<100).map { "\($0)" }
        person.tags = tags
        person.mutable(\.tags).removeAll(keepingCapacity: true)
        #expect(person.tags.capacity >= 100)
        person.tags = tags
        person.mutable(\.tags).removeAll()
        #expect(person.tags.capacity == 0)
    }

    @Test("7.1 A view of a dictionary returns what it replaces and removes")
    func dictionary() {
        let shop = Shop()
        shop.prices = ["a": 1]
        let view = shop.mutable(\.prices)
        #expect(view.updateValue(2, forKey: "a") == 1 && view.updateValue(3, forKey: "b") == nil)
        #expect(view.removeValue(forKey: "b") == 3 && view.removeValue(forKey: "b") == nil)
        #expect(shop.prices == ["a": 2])
    }

    @Test("7.1 3.4 Entries that a prior handler adds under other keys stay when an entry is inserted")
    func dictionaryAfterPrior() {
        let shop = Shop()
        var isFirst = true
        let token = shop.observe(\.prices, options: .prior) { shop, change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            shop.prices = ["b": 2]
        }
        shop.mutable(\.prices).updateValue(1, forKey: "a")
        #expect(shop.prices == ["a": 1, "b": 2])
        withExtendedLifetime(token) {}
    }

    @Test("7.4 A slice of a view that takes another slice is a replacement; its own slice changes nothing more")
    func slices() {
        let log = Log()
        person.tags = ["a", "b", "c", "d"]
        let token = person.observe(\.tags, options: [.old, .new]) { _, change in log.add(change) }
        let view = person.mutable(\.tags)
        view[0..<2].reverse()
        #expect(person.tags == ["b", "a", "c", "d"])
        _ = log.take()
        view[0..<2] = view[0..<2]
        #expect(log.take() == [])
        view[0..<2] = view[2..<4]
        #expect(person.tags == ["c", "d", "c", "d"] && log.take().count == 1)
        withExtendedLifetime(token) {}
    }

    @Test("7.4 A view that only reads says whether it is empty, as things are")
    func emptiness() {
        let shop = Shop()
        let view = shop.mutable(\.prices)
        #expect(view.isEmpty)
        shop.prices = ["a": 1]
        #expect(!view.isEmpty && view.count == 1)
    }
}

private final class Shop: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var prices: [String: Int] = [:]
}
