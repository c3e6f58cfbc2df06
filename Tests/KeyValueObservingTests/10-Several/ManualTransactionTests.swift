// Manual changes in a transaction: 10.2 and 10.3.
import KeyValueObserving
import TestSupport
import Testing

@Suite("10 Manual changes in a transaction")
struct ManualTransactionTests {
    private let queue = Queue()
    private let log = Log()

    @Test("10.3 One prior for each registration, before the first change of a manual property")
    func prior() {
        let token = queue.observe(\.limit, options: [.old, .new, .prior]) { [log] in log.add($1) }
        withKeyValueTransaction {
            queue.limit = 1
            let late = queue.observe(\.limit, options: [.old, .new, .prior]) { [log] in log.add($1, as: "late") }
            for limit in 2...3 { queue.limit = limit }
            #expect(log.take() == ["prior 0→·", "late prior 1→·"])
            withExtendedLifetime(late) {}
        }
        #expect(log.take() == ["0→3"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 Changes of elements of a manual property are delivered as they were made", arguments: [false, true])
    func elements(withPriors: Bool) {
        let options: KeyValueObservingOptions = withPriors ? [.old, .new, .prior] : [.old, .new]
        let owner = QueueOwner()
        owner.queue = queue
        let tokens = [
            queue.observe(\.jobs, options: options) { [log] in if !$1.isPrior { log.add($1) } },
            queue.observe(\.count, options: options) { [log] in if !$1.isPrior { log.add($1, as: "count") } },
            owner.observe(\.queue?.jobs, options: options) { [log] in if !$1.isPrior { log.add($1, as: "path") } },
        ]
        withKeyValueTransaction {
            queue.append("a")
            queue.append("b")
            queue.jobs = ["c"]
            queue.jobs = ["d"]
            queue.append("e")
        }
        #expect(
            log.take() == [
                #"insertion ·→["a"]"#, #"insertion ·→["b"]"#, #"["a", "b"]→["d"]"#, #"insertion ·→["e"]"#, "count 0→2",
                #"path []→["d", "e"]"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.2 16.1 With .distinct a setting is compared with what the change of elements before it left")
    func distinctAfterElements() {
        let token = queue.observe(\.jobs, options: [.new, .distinct]) { [log] in log.add($1) }
        withKeyValueTransaction {
            queue.append("a")
            queue.jobs = ["a"]
            queue.append("b")
        }
        #expect(log.take() == [#"insertion ·→["a"]"#, #"insertion ·→["b"]"#])
        withExtendedLifetime(token) {}
    }

    @Test(
        "10.2 13.3 What was announced and has not ended is not delivered before it has, whoever ignores something meanwhile",
        arguments: [false, true])
    func openWhileOthersIgnore(isEndedInside: Bool) {
        let other = Queue()
        let ignoring = other.observe(\.limit) { _, _ in }
        let token = queue.observe(\.count, options: [.old, .new]) { [log] in log.add($1) }
        withKeyValueTransaction {
            queue.willChangeValue(for: \.jobs)
            ignoring.ignoringChanges { other.limit += 1 }
            queue.append("a")
            if isEndedInside { queue.didChangeValue(for: \.jobs) }
        }
        #expect(log.take() == (isEndedInside ? ["0→1"] : []))
        queue.didChangeValue(for: \.jobs)
        #expect(log.take() == (isEndedInside ? [] : ["0→1"]))
        withExtendedLifetime(token) {}
    }

    @Test("10.2 3.5 A path whose own change is open at the end is delivered when that ends")
    func openPath() {
        let owner = QueueOwner()
        owner.queue = queue
        let ignoring = owner.observe(\.queue) { _, _ in }
        let token = owner.observe(\.queue?.limit, options: [.old, .new]) { [log] in log.add($1) }
        withKeyValueTransaction {
            queue.limit = 1
            ignoring.ignoringChanges { owner.willChangeValue(for: \.queue?.limit) }
        }
        #expect(log.take() == [])
        queue.limit = 2
        owner.didChangeValue(for: \.queue?.limit)
        #expect(log.take() == ["0→2"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 A pair in a transaction, inside a pair of what it reads, leaves one chain")
    func pairInsideAPair() {
        let count = Chain<Int>()
        let token = queue.observe(\.count, options: [.old, .new]) { count.add($1) }
        queue.changeValue(for: \.jobs) {
            queue.jobs = ["a"]
            withKeyValueTransaction { queue.changeValue(for: \.count) {} }
        }
        #expect(count.breaks(from: 0, to: 1) == "")
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.6 Who comes after a change was announced is notified of what changed after that, in a transaction too",
        arguments: [false, true])
    func afterAnnouncement(inTransaction: Bool) {
        let first = queue.observe(\.load, options: [.old, .new]) { [log] in log.add($1, as: "first") }
        queue.willChangeValue(for: \.load)
        let second = queue.observe(\.load, options: [.old, .new]) { [log] in log.add($1, as: "second") }
        func body() {
            queue.limit = 1
            queue.didChangeValue(for: \.load)
            queue.limit = 2
        }
        if inTransaction { withKeyValueTransaction { body() } } else { body() }
        #expect(
            log.take()
                == (inTransaction
                    ? ["first 0→2", "second 0→2"] : ["first 0→1", "second 0→1", "first 1→2", "second 1→2"]))
        withExtendedLifetime((first, second)) {}
    }

    @Test("10.2 3.5 A path that is announced once more when a transaction ends stays announced")
    func announcedAgain() {
        let token = queue.observe(\.load, options: [.old, .new]) { [log] in log.add($1) }
        withKeyValueTransaction {
            queue.willChangeValue(for: \.load)
            queue.didChangeValue(for: \.load)
            queue.willChangeValue(for: \.load)
        }
        #expect(log.take() == [])
        queue.limit = 1
        #expect(log.take() == [])
        queue.didChangeValue(for: \.load)
        #expect(log.take() == ["0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("3.6 10.3 Who registers at a computed property after the last change of a transaction is not notified of any")
    func afterTheLastChange() {
        var tokens = [queue.observe(\.load, options: [.old, .new]) { [log] in log.add($1) }]
        withKeyValueTransaction {
            queue.limit = 1
            tokens.append(queue.observe(\.load, options: [.old, .new]) { [log] in log.add($1, as: "second") })
        }
        #expect(log.take() == ["0→1"])
        withKeyValueTransaction {
            queue.limit = 2
            queue.limit = 3
            tokens.append(queue.observe(\.load, options: [.old, .new]) { [log] in log.add($1, as: "third") })
            tokens[0].invalidate()
        }
        #expect(log.take() == ["second 1→3"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 One prior for each registration, before the first change of a manual property's elements")
    func priorOfElements() {
        let token = queue.observe(\.jobs, options: .prior) { [log] in if $1.isPrior { log.add($1) } }
        withKeyValueTransaction {
            queue.append("a")
            queue.jobs = []
            queue.append("b")
        }
        #expect(log.take() == ["prior insertion ·→·"])
        withExtendedLifetime(token) {}
    }
}

/// Announces everything manually.
private final class Queue: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var storedLimit = 0
    private var storedJobs: [String] = []
    var count: Int { jobs.count }
    var load: Int { jobs.count + limit }

    var limit: Int {
        get {
            accessValue(for: \.limit)
            return storedLimit
        }
        set {
            changeValue(for: \.limit) { storedLimit = newValue }
        }
    }

    var jobs: [String] {
        get {
            accessValue(for: \.jobs)
            return storedJobs
        }
        set {
            changeValue(for: \.jobs) { storedJobs = newValue }
        }
    }

    func append(_ job: String) { mutable(\.jobs).append(job) }
}

private final class QueueOwner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var queue: Queue?
}
