// Manual changes in a transaction, as they were made: 10.2, 10.3 and 2.4.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10.2 Steps of manual properties, and places in the order")
struct ManualStepsTests {
    private let queue = Queue()
    private let log = Log()

    private func observe<Value>(
        _ keyPath: KeyPath<Queue, Value>, _ options: KeyValueObservingOptions = [.old, .new], as name: String? = nil
    ) -> KeyValueObservation {
        queue.observe(keyPath, options: options) { [log] in log.addToMany($1, as: name) }
    }

    @Test("10.2 A setting and an insertion are two changes, in either order")
    func elements() {
        let token = observe(\.jobs)
        withKeyValueTransaction {
            queue.jobs = ["a"]
            queue.append("b")
        }
        #expect(log.take() == [#"setting []→["a"]"#, #"insertion [1] ·→["b"]"#])
        withKeyValueTransaction {
            queue.append("c")
            queue.jobs = ["d"]
            queue.jobs = ["e"]
            queue.append("f")
        }
        #expect(
            log.take() == [
                #"insertion [2] ·→["c"]"#, #"setting ["a", "b", "c"]→["e"]"#, #"insertion [1] ·→["f"]"#,
            ])
        withExtendedLifetime(token) {}
    }

    @Test("2.4 10.3 The prior call of one that registered in the transaction has its old value, and its kind")
    func priors() {
        let first = observe(\.jobs, as: "first")
        withKeyValueTransaction {
            queue.append("a")
            let setting = observe(\.jobs, [.old, .new, .prior], as: "late")
            queue.jobs = ["b"]
            let insertion = observe(\.jobs, [.old, .new, .prior], as: "later")
            queue.append("c")
            #expect(log.take() == [#"late prior setting ["a"]→·"#, "later prior insertion [1] ·→·"])
            withExtendedLifetime((setting, insertion)) {}
        }
        withExtendedLifetime(first) {}
    }

    @Test(
        "10.2 An access in place counts when it ends, whoever else observes: a change inside it comes first",
        arguments: [false, true])
    func access(hasPath: Bool) {
        var tokens = [observe(\.first, as: "first"), observe(\.second, as: "second")]
        if hasPath { tokens.append(observe(\.sum, [], as: "sum")) }
        func change(_ second: inout Int) {
            second = 3
            queue.first = 4
        }
        withKeyValueTransaction { change(&queue.second) }
        #expect(log.take().filter { !$0.hasPrefix("sum") } == ["first setting 0→4", "second setting 0→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 So does an announcement")
    func announcement() {
        let tokens = [observe(\.first, as: "first"), observe(\.second, as: "second")]
        withKeyValueTransaction {
            queue.changeValue(for: \.second) {
                queue.second = 3
                queue.first = 4
            }
        }
        #expect(log.take() == ["first setting 0→4", "second setting 0→3"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Queue: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0
    var sum: Int { first + second }

    var storedLimit = 0
    var limit: Int {
        accessValue(for: \.limit)
        return storedLimit
    }
    private var storedJobs: [String] = []
    var jobs: [String] {
        get {
            accessValue(for: \.jobs)
            return storedJobs
        }
        set {
            changeValue(for: \.jobs) { storedJobs = newValue }
        }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        keyPath != \Queue.limit && keyPath != \Queue.jobs
    }

    func setLimit(_ limit: Int) { changeValue(for: \.limit) { storedLimit = limit } }

    func append(_ job: String) { mutable(\.jobs).append(job) }
}
