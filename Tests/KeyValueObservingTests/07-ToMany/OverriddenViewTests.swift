// Views of a property that a subclass overrides: section 7.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7.4 Views of overridden properties")
struct OverriddenViewTests {
    @Test("7.4 A view behaves alike whether it is made while the array is empty or not", arguments: [false, true])
    func madeWhenEmpty(isEmpty: Bool) {
        let (list, log) = (NegatedList(), Log())
        if !isEmpty { list.items = [9] }
        let view = (list as List).mutable(\.items)
        if !isEmpty { list.items = [] }
        let token = list.observe(\.items, options: [.old, .new]) { log.add($1) }
        view.append(1)
        view.append(2)
        #expect(list.items == [1, 2] && Array(view) == [1, 2] && list.stored == [-1, -2])
        view.remove(at: 0)
        #expect(list.items == [2] && list.stored == [-2])
        withExtendedLifetime(token) {}
    }
}

private class List: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Int] = []
}

/// Keeps its numbers with the other sign.
private final class NegatedList: List {
    override var items: [Int] {
        get { super.items.map { -$0 } }
        set { super.items = newValue.map { -$0 } }
    }

    var stored: [Int] { super.items }
}
