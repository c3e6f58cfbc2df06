// Deliveries wait until a transaction ends: 10.2 to 10.4.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 C18 Transactions")
struct TransactionTests {
    private let log = Log()
    private let account = Account()

    @Test("10.2 Settings that follow one another are one, delivered when the transaction ends")
    func settings() {
        let token = account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "balance") }
        withKeyValueTransaction {
            for balance in 1...10 { account.balance = balance }
            #expect(log.take() == [] && account.balance == 10)
        }
        #expect(log.take() == ["balance 0→10"])
        account.balance = 11
        #expect(log.take() == ["balance 10→11"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 A property that is set back to an equal value is delivered")
    func setBack() {
        let tokens = [
            account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "balance") },
            account.observe(\.balance, options: [.new, .distinct]) { [log] in log.add($1, as: "skips") },
        ]
        withKeyValueTransaction {
            account.balance = 1
            account.balance = 0
        }
        #expect(log.take() == ["balance 0→0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 The order is that of the first changes, and in it that of the registrations")
    func order() {
        let tokens = [
            account.observe(\.limit, options: .new) { [log] in log.add($1, as: "limit") },
            account.observe(\.balance, options: .new) { [log] in log.add($1, as: "first") },
            account.observe(\.limit, options: .new) { [log] in log.add($1, as: "limit again") },
            account.observe(\.balance, options: .new) { [log] in log.add($1, as: "second") },
        ]
        withKeyValueTransaction {
            account.balance = 1
            account.limit = 2
            account.balance = 3
        }
        #expect(log.take() == ["first ·→3", "second ·→3", "limit ·→2", "limit again ·→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 A computed property is evaluated once, and stands where the first property stands that it reads")
    func computed() {
        let tokens = [
            account.observe(\.note, options: .new) { [log] in log.add($1, as: "note") },
            account.observe(\.available, options: [.old, .new]) { [log] in log.add($1, as: "available") },
            account.observe(\.balance, options: .new) { [log] in log.add($1, as: "balance") },
        ]
        account.evaluations = 0
        withKeyValueTransaction {
            account.limit = 5
            account.note = "a"
            account.balance = 1
            account.limit = 7
            account.balance = 2
        }
        #expect(log.take() == ["available 0→9", "note ·→a", "balance ·→2"])
        #expect(account.evaluations == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 A path is evaluated once, and follows what it was led to")
    func path() {
        let owner = Account()
        owner.other = account
        let token = owner.observe(\.other?.balance, options: [.old, .new]) { [log] in log.add($1, as: "path") }
        let next = Account()
        withKeyValueTransaction {
            account.balance = 1
            owner.other = next
            account.balance = 2
            next.balance = 30
        }
        #expect(log.take() == ["path 0→30"])
        account.balance = 3
        next.balance = 31
        #expect(log.take() == ["path 30→31"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 A path whose middle dies in the transaction is delivered all the same")
    func dyingMiddle() {
        let owner = Account()
        owner.other = Account()
        let token = owner.observe(\.other?.balance, options: [.old, .new]) { [log] in log.add($1, as: "path") }
        withKeyValueTransaction {
            owner.other?.balance = 1
            owner.other = nil
        }
        #expect(log.take() == ["path 0→nil"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 Changes of elements are delivered as they were made, settings between them as one each")
    func elements() {
        let token = account.observe(\.entries, options: [.old, .new]) { [log] in log.add("\($1)") }
        let path = account.observe(\.lastEntry, options: [.old, .new]) { [log] in log.add($1, as: "last") }
        withKeyValueTransaction {
            account.mutable(\.entries).append("a")
            account.mutable(\.entries).append("b")
            account.entries = ["c"]
            account.entries = ["d", "e"]
            account.mutable(\.entries).remove(at: 0)
            account.entries += ["f"]
        }
        #expect(
            log.take() == [
                #"insertion in entries at 0: ["a"]"#, #"insertion in entries at 1: ["b"]"#,
                #"setting of entries, ["a", "b"] → ["d", "e"]"#, #"removal in entries at 0: ["d"]"#,
                #"setting of entries, ["e"] → ["e", "f"]"#, "last nil→f",
            ])
        withExtendedLifetime((token, path)) {}
    }

    @Test("10.2 A path that ends at a to-many property gets one setting of the whole")
    func toManyPath() {
        let owner = Account()
        owner.other = account
        let token = owner.observe(\.other?.entries, options: [.old, .new]) { [log] _, change in
            log.add("\(change.kind) \(change.oldValue!!) \(change.newValue!!)")
        }
        withKeyValueTransaction {
            account.mutable(\.entries).append("a")
            account.mutable(\.entries).append("b")
        }
        #expect(log.take() == [#"setting [] ["a", "b"]"#])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 A replacement of another length, and a move, show handlers the property as it is at the end")
    func twoChanges() {
        account.entries = ["a", "b", "c"]
        var copy = account.entries
        let token = account.observe(\.entries, options: [.old, .new]) { [account, log] _, change in
            change.apply(to: &copy)
            log.add("\(change.kind) \(account.entries)")
        }
        withKeyValueTransaction { account.mutable(\.entries).replaceSubrange(0..<1, with: ["x", "y"]) }
        #expect(log.take() == [#"replacement ["x", "y", "b", "c"]"#, #"insertion ["x", "y", "b", "c"]"#])
        withKeyValueTransaction { account.mutable(\.entries).moveSubranges(RangeSet(0..<1), to: 4) }
        #expect(log.take() == [#"removal ["y", "b", "c", "x"]"#, #"insertion ["y", "b", "c", "x"]"#])
        #expect(copy == account.entries)
        withExtendedLifetime(token) {}
    }

    @Test("10.2 Changes in place, by hand and within the value are delivered like settings")
    func otherChanges() {
        let tokens = [
            account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "balance") },
            account.observe(\.code, options: [.old, .new]) { [log] in log.add($1, as: "code") },
            account.observe(\.codeText, options: [.old, .new]) { [log] in log.add($1, as: "text") },
        ]
        withKeyValueTransaction {
            account.balance += 1
            account.code = 5
            account.balance += 1
            account.code = 6
            account.willChangeValue(for: \.balance)
            account.balance = 9
            account.didChangeValue(for: \.balance)
        }
        #expect(log.take() == ["balance 0→9", "code 0→6", "text 0→6"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 One prior for each registration, before its first change")
    func prior() {
        let tokens = [
            account.observe(\.balance, options: [.old, .new, .prior]) { [log] in log.add($1, as: "balance") },
            account.observe(\.available, options: [.old, .new, .prior]) { [log] in log.add($1, as: "available") },
        ]
        var late: [KeyValueObservation] = []
        withKeyValueTransaction {
            account.balance = 1
            #expect(log.take() == ["balance prior 0→·", "available prior 0→·"])
            account.balance = 2
            #expect(log.take() == [])
            late = [
                account.observe(\.balance, options: [.old, .new, .prior]) { [log] in log.add($1, as: "late") },
                account.observe(\.available, options: [.old, .new, .prior]) { [log] in log.add($1, as: "late path") },
            ]
            account.balance = 3
            #expect(log.take() == ["late prior 2→·", "late path prior 2→·"])
        }
        #expect(log.take() == ["balance 0→3", "available 0→3", "late 2→3", "late path 2→3"])
        withExtendedLifetime((tokens, late)) {}
    }

    @Test("10.3 A registration that is made inside gets the changes made after it")
    func registeredInside() {
        var tokens: [KeyValueObservation] = []
        withKeyValueTransaction {
            account.balance = 1
            tokens.append(account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "first") })
            tokens.append(account.observe(\.available, options: [.old, .new]) { [log] in log.add($1, as: "sum") })
            account.balance = 2
            tokens.append(account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "second") })
            tokens.append(account.observe(\.available, options: [.old, .new]) { [log] in log.add($1, as: "sum too") })
            account.balance = 3
            account.balance = 4
            tokens.append(account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "third") })
        }
        #expect(log.take() == ["first 1→4", "sum 1→4", "second 2→4", "sum too 2→4"])
    }

    @Test("10.3 One that is made where a path was led in the transaction follows it from there")
    func registeredAtAPath() {
        let owner = Account()
        owner.other = account
        let next = Account()
        let first = owner.observe(\.other?.balance, options: [.old, .new]) { [log] in log.add($1, as: "first") }
        var tokens: [KeyValueObservation] = []
        withKeyValueTransaction {
            owner.other = next
            tokens.append(
                owner.observe(\.other?.balance, options: [.old, .new]) { [log] in log.add($1, as: "second") })
            next.balance = 3
            tokens.append(owner.observe(\.other?.balance, options: [.old, .new]) { [log] in log.add($1, as: "third") })
        }
        #expect(log.take() == ["first 0→3", "second 0→3"])
        withExtendedLifetime(first) {}
    }

    @Test("10.3 One that ends inside, and one whose object dies inside, get nothing")
    func ended() {
        var token: KeyValueObservation? = account.observe(\.balance) { [log] in log.add($1) }
        let other = account.observe(\.balance) { [log] in log.add($1, as: "other") }
        var dying: Account? = Account()
        weak let weakDying = dying
        let dead = dying?.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "dead") }
        withKeyValueTransaction {
            account.balance = 1
            dying?.balance = 2
            token = nil
            dying = nil
            // It keeps no object alive.
            #expect(weakDying == nil && token == nil)
        }
        #expect(log.take() == ["other ·→·"])
        withExtendedLifetime((other, dead)) {}
    }

    @Test("10.4 A thrown error delivers what was stored")
    func thrown() {
        struct Refusal: Error {}
        let token = account.observe(\.balance, options: .new) { [log] in log.add($1) }
        #expect(throws: Refusal.self) {
            try withKeyValueTransaction {
                account.balance = 1
                throw Refusal()
            }
        }
        #expect(log.take() == ["·→1"])
        withExtendedLifetime(token) {}
    }

    @Test("10.4 Nested transactions end with the outermost, and a result is returned")
    func nested() {
        let token = account.observe(\.balance, options: .new) { [log] in log.add($1) }
        let result = withKeyValueTransaction {
            withKeyValueTransaction { account.balance = 1 }
            #expect(log.take() == [])
            account.balance = 2
            return 7
        }
        #expect(result == 7 && log.take() == ["·→2"])
        withExtendedLifetime(token) {}
    }

    @Test("10.4 Other threads are not held up")
    func otherThreads() {
        let (other, lines) = (Account(), Questions())
        let token = other.observe(\.balance, options: .new) { _, change in lines.add("\(change.newValue!)") }
        withKeyValueTransaction {
            account.balance = 1
            let shared = Unchecked(value: other)
            onThreads(1) { _ in shared.value.balance = 5 }
            #expect(lines.take() == ["5"])
        }
        withExtendedLifetime(token) {}
    }

    @Test("10.4 What a handler changes at the end is delivered in order: all others get the first change first")
    func changesInHandlers() {
        let tokens = [
            account.observe(\.balance, options: [.old, .new]) { [log] account, change in
                log.add(change, as: "first")
                if change.newValue == 1 { account.balance = 2 }
            },
            account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "second") },
            account.observe(\.limit, options: [.old, .new]) { [log] in log.add($1, as: "limit") },
        ]
        withKeyValueTransaction {
            account.balance = 1
            account.limit = 5
        }
        #expect(log.take() == ["first 0→1", "second 0→1", "limit 0→5", "first 1→2", "second 1→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.4 A transaction in a handler first completes what is being delivered")
    func inAHandler() {
        let tokens = [
            account.observe(\.balance, options: [.old, .new]) { [log] account, change in
                log.add(change, as: "first")
                guard change.newValue == 1 else { return }
                withKeyValueTransaction {
                    account.balance = 2
                    account.balance = 3
                }
            },
            account.observe(\.balance, options: [.old, .new]) { [log] in log.add($1, as: "second") },
        ]
        account.balance = 1
        #expect(log.take() == ["first 0→1", "second 0→1", "first 1→3", "second 1→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 A transfer between accounts is seen as a whole")
    func transfer() {
        let savings = Account()
        account.balance = 50
        let token = account.observe(\.balance) { [log, savings] account, _ in
            log.add("\(account.balance + savings.balance)")
        }
        withKeyValueTransaction {
            account.balance -= 20
            savings.balance += 20
        }
        #expect(log.take() == ["50"])
        withExtendedLifetime(token) {}
    }
}

private final class Account: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var balance = 0
    @Observed var limit = 0
    @Observed var note = ""
    @Observed var entries: [String] = []
    @Observed var other: Account?
    var evaluations = 0
    private var storedCode = 0

    var available: Int {
        evaluations += 1
        return balance + limit
    }
    var lastEntry: String? { entries.last }
    var code: Int {
        get {
            accessValue(for: \.code)
            return storedCode
        }
        set { changeValue(for: \.code) { storedCode = newValue } }
    }
    var codeText: String { "\(code)" }
}
