// Key paths that are strings: section 8 of the contract.
import KeyValueCoding
import KeyValueObserving

/// Reads, sets, validates and observes whatever text the input is.
enum KeyPathsTarget {
    static func run(_ input: Input, _ root: FuzzNode) {
        let call = input.number(5)
        let options = KeyValueObservingOptions(rawValue: UInt(input.number(16)))
        let keyPath = input.text()
        do {
            switch call {
            case 0: try read(root, keyPath)
            case 1: try set(root, keyPath)
            case 2:
                var value: Any? = 1
                try root.validateValue(&value, forKeyPath: keyPath)
            case 3: try observe(root, keyPath, options)
            default: try observeByController(root, keyPath, options)
            }
        } catch let error as KeyValueCodingError {
            require(!"\(error)".isEmpty, "8.7 an error says what is wrong")
        } catch {
            fatalError("8.7 \(error) is no error of key-value coding")
        }
    }

    private static func read(_ root: FuzzNode, _ keyPath: String) throws {
        let first = try root.value(forKeyPath: keyPath)
        let second = try root.value(forKeyPath: keyPath)
        require(text(first) == text(second), "8.1 \(keyPath) reads \(text(first)), then \(text(second))")
    }

    /// What is read can be set, wherever it can be set at all, and is read again.
    private static func set(_ root: FuzzNode, _ keyPath: String) throws {
        let value = try root.value(forKeyPath: keyPath)
        try root.setValue(value, forKeyPath: keyPath)
        let again = try root.value(forKeyPath: keyPath)
        require(text(value) == text(again), "8.2 \(keyPath) was set to \(text(value)), and is \(text(again))")
    }

    private static func observe(_ root: FuzzNode, _ keyPath: String, _ options: KeyValueObservingOptions) throws {
        var calls = 0
        var told: String?
        let token = try root.observe(keyPath, options: options.union(.new)) {
            (_: FuzzNode, change: KeyValueObservedChange<Any>) in
            if change.isPrior { return }
            calls += 1
            told = change.kind == .setting ? text(change.newValue) : nil
        }
        change(root)
        if let told {
            let current = text(try root.value(forKeyPath: keyPath))
            require(told == current, "2.3 \(keyPath): told \(told), is \(current)")
        }
        token.invalidate()
        let before = calls
        change(root)
        require(calls == before, "9.3 \(keyPath) was delivered after the end")
    }

    private static func observeByController(
        _ root: FuzzNode, _ keyPath: String, _ options: KeyValueObservingOptions
    ) throws {
        var calls = 0
        let observer = FuzzNode()
        let controller = KVOController(observer: observer, retainsObserved: false)
        try controller.observe(root, keyPath: keyPath, options: options) { _, _, _ in calls += 1 }
        change(root)
        controller.unobserve(root, keyPath: keyPath)
        let before = calls
        change(root)
        require(calls == before, "A5 \(keyPath) was delivered after the end")
    }

    /// Changes something of each kind.
    private static func change(_ root: FuzzNode) {
        root.number += 1
        root.next?.number += 1
        root.next?.next?.maybe = nil
        root.mutable(\.numbers).append(4)
        root.mutable(\.tags).insert("c")
        root.table["l"] = 2
        root.mutable(\.list).removeFirst()
        let former = root.next
        root.next = former?.next
        root.next = former
        root.list = [root.next, root.next?.next].compactMap { $0 }
    }

    /// What can be compared of a value.
    static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let node as FuzzNode: "node \(ObjectIdentifier(node))"
        case let tags as Set<String>: "\(tags.sorted())"
        case let table as [String: Int]: "\(table.sorted { $0.key < $1.key })"
        case let list as [Any]: "[\(list.map { text($0) }.joined(separator: ", "))]"
        case let set as Set<AnyHashable>: "\(set.map { text($0.base) }.sorted())"
        case let value?: "\(value)"
        }
    }
}
