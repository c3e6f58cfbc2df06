// A registration made while other threads set receives one chain, from the value at that moment to the last one: 17.3.
import KeyValueObserving
import TestSupport
import Testing

/// The deliveries to a registration: whether each old value is the one before, and the first and the last value.
private final class Told: Sendable {
    private struct State {
        var first: Int?
        var last: Int?
        var faults: [String] = []
        var count = 0
    }

    private let state = Guarded(State())

    func addInitial(_ value: Int?) {
        state.withLock { state in
            if state.count > 0 { state.faults.append("the initial call is number \(state.count + 1)") }
            (state.first, state.last, state.count) = (value, value, state.count + 1)
        }
    }

    func add(_ old: Int?, _ new: Int?) {
        state.withLock { state in
            if old == nil || state.count > 0 && old != state.last {
                state.faults.append("\(old ?? -1)→\(new ?? -1) after \(state.last ?? -1)")
            }
            if state.count == 0 { state.first = old }
            (state.last, state.count) = (new, state.count + 1)
        }
    }

    func add(_ change: KeyValueObservedChange<Int>, isInitial: Bool) {
        if isInitial, state.withLock({ $0.count }) == 0 {
            // Whatever other threads do, it has no old value.
            if change.oldValue != nil { state.withLock { $0.faults.append("the initial call comes late") } }
            addInitial(change.newValue)
        } else {
            add(change.oldValue, change.newValue)
        }
    }

    /// Nothing, if all is as it must be for a value that only grows.
    func faults(registeredBefore value: Int, last: Int, isInitial: Bool) -> [String] {
        state.withLock { state in
            var faults = state.faults
            if (isInitial || value < last) && state.last != last {
                faults.append("told \(state.last ?? -1) last, it is \(last)")
            }
            if let first = state.first, first > value { faults.append("began with \(first) after \(value)") }
            return faults
        }
    }
}

/// What is registered at a property, at a computed one, at a path or at an expression.
private enum Form: CaseIterable {
    case plain, initial, distinct, initialDistinct, onChange, onChangeInitial

    var isInitial: Bool { [.initial, .initialDistinct, .onChangeInitial].contains(self) }

    func register(_ tally: Tally, _ place: Int, _ told: Told) -> KeyValueObservation {
        func optional(_ keyPath: KeyPath<Tally, Int?>) -> KeyValueObservation {
            switch self {
            case .onChange, .onChangeInitial:
                return tally.onChange(of: keyPath, initial: isInitial) { @Sendable old, new in add(old, new) }
            default:
                return tally.observe(keyPath, options: options) { @Sendable _, change in
                    told.add(change.mapValues { $0 ?? -1 }, isInitial: isInitial)
                }
            }
        }
        @Sendable func add(_ old: Int?, _ new: Int?) {
            // The first call of onChange(initial:) has the value twice.
            if isInitial, old == new { told.addInitial(new) } else { told.add(old, new) }
        }
        switch (place, self) {
        case (3, _): return optional(\.next?.count)
        case (4, .onChange), (4, .onChangeInitial):
            return tally.onChange(reading: { $0.count + $0.other }, initial: isInitial) { @Sendable in add($0, $1) }
        case (4, _):
            return tally.observe(reading: { $0.count + $0.other }, options: options) { @Sendable in
                told.add($1, isInitial: isInitial)
            }
        case (_, .onChange), (_, .onChangeInitial):
            return tally.onChange(of: Self.keyPath(place), initial: isInitial) { @Sendable in add($0, $1) }
        default:
            return tally.observe(Self.keyPath(place), options: options) { @Sendable in
                told.add($1, isInitial: isInitial)
            }
        }
    }

    private var options: KeyValueObservingOptions {
        switch self {
        case .initial: [.initial, .old, .new]
        case .initialDistinct: [.initial, .old, .new, .distinct]
        case .distinct: [.old, .new, .distinct]
        default: [.old, .new]
        }
    }

    private static func keyPath(_ place: Int) -> KeyPath<Tally, Int> {
        switch place {
        case 0: \.count
        case 1: \.double
        default: \.sum
        }
    }

    static func value(_ tally: Tally, _ place: Int) -> Int {
        switch place {
        case 0: tally.count
        case 1: tally.double
        case 3: tally.next?.count ?? 0
        default: tally.sum
        }
    }
}

@Suite("17.3 Registering while other threads set")
struct RegisteringMeanwhileTests {
    private let kept = Kept()

    @Test(
        "17.3 P1 16.1 Whatever other threads do, the chain begins with the value at registration and ends with the last",
        arguments: Form.allCases, 0..<5)
    private func stress(form: Form, place: Int) {
        for round in 0..<40 {
            let (tally, told, start) = (Tally(), Told(), Meeting(of: 2))
            tally.next = tally
            let before = Guarded(0)
            // There is another observer, or none.
            let other = round.isMultiple(of: 3) ? nil : tally.observe(\.sum, options: .new) { @Sendable _, _ in }
            let token = Guarded<KeyValueObservation?>(nil)
            onThreads(2) { thread in
                start.arrive()
                if thread == 1 {
                    for _ in 0..<(round % 7) { _ = tally.count }
                    let made = form.register(tally, place, told)
                    before.withLock { $0 = Form.value(tally, place) }
                    token.withLock { $0 = made }
                    return
                }
                for step in 0..<12 {
                    switch (round + step) % 3 {
                    case 0: tally.count += 1
                    case 1: tally.other = tally.other + 1
                    default: tally.count = tally.count + 1
                    }
                }
            }
            let faults = told.faults(
                registeredBefore: before.withLock { $0 }, last: Form.value(tally, place), isInitial: form.isInitial)
            #expect(faults == [], "round \(round)")
            withExtendedLifetime((token, other)) {}
        }
    }

