// What a program that makes 100,000 changes a second loses to the inspector.
//
// Without it, work fills the time between changes, so that there is a change each 10 µs and no idle time. With it, the same
// work is done: what the changes cost more makes the changes of a second fewer. Arguments: how many seconds to wait for
// pages that connect, and the length of values.
import Foundation
import KeyValueInspector
import KeyValueObserving

final class Counter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
}

let counter = Counter()
var sum = 0
let observation = counter.observe(\.value) { counter, _ in sum &+= counter.value }

@MainActor @inline(never) func work(_ rounds: Int) {
    for round in 0..<rounds { sum = sum &* 31 &+ round }
}

/// The changes a second, with some rounds of work before each.
@MainActor func rate(_ rounds: Int, seconds: Double = 2) -> Double {
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    var count = 0
    while ContinuousClock.now < end {
        for _ in 0..<100 {
            work(rounds)
            counter.value &+= 1
        }
        count += 100
    }
    let (whole, rest) = (ContinuousClock.now - start).components
    return Double(count) / (Double(whole) + Double(rest) / 1e18)
}

var rounds = 1_000
for _ in 0..<8 { rounds = max(1, Int(Double(rounds) * rate(rounds, seconds: 0.3) / 100_000)) }
func show(_ name: String, _ rate: Double, of base: Double) {
    let loss = (1 - rate / base) * 100
    print("\(name): \(Int(rate)) changes a second, loss \((loss * 10).rounded() / 10) %")
}
let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let base = rate(rounds)
show("Without the inspector", base, of: base)
let inspector = KeyValueInspector.start(port: 0, valueLength: arguments.dropFirst().first ?? 80)
show("Started, no page", rate(rounds), of: base)
try await Task.sleep(for: .seconds(arguments.first ?? 0))
show("After pages connected", rate(rounds), of: base)
await inspector.stop()
show("Stopped", rate(rounds), of: base)
