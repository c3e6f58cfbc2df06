// Two threads deposit at once. However they take turns, each limit is reached once.
import Dispatch
import KeyValueObserving

let bank = Bank()
bank.open("ada")
bank.open("bob")
let limits = [500, 1_000, 1_500].map { limit in
    bank.observe(limit: limit) { print($0 ? "reached \(limit)" : "fell below \(limit)") }
}

DispatchQueue.concurrentPerform(iterations: 2) { thread in
    for _ in 0..<100 { bank.deposit(8, to: thread == 0 ? "ada" : "bob") }
}
bank.deposit(-700, to: "ada")
for (name, balance) in bank.balances.sorted(by: { $0.key < $1.key }) { print("\(name) has \(balance)") }