    @Test(
        "17.3 While another thread calls, a registration's chain is one, in whichever order the two go on",
        arguments: Form.allCases, 0..<5)
    private func held(form: Form, place: Int) {
        for isSetBefore in [false, true] {
            let (tally, told, held) = (Tally(), Told(), HeldChange())
            tally.next = tally
            // It holds the line of the count, and the claim of what depends on it.
            [
                tally.observe(\.count) { @Sendable _, change in if change.newValue == 1 { held.hold() } },
                tally.observe(\.sum) { @Sendable _, _ in }, tally.observe(\.next?.count) { @Sendable _, _ in },
                tally.observe(\.double) { @Sendable _, _ in },
            ].store(in: kept)
            held.begin { tally.count = 1 }
            if isSetBefore { tally.count = 2 }
            let token = form.register(tally, place, told)
            let value = Form.value(tally, place)
            (tally.other, tally.count) = (7, 3)
            tally.count += 1
            held.finish()
            tally.other += 1
            let last = Form.value(tally, place)
            #expect(told.faults(registeredBefore: value, last: last, isInitial: form.isInitial) == [])
            withExtendedLifetime(token) {}
        }
    }

    @Test("17.3 9.3 What is ended before its first call was handed over is never called", arguments: 0..<4)
    func endedBefore(way: Int) {
        let (tally, log, held) = (Tally(), Log(), HeldChange())
        let target = Tally()
        tally.observe(\.count) { @Sendable _, change in if change.newValue == 1 { held.hold() } }.store(in: kept)
        func register() -> KeyValueObservation {
            switch way {
            case 0: tally.observe(\.count, options: [.initial, .old, .new]) { @Sendable in log.add($1) }
            case 1: tally.onChange(of: \.count, initial: true) { @Sendable in log.add("\($0)→\($1)") }
            case 2: tally.observe(\.count, options: .initial) { @Sendable _, _ in log.add("called") }
            default: tally.bind(\.count, to: target, \.other)
            }
        }
        held.begin { tally.count = 1 }
        register().invalidate()
        var token: KeyValueObservation? = register()
        token = nil
        let calls = log.take()
        tally.count = 2
        held.finish()
        tally.count = 3
        #expect(log.take() == [] && calls == [] && target.other == 0)
        withExtendedLifetime(token) {}
    }

    @Test("17.3 The thread that tells makes the first call, which may be after `observe` has returned")
    func handedOver() {
        let (tally, log, held) = (Tally(), Log(), HeldChange())
        tally.observe(\.count) { @Sendable _, change in if change.newValue == 1 { held.hold() } }.store(in: kept)
        held.begin { tally.count = 1 }
        let token = tally.observe(\.count, options: [.initial, .old, .new]) { @Sendable in log.add($1) }
        tally.count = 2
        #expect(log.take() == [])
        held.finish()
        #expect(log.take() == ["·→1", "1→2"])
        tally.count = 3
        #expect(log.take() == ["2→3"])
        withExtendedLifetime(token) {}
    }

    @Test("17.3 16.4 Elements that arrive first are those of one moment, and what other threads change follows")
    func elements() {
        for _ in 0..<100 {
            let (owner, start, members) = (Team(), Meeting(of: 2), (0..<4).map { _ in Tally() })
            owner.members = [members[0]]
            let present = Guarded<[ObjectIdentifier: Int]>([:])
            let token = Guarded<KeyValueObservation?>(nil)
            onThreads(2) { thread in
                start.arrive()
                if thread == 0 {
                    for member in members.dropFirst() { owner.mutable(\.members).append(member) }
                    owner.mutable(\.members).removeFirst()
                } else {
                    let made = owner.observe(eachOf: \.members, \.count) { @Sendable _, _, _ in
                    } arrival: { @Sendable _, member in
                        present.withLock { $0[ObjectIdentifier(member), default: 0] += 1 }
                    } departure: { @Sendable _, member in
                        present.withLock { $0[ObjectIdentifier(member), default: 0] -= 1 }
                    }
                    token.withLock { $0 = made }
                }
            }
            let ids = Set(members.dropFirst().map { ObjectIdentifier($0) })
            #expect(
                present.withLock { $0.filter { $0.value != 0 } }
                    == Dictionary(uniqueKeysWithValues: ids.map { ($0, 1) }))
            withExtendedLifetime(token) {}
        }
    }
}

/// Has members that any thread may change.
private final class Team: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var members: [Tally] = []
}
