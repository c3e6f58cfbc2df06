// onChange(of:): the old and the new value, where they differ.
import KeyValueObserving
import TestSupport
import Testing

private final class Box: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var item = Item(1)
    @Observed var maybe: Item?
    @Observed var inner: Box?
    /// An object that nobody else holds once it is another one.
    var current: Item { item }
}

private final class Item: Equatable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    static func == (left: Item, right: Item) -> Bool { left.number == right.number }
}

@Suite("2.1 The old and the new value, where they differ")
struct OnChangeTests {
    private let person = Person()
    private let log = Log()

    @Test("2.3 It gets an old object that nothing else holds any more")
    func objects() {
        let box = Box()
        let tokens = [
            box.onChange(of: \.current) { [log] in log.add("\($0.number)→\($1.number)") },
            box.onChange(of: \.maybe) { [log] in log.add("\($0?.number ?? 0)→\($1?.number ?? 0)") },
        ]
        box.item = Item(2)
        box.item = Item(3)
        box.maybe = Item(4)
        box.maybe = nil
        #expect(log.take() == ["1→2", "2→3", "0→4", "4→0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P1 A path that leads to another object continues from the value last delivered")
    func path() {
        let (box, inner) = (Box(), Box())
        let token = box.onChange(of: \.inner?.item.number) { [log] in log.add("\($0 ?? 0)→\($1 ?? 0)") }
        box.inner = inner
        inner.item = Item(1)
        inner.item = Item(5)
        box.inner = nil
        #expect(log.take() == ["0→1", "1→5", "5→0"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 Two forms in one line are two registrations, each called as its own")
    func oneLine() {
        let tokens = [
            person.onChange(of: \.age) { [log] in log.add("\($0)→\($1)") },
            person.observe(\.age, options: [.old, .new, .distinct]) { [log] in log.add($1) },
        ]
        person.age = 1
        #expect(log.take() == ["0→1", "0→1"])
        #expect(person.observationInfo.map(\.deliveredCount) == [1, 1])
        withExtendedLifetime(tokens) {}
    }
}
