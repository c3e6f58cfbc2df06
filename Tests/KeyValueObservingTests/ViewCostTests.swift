// What the views of sets and dictionaries cost: C16.
import KeyValueObserving
import Testing

@Suite("C16 The cost of changes through views")
struct ViewCostTests {
    private let stock = Stock()

    @Test("C16 removeAll gives back the room for elements, unless it is told to keep it", arguments: [false, true])
    func room(isObserved: Bool) {
        let tokens = isObserved ? [stock.observe(\.numbers) { _, _ in }, stock.observe(\.prices) { _, _ in }] : []
        stock.mutable(\.numbers).removeAll(keepingCapacity: true)
        stock.mutable(\.prices).removeAll(keepingCapacity: true)
        #expect(stock.numbers.isEmpty && stock.numbers.capacity >= 1000)
        #expect(stock.prices.isEmpty && stock.prices.capacity >= 1000)
        stock.numbers.insert(1)
        stock.prices[1] = 1
        stock.mutable(\.numbers).removeAll()
        stock.mutable(\.prices).removeAll()
        #expect(stock.numbers.isEmpty && stock.numbers.capacity == 0)
        #expect(stock.prices.isEmpty && stock.prices.capacity == 0)
        withExtendedLifetime(tokens) {}
    }
}

private final class Stock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var numbers = Set(0..<1000)
    @Observed var prices = Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, $0) })
}
