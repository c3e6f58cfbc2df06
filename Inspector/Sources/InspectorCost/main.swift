// Measures the cost of the inspector for a program that makes 100,000 changes a second.
//
// 60 objects change in turn. Without the inspector, work fills the time between changes, so that there is a change each
// 10 µs and no idle time. With it, the same work is done, so the additional cost of the changes lowers their number in
// a second.
//
// In each round the program runs without the inspector, with it but without a page, and with a page. With the argument
// `--pages`, it prints the address in each round and waits for a line of input, after which a page is connected. After
// the measurement, it prints a line, and makes changes until the next line of input. Then it prints how often its
// handlers were called, and waits for a line once more. `Inspector/Tests/browser/cost.py` opens the pages, and
// compares. The other arguments are the number of rounds, and the length of values.
import Foundation
import KeyValueInspector
import KeyValueObserving
import Synchronization

final class Counter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
}

let counters = (0..<60).map { _ in Counter() }
var sum = 0
let observations = counters.map { $0.observe(\.value) { counter, _ in sum &+= counter.value } }

@MainActor @inline(never) func doWork(_ rounds: Int) {
    for round in 0..<rounds { sum = sum &* 31 &+ round }
}

/// The changes in a second of time, and in a second that the thread ran.
struct Rate {
    var ofTime = 0.0
    var ofThread = 0.0
}

/// Seconds that this thread ran.
func threadSeconds() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The changes a second, with some rounds of work before each.
@MainActor func rate(_ rounds: Int, seconds: Double = 2) -> Rate {
    let clock = ContinuousClock()
    let (start, threadStart) = (clock.now, threadSeconds())
    let end = start + .seconds(seconds)
    var count = 0
    while clock.now < end {
        for counter in counters {
            doWork(rounds)
            counter.value &+= 1
        }
        count += counters.count
    }
    return Rate(
        ofTime: Double(count) / ((clock.now - start) / .seconds(1)),
        ofThread: Double(count) / (threadSeconds() - threadStart))
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Prints the median of the loss, compared in each round with the run without the inspector.
func show(_ name: String, _ rates: [Rate], of bases: [Rate]) {
    func loss(_ value: (Rate) -> Double) -> String {
        let losses = zip(rates, bases).map { (1 - value($0) / value($1)) * 100 }
        let texts = losses.sorted().map { String(format: "%.1f", $0) }
        return "\(String(format: "%.1f", median(losses))) % (\(texts[0]) to \(texts[texts.count - 1]))"
    }
    let changes = Int(median(rates.map(\.ofTime)))
    print(
        "\(name): \(changes) changes a second, loss \(loss { $0.ofTime }), of the thread's time \(loss { $0.ofThread })"
    )
}

var work = 1_000
for _ in 0..<8 { work = max(1, Int(Double(work) * rate(work, seconds: 0.3).ofThread / 100_000)) }

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { Int($0) }
let waitsForPages = arguments.contains("--pages")
var without: [Rate] = []
var started: [Rate] = []
var connected: [Rate] = []
for _ in 0..<(numbers.first ?? 7) {
    without.append(rate(work))
    let inspector = KeyValueInspector.start(
        port: 0, valueLength: numbers.dropFirst().first ?? 80, printsAddress: false)
    started.append(rate(work))
    if waitsForPages, let url = await inspector.url {
        FileHandle.standardOutput.write(Data("\(url.absoluteString)\n".utf8))
        _ = readLine()
        connected.append(rate(work))
        FileHandle.standardOutput.write(Data("measured\n".utf8))
        let isRead = Atomic(false)
        DispatchQueue.global().async {
            _ = readLine()
            isRead.store(true, ordering: .releasing)
        }
        while !isRead.load(ordering: .acquiring) { _ = rate(work, seconds: 0.1) }
        let calls = counters.reduce(0) { $0 + $1.observationInfo[0].deliveredCount }
        FileHandle.standardOutput.write(Data("\(calls)\n".utf8))
        _ = readLine()
    }
    await inspector.stop()
}
show("Without the inspector", without, of: without)
show("Started, no page", started, of: without)
if waitsForPages { show("With a page", connected, of: without) }
