// The values of a path through an optional, which are made of the bytes of those of the property at its end.
import KeyValueObserving
import Testing

private final class Node<Value>: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var next: Node?
    @Observed var value: Value

    init(_ value: Value, next: Node? = nil) {
        self.value = value
        self.next = next
    }
}

private final class Object: Equatable {
    static func == (left: Object, right: Object) -> Bool { left === right }
}

private struct Nothing: Equatable {}

private struct Large: Equatable {
    var numbers = [1, 2, 3]
    var first = (1, 2)
    var text = "a"
    var isLast = true

    static func == (left: Self, right: Self) -> Bool { left.numbers == right.numbers && left.text == right.text }
}

@Suite("6 Values of a path through an optional")
struct OptionalLayoutTests {
    /// Demands both values of a change of the end, and the new one alone where the old one is not asked for.
    private func check<Value: Equatable>(_ old: Value, _ new: Value) {
        let leaf = Node(old)
        let root = Node(old, next: leaf)
        var both: [Value??] = []
        var alone: [Value??] = []
        let tokens = [
            root.observe(\.next?.value, options: [.old, .new]) { both += [$1.oldValue, $1.newValue] },
            root.observe(\.next?.value, options: .new) { alone += [$1.oldValue, $1.newValue] },
        ]
        leaf.value = new
        #expect(both == [.some(old), .some(new)])
        #expect(alone == [nil, .some(new)])
        withExtendedLifetime(tokens) {}
    }

    @Test("6.1 Values of every layout")
    func layouts() {
        let object = Object()
        check(1, -1)
        check(UInt8.max, 0)
        check(true, false)
        check("a", "a text that does not lie in the string itself")
        check([1, 2], [])
        check(nil as Int?, 1)
        check("a" as String?, nil)
        check(nil as Bool??, .some(nil))
        check(Nothing(), Nothing())
        check(Large(), Large(text: "b"))
        check(object, Object())
        check(nil as Object?, object)
        check(SIMD8<Int>(repeating: 1), SIMD8<Int>(repeating: 2))
    }
}
