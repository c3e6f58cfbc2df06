// What is kept for the next change, and what becomes of a change of elements that a getter overtakes.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.3 Values that are kept")
struct KeptValueTests {
    @Test("2.3 What a registration of a path was called with last is not kept alive")
    func weaklyKept() {
        let (root, middle) = (SharedLink(), SharedLink())
        root.next = middle
        var end: SharedLink? = SharedLink()
        weak let told = end
        let log = Log()
        let token = root.observe(\.next?.next, options: [.old, .new]) { _, change in
            log.add((change.newValue ?? nil) == nil ? "nil" : "end")
        }
        middle.next = end
        end = nil
        #expect(told != nil && log.take() == ["end"])
        token.ignoringChanges { middle.next = nil }
        #expect(told == nil && log.take() == [])
        middle.next = root
        #expect(log.take() == ["end"])
        middle.next = nil
    }

    @Test("7.1 3.5 A change of elements during which a getter sets the property is a setting of the whole")
    func overtakenElements() {
        let list = TrimmedList()
        let log = Log()
        let tokens = [
            list.observe(\.rows, options: [.old, .new]) { log.add($1) }, list.observe(\.height) { _, _ in },
        ]
        list.mutable(\.rows).append(3)
        #expect(log.take() == ["insertion ·→[3]"])
        list.mutable(\.rows).append(4)
        #expect(log.take().last?.hasSuffix("→[0]") ?? false && list.rows == [0])
        withExtendedLifetime(tokens) {}
    }

    @Test("D3 A registration at all properties is called after the object itself")
    func anyProperty() {
        let token = TrimmedList().observeAnyProperty { _, _ in }
        #expect(String(reflecting: token) == "KeyValueObservation, ended")
        let list = TrimmedList()
        #expect(String(reflecting: list.observeAnyProperty { _, _ in }) == "KeyValueObservation of self")
    }

    @Test("3.8 A handler that begins a transaction each time it is called is an endless change, and is named")
    func endlessTransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = TrimmedList()
            let token = list.observe(\.rows) { list, _ in withKeyValueTransaction { list.rows.append(1) } }
            list.rows = []
            withExtendedLifetime(token) {}
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("endless change") && text.contains("rows"))
    }
}

private final class SharedLink: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var next: SharedLink?
}

private final class TrimmedList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var rows: [Int] = []
    var height: Int {
        if rows.count > 1 { rows = [0] }
        return rows.count
    }
}
