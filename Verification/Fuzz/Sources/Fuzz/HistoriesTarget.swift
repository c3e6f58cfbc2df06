// Changes that are kept and applied to copies: 7.1 and 7.5 of the contract.
import KeyValueObserving

/// Changes collections as the input says, and replays and undoes what was delivered.
enum HistoriesTarget {
    static func run(_ input: Input) {
        let node = FuzzNode()
        let owner = FuzzNode()
        owner.next = node
        let (numbers, tags, table) = (History([Int]()), History(Set<String>()), History([String: Int]()))
        let atPath = History([Int]())
        let tokens = [
            node.observe(\.numbers, options: [.old, .new]) { numbers.add($1) { $1.apply(to: &$0) } },
            node.observe(\.tags, options: [.old, .new]) { tags.add($1) { $1.apply(to: &$0) } },
            node.observe(\.table, options: [.old, .new]) { table.add($1) { $1.apply(to: &$0) } },
            owner.observe(\.next!.numbers, options: [.old, .new]) { atPath.add($1) { $1.apply(to: &$0) } },
        ]
        for _ in 0..<64 where !input.isEmpty {
            if input.number(8) == 0 {
                withKeyValueTransaction { for _ in 0..<input.number(4) { change(node, input) } }
            } else {
                change(node, input)
            }
        }
        numbers.check(node.numbers) { $1.apply(to: &$0) }
        atPath.check(node.numbers) { $1.apply(to: &$0) }
        tags.check(node.tags) { $1.apply(to: &$0) }
        table.check(node.table) { $1.apply(to: &$0) }
        withExtendedLifetime(tokens) {}
        owner.clear()
    }

    private static func change(_ node: FuzzNode, _ input: Input) {
        let (items, count) = (node.mutable(\.numbers), node.numbers.count)
        func positions(_ bound: Int) -> RangeSet<Int> {
            let bits = input.byte()
            return RangeSet((0..<min(8, bound)).filter { bits >> $0 & 1 == 1 }.map { $0..<($0 + 1) })
        }
        func new(_ count: Int) -> [Int] { (0..<count).map { _ in Int(input.byte()) } }
        switch input.number(18) {
        case 0: items.append(Int(input.byte()))
        case 1: items.insert(contentsOf: new(input.number(4)), at: input.number(count + 1))
        case 2: items.removeSubranges(positions(count))
        case 3:
            let positions = positions(count)
            items.replaceSubranges(positions, with: new(positions.ranges.reduce(0) { $0 + $1.count }))
        case 4:
            let start = input.number(count + 1)
            items.replaceSubrange(start..<(start + input.number(count - start + 1)), with: new(input.number(4)))
        case 5: items.moveSubranges(positions(count), to: input.number(count + 1))
        case 6: items.sort()
        case 7: items.reverse()
        case 8: node.numbers = new(input.number(5))
        case 9: node.numbers.append(Int(input.byte()))
        case 10: items.removeAll { $0.isMultiple(of: 3) }
        case 11: node.mutable(\.tags).insert(input.word())
        case 12: node.mutable(\.tags).remove(input.word())
        case 13: node.mutable(\.tags).formSymmetricDifference([input.word(), "a"])
        case 14: node.mutable(\.tags).formIntersection([input.word(), "a"])
        case 15: node.table[input.word()] = Int(input.byte())
        case 16: node.mutable(\.table)[input.word()] = Int(input.byte())
        default:
            // Announced by hand, around the same change made in another way.
            node.changeValue(for: \.numbers) { node.numbers = new(2) }
        }
    }
}

/// What was delivered of a property, with a copy to which it was applied.
private final class History<Value: Equatable> {
    private let first: Value
    private var copy: Value
    private var changes: [KeyValueObservedChange<Value>] = []

    init(_ first: Value) { (self.first, copy) = (first, first) }

    func add(_ change: KeyValueObservedChange<Value>, _ apply: (inout Value, KeyValueObservedChange<Value>) -> Void) {
        changes.append(change)
        apply(&copy, change)
    }

    func check(_ value: Value, _ apply: (inout Value, KeyValueObservedChange<Value>) -> Void) {
        require(copy == value, "7.5 replaying gives \(copy), not \(value)")
        for change in changes.reversed() {
            guard let inverse = change.inverse else { fatalError("7.1 \(change) has no inverse") }
            apply(&copy, inverse)
        }
        require(copy == first, "7.1 undoing gives \(copy), not \(first)")
    }
}
