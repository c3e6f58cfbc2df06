// Changes that registrations and controllers ignore, beside the cells: 13.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.3 D14 Ignoring changes")
struct IgnoringTests {
    private let observers = WorksheetObservers()
    private var sheet: Worksheet { observers.sheet }
    private var log: Log { observers.log }

    @Test(
        "13.3 All other registrations are notified, a prior call is ignored, too, blocks nest, and a result is returned"
    )
    func others() throws {
        let first = try #require(observers.observe("a", [.old, .new, .prior], as: "first"))
        let second = try #require(observers.observe("a", as: "second"))
        observers.observe("a", as: "other")
        let result = first.ignoringChanges {
            sheet.a = 1
            second.ignoringChanges { sheet.a = 2 }
            sheet.a = 3
            return 5
        }
        #expect(result == 5)
        #expect(observers.take() == ["second a 0→1", "other a 0→1", "other a 1→2", "second a 2→3", "other a 2→3"])
        sheet.a = 4
        #expect(observers.take() == ["first a prior 3→·", "first a 3→4", "second a 3→4", "other a 3→4"])
    }

    @Test("13.3 3.4 Earlier changes, and changes by handlers called for these, are not ignored")
    func completedInside() {
        let tokens = Guarded<[KeyValueObservation]>([])
        let first = sheet.observe(\.a) { sheet, _ in
            let tokens = tokens.withLock { $0 }
            if sheet.a == 1 { tokens[0].ignoringChanges { tokens[1].ignoringChanges { sheet.code = 2 } } }
        }
        observers.observe("a b")
        tokens.withLock { $0 = observers.tokens }
        let second = sheet.observe(\.a) { sheet, _ in sheet.b += 1 }
        sheet.a = 1
        #expect(observers.take() == ["a 0→1", "b 0→1"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("13.3 Other threads are not concerned")
    func otherThreads() throws {
        let token = try #require(observers.observe("a"))
        let shared = Unchecked(value: sheet)
        token.ignoringChanges { onThreads(1) { _ in shared.value.a = 5 } }
        #expect(observers.take() == ["a 0→5"])
    }

    @Test("13.3 What is thrown passes and ends it; a token that has ended runs the body")
    func errors() throws {
        struct Refusal: Error {}
        let token = try #require(observers.observe("a"))
        #expect(throws: Refusal.self) { try token.ignoringChanges { throw Refusal() } }
        sheet.a = 1
        #expect(observers.take() == ["a 0→1"])
        token.invalidate()
        #expect(token.ignoringChanges { 3 } == 3)
    }

    @Test(
        "13.3 10.2 A transaction that was open before takes its course at its end, whatever is ignored inside",
        arguments: ["1 (2)", "(1) 2 (3)", "(1 2) 3 4", "(1)"])
    func transaction(changes: String) {
        observers.observe("a sum")
        let tokens = observers.tokens
        let other = sheet.observe(\.a, options: [.old, .new]) { [log] in log.add($1, as: "other") }
        withKeyValueTransaction {
            var isIgnoring = false
            for word in changes.split(separator: " ") {
                if word.hasPrefix("(") { isIgnoring = true }
                let set = { sheet.a = Int(word.filter(\.isNumber)) ?? 0 }
                if isIgnoring { tokens[0].ignoringChanges { tokens[1].ignoringChanges(set) } } else { set() }
                if word.hasSuffix(")") { isIgnoring = false }
            }
        }
        let last = sheet.a
        #expect(observers.take() == ["a 0→\(last)", "sum 0→\(last)", "other 0→\(last)"])
        withExtendedLifetime(other) {}
    }

    @Test("13.3 10.2 A transaction that begins and ends inside is ignored")
    func transactionInside() throws {
        let token = try #require(observers.observe("a"))
        observers.observe("sum")
        token.ignoringChanges { withKeyValueTransaction { for number in 1...2 { sheet.a = number } } }
        #expect(observers.take() == ["sum 0→2"])
        sheet.a = 3
        #expect(observers.take() == ["a 2→3", "sum 2→3"])
    }

    @Test("13.3 3.5 A change that is announced inside and ends outside is not ignored, one that ends inside is")
    func announced() throws {
        let token = try #require(observers.observe("a"))
        observers.observe("a", [.old, .new, .prior], as: "other")
        token.ignoringChanges { sheet.willChangeValue(for: \.a) }
        sheet.a = 1
        sheet.didChangeValue(for: \.a)
        #expect(observers.take() == ["other a prior 0→·", "a 0→1", "other a 0→1"])
        sheet.willChangeValue(for: \.a)
        sheet.a = 2
        token.ignoringChanges { sheet.didChangeValue(for: \.a) }
        #expect(observers.take() == ["other a prior 1→·", "other a 1→2"])
    }

    @Test("13.3 16.1 10.2 With .distinct, an ignored change was not delivered, so old is the last delivered value")
    func distinct() throws {
        let token = try #require(observers.observe("a", [.old, .new, .distinct]))
        for isInTransaction in [false, true] {
            let number = sheet.a
            func change() {
                token.ignoringChanges { sheet.a = number + 5 }
                sheet.a = number + 1
            }
            if isInTransaction { withKeyValueTransaction(change) } else { change() }
            #expect(observers.take() == ["a \(number)→\(number + 1)"])
        }
    }

    // MARK: Where paths lead

    @Test(
        "13.3 6.2 10.2 A path follows what an ignored change led it to, and hides no more",
        arguments: [false, true])
    func rewiring(isInTransaction: Bool) throws {
        let (first, second) = (Worksheet(), Worksheet())
        (sheet.next, first.a, second.a) = (first, 1, 10)
        let token = try #require(observers.observe("next.a"))
        observers.observe("next.a", as: "other")
        func change() {
            token.ignoringChanges { sheet.next = second }
            token.ignoringChanges { first.a = 5 }
            second.a = 11
        }
        if isInTransaction { withKeyValueTransaction(change) } else { change() }
        #expect(
            observers.take()
                == (isInTransaction
                    ? ["next.a 1→11", "other next.a 1→11"]
                    : ["other next.a 1→10", "next.a 1→11", "other next.a 10→11"]))
        second.a = 12
        #expect(observers.take() == ["next.a 11→12", "other next.a 11→12"])
    }

