// What was done and what was called, in the order of a clock, and what of it must hold.
import KeyValueObserving

/// Keeps what threads did and which handlers were called, and compares both with what the contract promises.
///
/// One thread runs at a time, so that a counter is a clock, and each order of what happened is known.
///
/// - 9.1, 9.2: a registration that was made before a change began and not ended before it was over is called once.
/// - 9.3: once an end has returned, on whichever thread, no call begins. One may be finishing that its thread had
///   nothing to do any more but to make: between a look at the registration and the call there is no other step.
/// - 2.4: what was over before the registration was begun is not delivered.
/// - 2.1: each call has the values of the change.
/// - 3.1: the changes of one thread, with values that rise, arrive in their order.
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
    private var tokens: [String: KeyValueObservation] = [:]

    private func now() -> Int {
        time += 1
        lastTimes[thread] = time
        return time
    }

    private var thread: Int { Scheduler.current?.running ?? -1 }

    /// Makes a change of a property to a value that no other change has.
    func change(_ property: String = "x", from old: Int, to new: Int, _ body: () -> Void) {
        let index = changes.count
        changes.append(Change(property: property, old: old, new: new, began: now()))
        body()
        changes[index].ended = now()
    }

    /// Changes a property that is 0 to 1, then to 2, and so on.
    func changes(to last: Int = 2, _ set: (Int) -> Void) {
        for value in 1...last { change(from: value - 1, to: value) { set(value) } }
    }

    /// Makes a registration; what `body` registers calls its argument.
    func register<Result>(
        _ name: String, on property: String = "x", _ body: (_ call: @escaping (Int?, Int?) -> Void) -> Result
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

    /// Makes a registration that lives as long as the journal, unless it is ended.
    func observe(
        _ name: String, on property: String = "x",
        _ body: (_ call: @escaping (Int?, Int?) -> Void) -> KeyValueObservation
    ) { tokens[name] = register(name, on: property, body) }

    /// The same, at a key path.
    func observe<Object: KeyValueObservable>(
        _ name: String, _ object: Object, _ keyPath: KeyPath<Object, Int>, on property: String = "x"
    ) { observe(name, on: property) { call in object.observe(keyPath) { call($1.oldValue, $1.newValue) } } }

    /// Ends a registration; any number of threads may do that.
    func end(_ name: String, _ body: () -> Void) {
        let began = now()
        if let known = registrations[name]?.endBegan { registrations[name]?.endBegan = min(known, began) }
        body()
        // The first that returns is what counts.
        let ended = now()
        if let known = registrations[name]?.ended { registrations[name]?.ended = min(known, ended) }
    }

    /// Ends one that was made by `observe`.
    func end(_ name: String) { end(name) { tokens[name]?.invalidate() } }

    /// How often a registration was called.
    func count(_ name: String) -> Int { calls.count { $0.registration == name } }

    /// Requires that each of some registrations was called once.
    func requireOneCall(_ promise: String, of names: String...) {
        for name in names { require(count(name) == 1, "\(promise) \(name) is called \(count(name)) times, not once") }
    }

    func check() {
        for (name, registration) in registrations { check(name, registration) }
    }

    private func check(_ name: String, _ registration: Registration) {
        let calls = calls.filter { $0.registration == name }
        for call in calls {
            require(call.due < registration.ended, "9.3 \(name) is called after its end has returned")
        }
        let values = calls.compactMap(\.new)
        require(values == values.sorted(), "3.1 \(name) gets \(values), out of order")
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
/// - P3: its handler is not entered while it runs, on whichever thread.
final class Chain: @unchecked Sendable {
    private var links: [(old: Int, new: Int)] = []
    private var isRunning = false
    private(set) var token: KeyValueObservation!

    /// Observes a number, or nil for the least one, as long as it lives; calls `body` in the handler.
    init<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = [.old, .new],
        _ body: @escaping (Object, KeyValueObservedChange<Value>) -> Void = { _, _ in }
    ) {
        token = object.observe(keyPath, options: options) { [unowned self] object, change in
            require(!isRunning, "P3 a handler is entered while it runs")
            isRunning = true
            links.append((change.oldValue as? Int ?? .min, change.newValue as? Int ?? .min))
            userCode()
            body(object, change)
            isRunning = false
        }
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

/// Requires that nothing is left of the observers of objects.
func requireAsIfNeverObserved(_ objects: any KeyValueObservable...) {
    let announced: [AnyKeyPath] = [\Cell.value, \Cell.next, \Cell.other]
    for (index, object) in objects.enumerated() {
        require(object.observationInfo.isEmpty, "1.6 object \(index) is still observed")
        let isFree = object.isAsIfNeverObserved && announced.allSatisfy { object.isAsIfNeverObserved($0) }
        require(isFree, "1.6 something still depends on object \(index)")
    }
}
