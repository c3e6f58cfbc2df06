// What was done and what was called, in the order of a clock, and what of it must hold.

/// Keeps what threads did and which handlers were called, and compares both with what the contract promises.
///
/// One thread runs at a time, so that a counter is a clock, and each order of what happened is known.
///
/// - 9.1, 9.2: a registration that was made before a change began and not ended before it was over is called once.
/// - 9.3: once an end has returned, on whichever thread, no call begins. One whose thread had nothing to do any more but
///   to make it may be finishing: between a look at the registration and the call there is no other step of the program.
/// - 2.4: what was over before the registration was begun is not delivered.
/// - 2.1: each call has the values of the change.
/// - 3.1: the changes of one thread arrive in their order.
final class Journal {
    private struct Change {
        let property: String
        let old: Int
        let new: Int
        let began: Int
        var ended = Int.max
    }

    private struct Registration {
        let property: String
        let began: Int
        var made = Int.max
        var endBegan = Int.max
        var ended = Int.max
    }

    private struct Call {
        let registration: String
        let old: Int?
        let new: Int?
        /// When its thread last did something else that the program can see.
        let due: Int
    }

    private var time = 0
    /// When each thread last did something.
    private var lastTimes: [Int: Int] = [:]
    private var changes: [Change] = []
    private var registrations: [String: Registration] = [:]
    private var calls: [Call] = []

    private func now() -> Int {
        time += 1
        lastTimes[thread] = time
        return time
    }

    private var thread: Int { Scheduler.current?.running ?? -1 }

    /// Makes a change of a property, whose new value no other change has.
    func change(_ property: String = "x", from old: Int, to new: Int, _ body: () -> Void) {
        let index = changes.count
        changes.append(Change(property: property, old: old, new: new, began: now()))
        body()
        changes[index].ended = now()
    }

    /// Makes a registration; what `body` registers calls its argument.
    func register<Result>(
        _ name: String, on property: String = "x",
        _ body: (_ call: @escaping (_ old: Int?, _ new: Int?) -> Void) -> Result
    ) -> Result {
        registrations[name] = Registration(property: property, began: now())
        let result = body { [unowned self] old, new in
            calls.append(Call(registration: name, old: old, new: new, due: lastTimes[thread] ?? 0))
            _ = now()
            userCode()
            _ = now()
        }
        registrations[name]?.made = now()
        return result
    }

    /// Ends a registration; any number of threads may do that.
    func end(_ name: String, _ body: () -> Void) {
        let began = now()
        if let known = registrations[name]?.endBegan { registrations[name]?.endBegan = min(known, began) }
        body()
        // The first that returns is what counts.
        let ended = now()
        if let known = registrations[name]?.ended { registrations[name]?.ended = min(known, ended) }
    }

    /// How often a registration was called.
    func count(_ name: String) -> Int { calls.count { $0.registration == name } }

    func check() {
        for (name, registration) in registrations { check(name, registration) }
    }

    private func check(_ name: String, _ registration: Registration) {
        let calls = calls.filter { $0.registration == name }
        for call in calls {
            require(call.due < registration.ended, "9.3 \(name) is called after its end has returned")
        }
        let concerned = changes.filter { $0.property == registration.property }
        var known = 0
        for change in concerned {
            let mine = calls.filter { $0.new == change.new }
            known += mine.count
            require(mine.count <= 1, "9.2 \(name) is called \(mine.count) times for the change to \(change.new)")
            if registration.made < change.began, change.ended < registration.endBegan {
                require(mine.count == 1, "9.1 \(name) is not called for the change to \(change.new)")
            }
            if change.ended < registration.began {
                require(mine.isEmpty, "2.4 \(name) is called for the change to \(change.new), which was over")
            }
            for call in mine {
                require(call.old == nil || call.old == change.old, "2.1 \(name) gets \(call), for \(change)")
            }
        }
        require(known == calls.count, "2.1 \(name) gets values of no change: \(calls)")
    }
}

/// What one registration gets.
///
/// - P1: the values of the calls are one chain, from the value at the registration to the last value.
final class Chain: @unchecked Sendable {
    private var links: [(old: Int, new: Int)] = []

    func add(_ old: Int?, _ new: Int?) {
        links.append((old ?? .min, new ?? .min))
        userCode()
    }

    func check(from first: Int, to last: Int, count: Int? = nil) {
        let (starts, ends) = (links.map(\.old) + [last], [first] + links.map(\.new))
        require(starts == ends, "P1 no chain from \(first) to \(last): \(links)")
        if let count { require(links.count == count, "17.2 \(links.count) calls, not \(count): \(links)") }
    }

    /// The same for a registration that was made at a time when several values were possible.
    func checkLinks(to last: Int) { check(from: links.first?.old ?? last, to: last) }

    /// The same where several last values are possible.
    func check(from first: Int, toOneOf values: [Int]) {
        let last = links.last?.new ?? first
        require(values.contains(last), "P1 it ends on \(last), not on one of \(values)")
        check(from: first, to: last)
    }

    var count: Int { links.count }
}
