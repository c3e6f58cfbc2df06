// Sets of one property that follow one another in a transaction, and what comes between them: 10.2, 10.3 and 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 Sets that follow one another in a transaction are one change, whatever comes between them")
struct JoinedSettingTests {
    private let list = ReadingList()
    private let log = Log()

    private func observe<Value>(
        _ keyPath: KeyPath<ReadingList, Value>, _ options: KeyValueObservingOptions = [.old, .new], as name: String
    ) -> KeyValueObservation {
        list.observe(keyPath, options: options) { [log] in log.add($1, as: name) }
    }

    @Test("10.3 Who registers between two sets is notified of what the property was then, and is last")
    func registration() {
        var tokens = [observe(\.count, as: "first")]
        withKeyValueTransaction {
            list.count = 1
            list.count = 2
            tokens.append(observe(\.count, as: "second"))
            list.count = 3
            list.count = 4
        }
        #expect(log.take() == ["first 0→4", "second 2→4"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 The same at a computed property, which is evaluated once more for who comes")
    func registrationAtAPath() {
        var tokens = [observe(\.total, as: "first")]
        withKeyValueTransaction {
            list.count = 1
            list.count = 2
            list.more = 10
            list.more = 20
            tokens.append(observe(\.total, as: "second"))
            list.count = 3
            list.count = 4
            list.more = 30
        }
        #expect(log.take() == ["first 0→34", "second 22→34"])
        withExtendedLifetime(tokens) {}
    }

    @Test("13.3 Sets that a registration ignores among sets that it does not")
    func ignoring() {
        let tokens = [observe(\.count, as: "count"), observe(\.total, as: "total"), observe(\.count, as: "other")]
        withKeyValueTransaction {
            list.count = 1
            list.count = 2
            tokens[0].ignoringChanges {
                tokens[1].ignoringChanges {
                    list.count = 3
                    list.count = 4
                }
            }
        }
        #expect(log.take() == ["count 0→2", "total 0→4", "other 0→4"])
        withKeyValueTransaction {
            tokens[0].ignoringChanges {
                list.count = 5
                list.count = 6
            }
            list.count = 7
            list.count = 8
        }
        #expect(log.take() == ["count 6→8", "total 4→8", "other 4→8"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "10.2 Elements between sets: each setting ends with the value that the elements find", arguments: [true, false])
    func elements(isThroughView: Bool) {
        let token = list.observe(\.books, options: [.old, .new]) { [log] in log.addToMany($1) }
        withKeyValueTransaction {
            list.books = ["a"]
            list.books = ["b"]
            if isThroughView { list.mutable(\.books).append("c") } else { list.books.append("c") }
            list.books = ["d"]
            list.books = ["e"]
        }
        #expect(
            log.take()
                == (isThroughView
                    ? [#"setting []→["b"]"#, #"insertion [1] ·→["c"]"#, #"setting ["b", "c"]→["e"]"#]
                    : [#"setting []→["e"]"#]))
        withExtendedLifetime(token) {}
    }

    @Test("10.2 An announced change among sets belongs to them, and one that is open speaks for the sets in it")
    func announcements() {
        let tokens = [observe(\.count, as: "count"), observe(\.total, as: "total")]
        withKeyValueTransaction {
            list.count = 1
            list.count = 2
            list.willChangeValue(for: \.count)
            list.count = 3
            list.didChangeValue(for: \.count)
            list.count = 4
            list.willChangeValue(for: \.count)
            list.count = 5
        }
        #expect(log.take() == ["count 0→4", "total 0→5"])
        list.count = 6
        list.didChangeValue(for: \.count)
        #expect(log.take() == ["count 4→6", "total 5→6"])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.4 10.2 A registration that asks for a call before the change gets one, before the first set after it")
    func priors() {
        var tokens = [observe(\.count, [.prior, .old], as: "first")]
        withKeyValueTransaction {
            list.count = 1
            list.count = 2
            #expect(log.take() == ["first prior 0→·"])
            tokens.append(observe(\.count, [.prior, .old], as: "second"))
            list.count = 3
            #expect(log.take() == ["second prior 2→·"])
            list.count = 4
        }
        #expect(log.take() == ["first 0→·", "second 2→·"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 A path that is led to a property between two sets of it is notified of the second")
    func ledTo() {
        let other = ReadingList()
        let tokens = [
            observe(\.count, as: "count"),
            other.observe(\.next?.count, options: [.old, .new]) { [log] in log.add($1, as: "path") },
        ]
        withKeyValueTransaction {
            list.count = 1
            list.count = 2
            other.next = list
            list.count = 3
            list.count = 4
        }
        #expect(log.take() == ["count 0→4", "path nil→4"])
        withKeyValueTransaction {
            list.count = 5
            list.count = 6
            other.next = nil
            list.count = 7
        }
        #expect(log.take() == ["count 4→7", "path 4→nil"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 5.2 What a getter sets between two sets belongs to the change of the property")
    func getter() {
        let tokens = [observe(\.count, as: "count"), observe(\.evened, as: "evened")]
        withKeyValueTransaction {
            list.count = 1
            list.count = 3
            #expect(list.evened == 4)
            list.count = 5
        }
        #expect(log.take() == ["count 0→6", "evened 0→6"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 The last of several sets of an object that goes away in the transaction is delivered to nobody")
    func objectGoes() {
        var gone: ReadingList? = ReadingList()
        let token = gone?.observe(\.count, options: [.old, .new]) { [log] in log.add($1) }
        withKeyValueTransaction {
            gone?.count = 1
            gone?.count = 2
            gone = nil
        }
        #expect(log.take() == [])
        withExtendedLifetime(token) {}
    }
}

private final class ReadingList: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var more = 0
    @Observed var books: [String] = []
    @Observed var next: ReadingList?
    var total: Int { count + more }
    /// The count, which is made even first.
    var evened: Int {
        if count % 2 == 1 { count += 1 }
        return count
    }
}
