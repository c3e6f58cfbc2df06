// What LXDObserver's article shows, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Story: LXDObserver")
struct LXDObserverStory {
    @Test("A8 C4 Handlers get the object, the key, old and new; old is read before the store")
    func handler() {
        let (account, log) = (Account(), Log())
        account.addObserver(Clerk(), for: [\.balance]) { _, _, _ in log.add("gone") }
        let clerk = Clerk()
        account.addObserver(clerk, for: [\.balance]) { _, account, change in
            #expect(change.keyPath == \Account.balance)
            log.add("\(change.requiredOldValue) \(change.requiredNewValue) \(account.balance)")
        }
        account.balance = 10
        account.balance = 25
        #expect(log.take() == ["0 10 10", "10 25 25"])
        withExtendedLifetime(clerk) {}
    }

    @Test("B2 Several observers of one key each get theirs; removing one with its key leaves the others")
    func several() {
        let (account, log) = (Account(), Log())
        let clerks = [Clerk(), Clerk(), Clerk()]
        for (index, clerk) in clerks.enumerated() {
            account.addObserver(clerk, for: [\.balance, \.owner]) { _, _, _ in log.add("\(index)") }
        }
        account.balance = 1
        #expect(log.take() == ["0", "1", "2"])
        account.removeObserver(clerks[1], for: \.balance)
        account.balance = 2
        account.owner = "Ada"
        #expect(log.take() == ["0", "2", "0", "1", "2"])
        withExtendedLifetime(clerks) {}
    }

    @Test("D5 The class that is asked for stays the original one, however many objects are observed")
    func sameClass() {
        let accounts = [Account(), Account()]
        let clerk = Clerk()
        for account in accounts { account.addObserver(clerk, for: [\.balance]) { _, _, _ in } }
        #expect(accounts.allSatisfy { type(of: $0) == Account.self && "\(type(of: $0))" == "Account" })
    }

    @Test("C13 C14 What its author regrets: scalars, structs and key paths can be observed")
    func regrets() {
        let (account, clerk, log) = (Account(), Clerk(), Log())
        account.addObserver(clerk, for: [\.limit.amount, \.parent?.balance], options: .new) { log.add($2) }
        account.limit.amount = 5
        account.parent = Account()
        account.parent?.balance = 3
        #expect(log.take() == ["·→5", "·→0", "·→3"])
    }
}

private final class Account: KeyValueObservable {
    struct Limit {
        var amount = 0
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var balance = 0
    @Observed var owner = ""
    @Observed var limit = Limit()
    @Observed var parent: Account?
}

private final class Clerk {}
