// What changes through views cost: C16.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("C16 The cost of changes through views")
struct ViewCostTests {
    private let kept = Kept()
    private let stock = Stock()

    @Test("C16 A change of a few members or entries copies no others", arguments: [false, true])
    func copies(isObserved: Bool) {
        stock.numbers.reserveCapacity(10_000)
        stock.prices.reserveCapacity(10_000)
        if isObserved {
            stock.observe(\.numbers, options: [.old, .new]) { _, _ in }.store(in: kept)
            stock.observe(\.prices, options: [.old, .new]) { _, _ in }.store(in: kept)
        }
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
    }

    @Test("C16 removeAll releases the capacity, unless it is asked to keep it", arguments: [false, true])
    func room(isObserved: Bool) {
        if isObserved { [stock.observe(\.numbers) { _, _ in }, stock.observe(\.prices) { _, _ in }].store(in: kept) }
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
    }

    @Test("7.1 Inserting at many positions, and applying that, moves each element once")
    func manyPositions() {
        var copy = stock.shelf
        stock.observe(\.shelf, options: [.old, .new]) { _, change in
            change.apply(to: &copy)
            if change.kind == .insertion { change.inverse?.apply(to: &copy) }
        }.store(in: kept)
        let everySecond = RangeSet((0..<1000).map { 2 * $0..<2 * $0 + 1 })
        stock.mutable(\.shelf).insert(contentsOf: Array(repeating: 7, count: 1000), at: everySecond)
        #expect(stock.shelf.count == 2000 && stock.shelf.moves <= 2000)
        #expect(copy.count == 1000 && copy.moves <= 3000)
        #expect(Array(stock.shelf)[..<4] == [7, 0, 7, 0])
    }

    #if os(Linux)
    @Test(
        "8.2 Exchanging and moving elements by name makes no array of all others",
        .disabled(if: isUnderSanitizer, "the sanitizer reserves more than the limit"))
    func byName() async {
        await #expect(processExitsWith: .success) {
            let customer = Customer()
            customer.tags = Array(repeating: "a", count: 1_000_000)
            customer.tags[7] = "b"
            let tags = try customer.mutableArrayValue(forKey: "tags")
            // An array of so many values of any type has twice the size that is left.
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0.isNumber }
            let size = try #require(UInt(pages)) * UInt(getpagesize()) + 16_000_000
            var limit = rlimit(rlim_cur: size, rlim_max: size)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            tags.swapAt(7, 9)
            tags.moveSubranges(RangeSet(9..<10), to: 1)
            #expect(customer.tags[1] == "b")
        }
    }
    #endif
}

private final class Stock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var shelf = CountingArray(repeating: 0, count: 1000)
    @Observed var numbers = Set(0..<1000)
    @Observed var prices = Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, $0) })

    /// Where the elements are.
    var places: [UInt] { unsafe [unsafeBitCast(numbers, to: UInt.self), unsafeBitCast(prices, to: UInt.self)] }
}

/// Counts the elements that its changes move.
private struct CountingArray: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    private var elements: [Int] = []
    private(set) var moves = 0

    init() {}

    init(repeating element: Int, count: Int) { elements = Array(repeating: element, count: count) }

    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    subscript(position: Int) -> Int {
        get { elements[position] }
        set { elements[position] = newValue }
    }

    mutating func replaceSubrange(_ range: Range<Int>, with others: some Collection<Int>) {
        moves += elements.count - range.upperBound + others.count
        elements.replaceSubrange(range, with: others)
    }
}
