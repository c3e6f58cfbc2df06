// What views of collections do in the cases that come up seldom: 7.1 to 7.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7 C16 Views of collections, in the cases that come up seldom")
struct ArrayDetailTests {
    private let person = Person()

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
}

private final class Shop: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var prices: [String: Int] = [:]
}
