// What prior handlers do to an array that is changed through a view by name: A19, 3.5.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

extension ArrayByKeyTests {
    @Test("A19 3.5 What a prior handler does to the array is kept by name as by key path", arguments: Call.allCases)
    func priors(call: Call) throws {
        for prior in Self.priors {
            let outcomes = try [false, true].map { isByName in
                let (customer, log) = (Customer(), Log())
                customer.tags = ["e", "d", "c", "b", "a"]
                var replica = customer.tags
                var isFirst = true
                let tokens = [
                    customer.observe(\.tags, options: .prior) { customer, change in
                        guard change.isPrior, isFirst else { return }
                        isFirst = false
                        prior(&customer.tags)
                    },
                    customer.observe(\.tags, options: [.old, .new]) { _, change in
                        log.addToMany(change)
                        change.apply(to: &replica)
                    },
                ]
                if isByName {
                    try call.make(in: customer.mutableArrayValue(forKey: "tags")) { $0 as? String ?? "" }
                } else {
                    call.make(in: customer.mutable(\.tags)) { $0 }
                }
                #expect(replica == customer.tags)
                withExtendedLifetime(tokens) {}
                return log.take()
            }
            #expect(outcomes[0] == outcomes[1])
        }
    }

    private static let priors: [@Sendable (inout [String]) -> Void] = [
        { $0.insert("z", at: 0) }, { $0.removeFirst() }, { $0.removeAll() }, { $0.reverse() },
    ]

    enum Call: CaseIterable, Sendable {
        case append, set, insert, remove, removeAll, replaceSubrange, sort, reverse, partition, swap, move

        /// Changes an array of strings, seen as an array of its elements or of any.
        fileprivate func make<Element>(in view: ObservedMutableArray<Element>, text: (Element) -> String) {
            guard let x = "x" as? Element else { return }
            switch self {
            case .append: view.append(x)
            case .set: view[4] = x
            case .insert: view.insert(contentsOf: [x, x], at: RangeSet(0, 6))
            case .remove: view.removeSubranges(RangeSet(0, 4))
            case .removeAll: view.removeAll()
            case .replaceSubrange: view.replaceSubrange(1..<3, with: [x])
            case .sort: view.sort { text($0) < text($1) }
            case .reverse: view.reverse()
            case .partition: _ = view.partition { text($0) > "c" }
            case .swap: view.swapAt(0, 4)
            case .move: view.moveSubranges(RangeSet(0, 1), to: 5)
            }
        }
    }
}
