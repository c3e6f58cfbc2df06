// Collection operators: 8.6 of the contract.
import KeyValueCoding
import KeyValueObserving

/// Applies operators to collections that the input makes, and compares with a plain computation.
enum OperatorsTarget {
    static func run(_ input: Input, _ root: FuzzNode) {
        let count = input.number(6)
        root.list = (0..<count).map { _ in
            let node = FuzzNode()
            node.number = Int(Int8(bitPattern: input.byte()))
            node.ratio = ratio(input)
            node.maybe = input.number(3) == 0 ? nil : input.number(5)
            node.numbers = (0..<input.number(4)).map { _ in input.number(4) }
            node.name = ["a", "b", "é"][input.number(3)]
            node.table = ["k": input.number(2)]
            return node
        }
        root.maybes = root.list.map(\.maybe)
        root.lists = root.list.map(\.numbers)
        root.ratios = root.list.map(\.ratio)
        root.numbers = root.list.map(\.number)
        compare(root)
        // Any text after the operator, or in its place.
        let text = input.text()
        for keyPath in ["list.@\(text)", "lists.@\(text)", "@\(text)", "list.\(text)", text] {
            guard let value = try? root.value(forKeyPath: keyPath) else { continue }
            let again = try? root.value(forKeyPath: keyPath)
            let (first, second) = (KeyPathsTarget.text(value), KeyPathsTarget.text(again ?? nil))
            require(first == second, "8.6 \(keyPath) is \(first), then \(second)")
        }
    }

    private static func ratio(_ input: Input) -> Double {
        switch input.number(8) {
        case 0: .nan
        case 1: .infinity
        case 2: -0.0
        case 3: Double(bitPattern: input.bits())
        default: Double(Int8(bitPattern: input.byte())) / 4
        }
    }

    private static func compare(_ root: FuzzNode) {
        func value(_ keyPath: String) -> Any? { root.read(keyPath, promise: "8.6") }
        func number(_ keyPath: String) -> Double? {
            guard let value = value(keyPath) else { return nil }
            guard let number = FuzzNode.double(value) else { fatalError("8.6 \(keyPath) is \(value)") }
            return number
        }
        let (list, count) = (root.list, root.list.count)
        require(number("list.@count") == Double(count), "8.6 @count")
        require(number("list.@sum.number") == Double(list.reduce(0) { $0 + $1.number }), "8.6 @sum of integers")
        let sum = list.reduce(0) { $0 + ($1.maybe ?? 0) }
        require(number("list.@sum.maybe") == Double(sum), "8.6 nil counts 0 in @sum")
        require(number("list.@max.number") == list.map(\.number).max().map(Double.init), "8.6 @max")
        require(number("list.@min.number") == list.map(\.number).min().map(Double.init), "8.6 @min")
        require(number("list.@max.maybe") == list.compactMap(\.maybe).max().map(Double.init), "8.6 @max ignores nil")
        let average = number("list.@avg.number")
        require((average == nil) == list.isEmpty, "8.6 @avg of nothing is nil")
        if let average {
            let expected = Double(list.reduce(0) { $0 + $1.number }) / Double(count)
            require(abs(average - expected) < 1e-9, "8.6 @avg is \(average), not \(expected)")
        }
        require((value("list.@unionOfObjects.number") as? [Any])?.count == count, "8.6 @unionOfObjects keeps all")
        let distinct = (value("list.@distinctUnionOfObjects.name") as? [Any])?.count
        require(distinct == Set(list.map(\.name)).count, "8.6 @distinctUnionOfObjects keeps one of each")
        require(
            (value("lists.@unionOfArrays.self") as? [Any])?.count == root.lists.joined().count,
            "8.6 @unionOfArrays keeps all")
        // Values that are not numbers, or not equal to themselves, end nothing.
        for name in ["sum", "avg", "min", "max", "distinctUnionOfObjects", "unionOfObjects"] {
            for key in ["ratio", "name", "numbers", "table", "next", "self"] {
                _ = try? root.value(forKeyPath: "list.@\(name).\(key)")
            }
        }
    }
}
