// Computed properties in transactions: their old values, the calls before a change, and how often they are evaluated.
import KeyValueObserving
import TestSupport
import Testing

private final class Limited: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0

    /// Sets what it reads.
    var clamped: Int {
        if level > 5 { level = 5 }
        return level
    }
}

@Suite("2.1 10.2 10.3 Computed properties in transactions")
struct TransactionPathTests {
    private let sheet = Sheet()
    private let log = Log()

    private func observe<Value>(
        _ keyPath: KeyPath<Sheet, Value>, as name: String, _ options: KeyValueObservingOptions = [.old, .new]
    ) -> KeyValueObservation {
        sheet.observe(keyPath, options: options) { [log] in log.add($1, as: name) }
    }

    @Test("2.1 Who registers while a change is announced, and is the first to ask for old values, gets them")
    func firstToAskForOldValues() {
        var tokens = [observe(\.sum, as: "first", .new)]
        withKeyValueTransaction {
            sheet.willChangeValue(for: \.a)
            tokens.append(observe(\.sum, as: "late", [.old, .new, .prior]))
            sheet.b = 1
            #expect(log.take() == ["late prior 0→·"])
            sheet.didChangeValue(for: \.a)
        }
        #expect(log.take() == ["first ·→1", "late 0→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.1 The old value of who registered in between is the one at the registration")
    func oldValueBeforeTheFirstChange() {
        var tokens = [observe(\.sum, as: "first", .new)]
        withKeyValueTransaction {
            sheet.willChangeValue(for: \.a)
            sheet.a = 4
            tokens.append(observe(\.sum, as: "late"))
            sheet.a = 5
            sheet.b = 1
            sheet.didChangeValue(for: \.a)
            sheet.b = 2
        }
        #expect(log.take() == ["first ·→7", "late 4→7"])
        withExtendedLifetime(tokens) {}
    }

    @Test("1.3 10.3 Who registers is called with the initial value first, although the getter sets what it reads then")
    func registeringHasTheGetterSet() {
        let (limited, log) = (Limited(), log)
        func observe(as name: String) -> KeyValueObservation {
            limited.observe(\.clamped, options: [.initial, .prior, .old, .new]) { log.add($1, as: name) }
        }
        var tokens = [observe(as: "first")]
        withKeyValueTransaction {
            limited.level = 8
            #expect(log.take() == ["first ·→0", "first prior 0→·"])
            tokens.append(observe(as: "second"))
            #expect(log.take() == ["second ·→5"])
            limited.level = 4
            #expect(log.take() == ["second prior 5→·"])
        }
        #expect(log.take() == ["first 0→4", "second 5→4"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 One prior for each registration, where the handler of one sets something else that it depends on")
    func setInThePrior() {
        let tokens = [
            observe(\.sum, as: "first", [.old, .new, .prior]),
            sheet.observe(\.sum, options: [.old, .new, .prior]) { [log] sheet, change in
                log.add(change, as: "second")
                if change.isPrior { sheet.c = 2 }
            },
            observe(\.sum, as: "third", [.old, .new, .prior]),
        ]
        withKeyValueTransaction { sheet.b = 1 }
        #expect(
            log.take() == [
                "first prior 0→·", "second prior 0→·", "third prior 0→·", "first 0→3", "second 0→3", "third 0→3",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 10.3 What a prior handler sets is delivered first, and the computed property right after it")
    func orderAfterASetInThePrior() {
        let tokens = [
            sheet.observe(\.sum, options: [.old, .new, .prior]) { [log] sheet, change in
                log.add(change, as: "sum")
                if change.isPrior { sheet.c = 2 }
            },
            observe(\.b, as: "b"), observe(\.c, as: "c"),
        ]
        withKeyValueTransaction { sheet.b = 1 }
        #expect(log.take() == ["sum prior 0→·", "sum 0→3", "c 0→2", "b 0→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 It is evaluated once for all sets that follow the end of a change announced before the transaction")
    func evaluatedOnce() {
        let token = observe(\.sum, as: "sum")
        sheet.willChangeValue(for: \.a)
        sheet.a = 1
        var before = 0
        withKeyValueTransaction {
            sheet.didChangeValue(for: \.a)
            sheet.b = 1
            before = sheet.evaluations
            for number in 2...9 { sheet.b = number }
            #expect(sheet.evaluations == before)
        }
        #expect(sheet.evaluations == before + 1)
        #expect(log.take() == ["sum 0→10"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 10.2 What is announced when a transaction ends is delivered when that ends")
    func announcedLater() {
        let token = observe(\.sum, as: "sum")
        sheet.willChangeValue(for: \.a)
        sheet.a = 1
        withKeyValueTransaction {
            sheet.didChangeValue(for: \.a)
            sheet.b = 1
            sheet.willChangeValue(for: \.sum)
        }
        #expect(log.take() == [])
        sheet.c = 1
        sheet.didChangeValue(for: \.sum)
        #expect(log.take() == ["sum 0→3"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 10.3 Who registers between two changes that follow such an end is notified of the second")
    func registeredLater() {
        var tokens = [observe(\.sum, as: "first")]
        sheet.willChangeValue(for: \.a)
        sheet.a = 1
        withKeyValueTransaction {
            sheet.didChangeValue(for: \.a)
            tokens.append(observe(\.sum, as: "second"))
            sheet.b = 1
            tokens.append(observe(\.sum, as: "third"))
            sheet.b = 2
        }
        #expect(log.take() == ["first 0→3", "second 1→3", "third 2→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "10.2 13.3 A change of its own that is announced and ignored belongs to the one evaluation at the end")
    func ignoredAnnouncement() {
        let tokens = [observe(\.total, as: "ignoring"), observe(\.total, as: "other")]
        withKeyValueTransaction {
            sheet.a = 1
            tokens[0].ignoringChanges { sheet.changeValue(for: \.total) { sheet.hidden = 5 } }
        }
        #expect(log.take() == ["ignoring 0→6", "other 0→6"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 An announced change that nobody is notified of gives its property no place before what ends earlier")
    func announcedForNobody() {
        var tokens = [observe(\.a, as: "early"), observe(\.b, as: "b")]
        withKeyValueTransaction {
            sheet.willChangeValue(for: \.a)
            sheet.b = 1
            tokens[0].invalidate()
            sheet.didChangeValue(for: \.a)
            tokens.append(observe(\.a, as: "a"))
            sheet.a = 2
        }
        #expect(log.take() == ["b 0→1", "a 0→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.6 10.3 Who registers in a handler that is called before a change has no call before that change")
    func registeredInThePrior() {
        var tokens: [KeyValueObservation] = []
        tokens.append(observe(\.sum, as: "sum"))
        tokens.append(
            sheet.observe(\.a, options: .prior) { [self] _, change in
                if change.isPrior { tokens.append(observe(\.sum, as: "late", [.old, .new, .prior])) }
            })
        withKeyValueTransaction {
            sheet.b = 1
            sheet.a = 1
            #expect(log.take() == [])
            sheet.b = 2
            #expect(log.take() == ["late prior 1→·"])
        }
        #expect(log.take() == ["sum 0→3", "late 1→3"])
        // A handler holds them, and the object that it is registered at.
        tokens = []
    }

    @Test("10.2 10.4 What another thread notifies of meanwhile is where the rest begins, for each registration")
    func otherThread() {
        var tokens = [observe(\.sum, as: "first")]
        let shared = Unchecked(value: sheet)
        withKeyValueTransaction {
            sheet.a = 1
            tokens.append(observe(\.sum, as: "second"))
            onThreads(1) { _ in shared.value.b = 10 }
            #expect(log.take() == ["first 0→11", "second 1→11"])
            sheet.a = 2
            tokens.append(observe(\.sum, as: "third"))
            sheet.a = 3
        }
        #expect(log.take() == ["first 11→13", "second 11→13", "third 12→13"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 2.1 What another thread notifies of meanwhile is the old value of a call before the next change")
    func priorAfterOtherThread() {
        var tokens = [observe(\.sum, as: "first")]
        let shared = Unchecked(value: sheet)
        withKeyValueTransaction {
            sheet.a = 1
            tokens.append(observe(\.sum, as: "second"))
            onThreads(1) { _ in shared.value.b = 10 }
            _ = log.take()
            tokens.append(observe(\.sum, as: "third", [.old, .new, .prior]))
            sheet.a = 3
            #expect(log.take() == ["third prior 11→·"])
        }
        #expect(log.take() == ["first 11→13", "second 11→13", "third 11→13"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 3.5 What another thread notifies of after the last change is the old value of what is left")
    func otherThreadIsLast() {
        var tokens = [observe(\.sum, as: "first")]
        let shared = Unchecked(value: sheet)
        withKeyValueTransaction {
            sheet.a = 1
            tokens.append(observe(\.sum, as: "second"))
            sheet.a = 2
            onThreads(1) { _ in shared.value.b = 10 }
            _ = log.take()
        }
        #expect(log.take() == ["first 12→12", "second 12→12"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 10.2 What a getter sets, where such a change ends, is delivered from the value before that change")
    func setByAGetter() {
        let token = observe(\.limited, as: "limited")
        sheet.b = 9
        #expect(log.take() == ["limited 0→9"])
        sheet.willChangeValue(for: \.limit)
        sheet.limit = 3
        withKeyValueTransaction { sheet.didChangeValue(for: \.limit) }
        #expect(log.take() == ["limited 9→3"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 10.2 The same where a change of its own is announced and open at the end")
    func setByAGetterWhileAnnounced() {
        let token = observe(\.limited, as: "limited")
        let chain = Chain<Int>()
        let other = sheet.observe(\.limited, options: [.old, .new]) { chain.add($1) }
        sheet.b = 9
        sheet.willChangeValue(for: \.limit)
        sheet.limit = 3
        withKeyValueTransaction {
            sheet.didChangeValue(for: \.limit)
            sheet.willChangeValue(for: \.limited)
        }
        sheet.b = 2
        sheet.didChangeValue(for: \.limited)
        #expect(chain.breaks(from: 0, to: 2) == "")
        withExtendedLifetime((token, other)) {}
    }

    @Test("2.4 10.3 Of two changes of one computed property, each concerns who was there when it was announced")
    func announcedFirst() {
        var tokens = [observe(\.total, as: "first")]
        sheet.willChangeValue(for: \.a)
        tokens.append(observe(\.total, as: "second"))
        withKeyValueTransaction {
            sheet.changeValue(for: \.total) { sheet.hidden = 1 }
            tokens.append(observe(\.total, as: "third"))
            sheet.a = 10
            sheet.didChangeValue(for: \.a)
        }
        #expect(log.take() == ["first 0→11", "second 0→11"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "10.3 A change that is announced and does not end in the transaction brings a late registration nothing there")
    func announcedAndLeftOpen() {
        var tokens = [observe(\.sum, as: "first")]
        withKeyValueTransaction {
            sheet.a = 1
            tokens.append(observe(\.sum, as: "late"))
            sheet.willChangeValue(for: \.b)
        }
        #expect(log.take() == ["first 0→1"])
        sheet.b = 2
        sheet.didChangeValue(for: \.b)
        #expect(log.take() == ["first 1→3", "late 1→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P1 10.3 A registration in a transaction leaves the others with the value that they received last")
    func registeredWhileThePathLeadsElsewhere() {
        let (person, friend, log) = (Person(), Person(), log)
        var tokens = [person.observe(\.friend?.age, options: [.old, .new]) { log.add($1, as: "first") }]
        person.willChangeValue(for: \.friend)
        person.friend = friend
        withKeyValueTransaction {
            tokens.append(person.observe(\.friend?.age, options: [.old, .new]) { log.add($1, as: "second") })
        }
        friend.age = 5
        #expect(log.take() == ["first nil→5", "second 0→5"])
        person.didChangeValue(for: \.friend)
        withExtendedLifetime(tokens) {}
    }
}

private final class Sheet: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var a = 0
    @Observed var b = 0
    @Observed var c = 0
    var evaluations = 0
    var sum: Int {
        evaluations += 1
        return a + b + c
    }

    /// Changes without notice.
    var hidden = 0
    var total: Int { a + hidden }

    @Observed var limit = 10
    /// One of the numbers, which is brought below the limit first.
    var limited: Int {
        if b > limit { b = limit }
        return b
    }
}
