// The objects that the targets use.
import KeyValueCoding
import KeyValueObserving

/// An object whose properties are reachable by name; it counts how many there are.
final class FuzzNode: KeyValueCodable {
    nonisolated(unsafe) static var alive = 0

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var ratio = 0.5
    @Observed var small: Int8 = 1
    @Observed var name = "n"
    @Observed var flag = false
    @Observed var maybe: Int?
    @Observed var next: FuzzNode?
    @Observed var list: [FuzzNode] = []
    @Observed var numbers: [Int] = []
    @Observed var ratios: [Double] = []
    @Observed var maybes: [Int?] = []
    @Observed var lists: [[Int]] = []
    @Observed var tags: Set<String> = []
    @Observed var table: [String: Int] = [:]
    let fixed = 3
    var double: Int { number &* 2 }

    init() { Self.alive += 1 }

    deinit { Self.alive -= 1 }

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "number": \FuzzNode.number, "ratio": \FuzzNode.ratio, "small": \FuzzNode.small, "name": \FuzzNode.name,
            "flag": \FuzzNode.flag, "maybe": \FuzzNode.maybe, "next": \FuzzNode.next, "list": \FuzzNode.list,
            "numbers": \FuzzNode.numbers, "ratios": \FuzzNode.ratios, "maybes": \FuzzNode.maybes,
            "lists": \FuzzNode.lists, "tags": \FuzzNode.tags, "table": \FuzzNode.table, "fixed": \FuzzNode.fixed,
            "double": \FuzzNode.double,
        ]
    }

    static let keys = keyPathsByKey.keys.sorted()

    /// A chain of three, with something in each collection.
    static func graph() -> FuzzNode {
        let nodes = (0..<3).map { _ in FuzzNode() }
        nodes[0].next = nodes[1]
        nodes[1].next = nodes[2]
        nodes[0].list = [nodes[1], nodes[2]]
        nodes[2].maybe = 7
        for (index, node) in nodes.enumerated() {
            node.number = index + 1
            node.name = "n\(index)"
            node.numbers = [3, 1, 3]
            node.ratios = [0.5, -1]
            node.maybes = [1, nil]
            node.lists = [[1, 2], [2]]
            node.tags = ["a", "b"]
            node.table = ["k": 1]
        }
        return nodes[0]
    }

    /// What is stored, to be compared.
    var snapshot: String {
        """
        \(number) \(ratio) \(small) \(name) \(flag) \(maybe as Any) \(next?.number as Any) \(list.map(\.number)) \
        \(numbers) \(ratios) \(maybes) \(lists) \(tags.sorted()) \(table.sorted { $0.key < $1.key })
        """
    }

    /// Ends circles: an input may lead an object to itself.
    func clear() {
        let (former, formerList) = (next, list)
        next = nil
        list = []
        for node in formerList + (former.map { [$0] } ?? []) where node.next != nil || !node.list.isEmpty {
            node.clear()
        }
    }

    /// Reads what must be there.
    func read(_ keyPath: String, promise: String) -> Any? {
        do {
            return try value(forKeyPath: keyPath)
        } catch {
            fatalError("\(promise) \(keyPath) cannot be read: \(error)")
        }
    }

    /// A number as a `Double`, to be compared.
    static func double(_ value: Any?) -> Double? {
        switch value {
        case let number as Int: Double(number)
        case let number as UInt64: Double(number)
        case let number as Int8: Double(number)
        case let number as Double: number
        case let number as Float: Double(number)
        default: nil
        }
    }
}
