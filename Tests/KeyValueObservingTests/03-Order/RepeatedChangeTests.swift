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

    @Test("1.6 The root of a path is let go when the change has been delivered")
    func roots() {
        let leaf = Cabinet()
        weak var weakRoot: Room?
        let token: KeyValueObservation
        do {
            let root = Room(cabinet: leaf)
            weakRoot = root
            token = root.observe(\.cabinet.shown, options: [.old, .new]) { [log] _, _ in log.add("called") }
            for number in 1...3 { leaf.item = Cabinet.Item(number: number) }
        }
        #expect(weakRoot == nil && log.take().count == 3)
        withExtendedLifetime(token) {}
    }

    @Test("3.5 What is set during a change on its thread is part of it, whichever thread made the change before")
    func threads() {
        let cabinet = Cabinet()
        let token = cabinet.observe(\.total, options: [.old, .new]) { [log] in log.add($1) }
        let setter = cabinet.observe(\.count, options: .prior) {
            if $1.isPrior, $0.count % 10 == 0 { $0.count += 1 }
        }
        let shared = Unchecked(value: cabinet)
        cabinet.count = 10
        #expect(log.take() == ["0→10"])
        onThreads(1) { _ in shared.value.count = 20 }
        #expect(log.take() == ["10→20"])
        cabinet.count = 30
        #expect(log.take() == ["20→30"])
        withExtendedLifetime((token, setter)) {}
    }

    @Test("6.6 A path that reported elements reports a setting once its value is another one")
    func elements() {
        let room = Room(cabinet: Cabinet())
        let token = room.observe(\.shown.stored, options: [.prior, .old, .new]) { [log] in log.add($1) }
        for number in 1...2 {
            room.cabinet.mutable(\.stored).append(number)
            #expect(log.take() == ["prior insertion ·→·", "insertion ·→[\(number)]"])
        }
        room.showsOther = true
        #expect(log.take() == ["prior [1, 2]→·", "[1, 2]→[]"])
        room.cabinet.mutable(\.stored).append(3)
        #expect(log.take() == ["prior []→·", "[]→[]"])
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
    @Observed var count = 0
    @Observed var stored: [Int] = []

    var shown: Item? { item }
    var total: Int { count }
}

private final class Room: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var cabinet: Cabinet
    @Observed var showsOther = false
    private let other = Cabinet()

    /// Reads both, whichever it returns.
    var shown: Cabinet {
        _ = (cabinet.stored, other.stored)
        return showsOther ? other : cabinet
    }

    init(cabinet: Cabinet) {
        self.cabinet = cabinet
    }
}