    // MARK: Controllers

    private func observe(_ controller: KVOController<Log>, _ sheet: Worksheet, as name: String) {
        controller.observe(sheet, \.a, options: [.old, .new], fileID: "A/A.swift", line: UInt(name.count)) {
            log, _, change in log.add(change, as: name)
        }
    }

    @Test("13.3 Of a controller none of its registrations is called, on whichever object; all others are")
    func controllers() {
        let (controller, other, friend) = (KVOController(observer: log), KVOController(observer: log), Worksheet())
        observe(controller, sheet, as: "a")
        observe(controller, friend, as: "b")
        observe(other, sheet, as: "other")
        controller.ignoringChanges { (sheet.a, friend.a) = (1, 1) }
        #expect(observers.take() == ["other 0→1"])
        (sheet.a, friend.a) = (2, 2)
        #expect(observers.take() == ["a 1→2", "other 1→2", "b 1→2"])
    }

    @Test("13.3 Those that are made meanwhile ignore what changes after that, too", arguments: [true, false])
    func madeMeanwhile(isNested: Bool) {
        let (controller, other) = (KVOController(observer: log), KVOController(observer: log))
        observe(other, sheet, as: "other")
        controller.ignoringChanges {
            func register() {
                observe(controller, sheet, as: "late")
                observe(other, sheet, as: "others")
                sheet.a = 1
            }
            if isNested { other.ignoringChanges(register) } else { register() }
            sheet.a = 2
        }
        #expect(observers.take() == (isNested ? [] : ["other 0→1", "others 0→1"]) + ["other 1→2", "others 1→2"])
        sheet.a = 3
        #expect(observers.take() == ["other 2→3", "late 2→3", "others 2→3"])
    }

    @Test(
        "13.3 P1 6.6 After a path ignored a removal of elements, its next old value is the whole that it was told last")
    func ignoredRemoval() throws {
        let next = Worksheet()
        next.items = ["a", "b"]
        sheet.next = next
        let token = try #require(observers.observe("next.items"))
        token.ignoringChanges { _ = next.mutable(\.items).removeFirst() }
        next.mutable(\.items).append("c")
        #expect(observers.take() == [#"next.items ["a", "b"]→["b", "c"]"#])
    }
}
