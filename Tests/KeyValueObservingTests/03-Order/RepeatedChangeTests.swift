// What one change of a property leaves for the next one: nothing.
import KeyValueObserving
import TestSupport
import Testing

@Suite("What one change of a property leaves for the next one")
struct RepeatedChangeTests {
    private let log = Log()

    @Test("1.6 The values of a path are let go when the change has been delivered")
    func values() {
        let cabinet = Cabinet()
        let token = cabinet.observe(\.shown, options: [.old, .new]) { [log] in log.add("\($1.newValue??.number ?? 0)") }
        weak var first: Cabinet.Item?
        weak var second: Cabinet.Item?
        do {
            let items = (Cabinet.Item(number: 1), Cabinet.Item(number: 2))
            (first, second) = items
            (cabinet.item, cabinet.item) = items
        }
        #expect(first == nil && second != nil)
        cabinet.item = nil
        #expect(second == nil && log.take() == ["1", "2", "0"])
        withExtendedLifetime(token) {}
    }
}

private final class Cabinet: KeyValueObservable {
    final class Item: Equatable {
        let number: Int

        init(number: Int) {
            self.number = number
        }

        static func == (left: Item, right: Item) -> Bool { left === right }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var item: Item?

    var shown: Item? { item }
}
