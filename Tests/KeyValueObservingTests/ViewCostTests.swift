// What the views of sets and dictionaries cost: C16.
import KeyValueObserving
import Testing

@Suite("C16 The cost of changes through views")
struct ViewCostTests {
    private let stock = Stock()

    @Test("C16 A change of a few members or entries copies no others", arguments: [false, true])
    func copies(isObserved: Bool) {
        stock.numbers.reserveCapacity(10_000)
        stock.prices.reserveCapacity(10_000)
        let tokens =
            isObserved
            ? [
                stock.observe(\.numbers, options: [.old, .new]) { _, _ in },
                stock.observe(\.prices, options: [.old, .new]) { _, _ in },
            ] : []
        let (numbers, prices) = (stock.mutable(\.numbers), stock.mutable(\.prices))
        let places = stock.places
        numbers.insert(-1)
        numbers.update(with: 3)
        numbers.remove(-1)
        numbers.formUnion([-1, -2, 5])
        numbers.subtract([-1, 5])
        numbers.formSymmetricDifference([-2, -3])
        numbers.formIntersection(0..<999)
        numbers.set(Set(1..<1000))
        prices[-1] = 1
        prices[-1, default: 0] += 1
        prices[-1] = nil
        prices.merge([-1: 1, 3: 4]) { $0 + $1 }
        prices.merge([-2: 1]) { $0 + $1 }
        #expect(stock.places == places)
        #expect(stock.numbers == Set(1..<1000) && stock.prices.count == 1002 && stock.prices[3] == 7)
        withExtendedLifetime(tokens) {}
    }

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

    /// Where the elements are.
    var places: [UInt] { unsafe [unsafeBitCast(numbers, to: UInt.self), unsafeBitCast(prices, to: UInt.self)] }
}
