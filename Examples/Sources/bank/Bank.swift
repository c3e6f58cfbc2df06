// Accounts that several threads use, and their total.
import KeyValueObserving
import Synchronization

final class Account: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var balance = 0
}

/// A bank with a lock of its own: the library protects its registrations, and not what is observed.
final class Bank: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let lock = Mutex(())
    // What follows is guarded by `lock`.
    @Observed private var accounts: [String: Account] = [:]
    // Follows the accounts that come and go, and the balance of each.
    private var total: Int { accounts.values.reduce(0) { $0 + $1.balance } }

    func open(_ name: String) {
        lock.withLock { _ in accounts[name] = Account() }
    }

    func deposit(_ amount: Int, to name: String) {
        lock.withLock { _ in accounts[name]?.balance += amount }
    }

    var balances: [String: Int] {
        lock.withLock { _ in accounts.mapValues(\.balance) }
    }

    /// Calls the handler when the total reaches a limit, and when it falls below it again.
    ///
    /// It is called on the thread that changes the total, under the bank's lock: it must not call the bank.
    func observe(limit: Int, _ handler: @escaping @Sendable (_ isReached: Bool) -> Void) -> KeyValueObservation {
        lock.withLock { _ in
            observe(reading: { $0.total >= limit }, options: [.new, .distinct]) { _, change in
                handler(change.requiredNewValue)
            }
        }
    }
}
