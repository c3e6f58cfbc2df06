// The explorer itself: that it misses no interleaving, and that it finds what it is for.
import Testing

@Suite("Interleavings")
struct ExplorerTests {
    private final class Counter {
        var value = 0
        var seen = [0, 0]
        var order: [Int] = []
    }

    private func increment(_ thread: Int) -> [Step<Counter>] {
        [Step("reads") { $0.seen[thread] = $0.value }, Step("writes") { $0.value = $0.seen[thread] + 1 }]
    }

    @Test("All interleavings of two and of three threads are run, each once")
    func complete() {
        func explored(_ counts: [Int]) -> (run: Int, distinct: Int) {
            var orders: [[Int]] = []
            let threads = counts.indices.map { thread in
                (0..<counts[thread]).map { _ in Step<Counter>("step") { $0.order.append(thread) } }
            }
            var explorer = Explorer(threads: threads, make: Counter.init)
            explorer.atEnd = { counter in
                orders.append(counter.order)
                return nil
            }
            return (explorer.explore().interleavings, Set(orders).count)
        }
        #expect(explored([2, 2]) == (6, 6))
        #expect(explored([3, 4]) == (35, 35))
        #expect(explored([2, 2, 2]) == (90, 90))
    }

    @Test("An update that is lost is found, and reported as the steps that lose it")
    func lostUpdate() {
        var explorer = Explorer(threads: [increment(0), increment(1)], make: Counter.init)
        explorer.atEnd = { $0.value == 2 ? nil : "the value is \($0.value)" }
        #expect(explorer.explore().failure == "the value is 1, after 1 reads; 2 reads; 1 writes; 2 writes")
    }

    @Test("A thread may skip steps and be done before its last one")
    func skipping() {
        let skips: [Step<Counter>] = [
            Step(choosing: "skips") { _ in .skip(to: 2) },
            Step("never") { $0.value = -1 },
            Step(choosing: "ends") { _ in .done },
            Step("never") { $0.value = -1 },
        ]
        var explorer = Explorer(threads: [skips, increment(1)], make: Counter.init)
        explorer.atEnd = { $0.value == 1 ? nil : "the value is \($0.value)" }
        let result = explorer.explore()
        #expect(result.failure == nil && result.interleavings == 6)
    }
}
