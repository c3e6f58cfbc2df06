// Bindings in both directions: 13.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.2 D13 Binding both ways")
struct BindBothWaysTests {
    private let left = Knob("left")
    private let right = Knob("right")

    @Test("13.2 The target gets this side's value; then whichever changes sets the other one, once")
    func bothWays() {
        left.value = 1
        right.value = 2
        let log = Log()
        let tokens = watch([left, right], log)
        let binding = left.bindBothWays(\.value, to: right, \.value)
        #expect(log.take() == ["right 2.0→1.0"])
        right.value = 3
        #expect(log.take() == ["right 1.0→3.0", "left 1.0→3.0"])
        left.value = 4
        #expect(log.take() == ["left 3.0→4.0", "right 3.0→4.0"])
        left.value = 4
        #expect(log.take() == ["left 4.0→4.0"])
        binding.invalidate()
        binding.invalidate()
        left.value = 5
        right.value = 6
        #expect(log.take() == ["left 4.0→5.0", "right 4.0→6.0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("13.2 One token for both directions")
    func token() {
        var binding: KeyValueObservation? = left.bindBothWays(\.value, to: right, \.value)
        #expect(left.observationInfo.count == 1 && right.observationInfo.count == 1 && !binding!.isInvalidated)
        #expect(binding!.debugDescription == "KeyValueObservation of value")
        binding = nil
        #expect(left.observationInfo.isEmpty && right.observationInfo.isEmpty && binding == nil)
    }

    @Test(
        "13.2 Neither object is held, and the death of either ends both directions at once", arguments: [true, false])
    func death(isLeft: Bool) {
        var pair: (Knob, Knob)? = (Knob("left"), Knob("right"))
        weak let dead = isLeft ? pair!.0 : pair!.1
        let binding = pair!.0.bindBothWays(\.value, to: pair!.1, \.value)
        let rest = isLeft ? pair!.1 : pair!.0
        pair = nil
        #expect(dead == nil && binding.isInvalidated)
        #expect(rest.observationInfo.isEmpty && !rest.isObserved(\.value))
        rest.value = 1
        #expect(rest.value == 1)
    }

    @Test("13.2 A circle of bindings ends, and each observer gets each change once, in order", arguments: 0..<3)
    func circle(start: Int) {
        let knobs = [left, right, Knob("third")]
        let log = Log()
        let tokens =
            watch(knobs, log) + (0..<3).map { knobs[$0].bindBothWays(\.value, to: knobs[($0 + 1) % 3], \.value) }
        knobs[start].value = 7
        #expect(knobs.map(\.value) == [7, 7, 7])
        #expect(log.take().sorted() == ["left 0.0→7.0", "right 0.0→7.0", "third 0.0→7.0"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.4 13.2 Handlers that set back end, before and after the binding, on either side", arguments: 0..<4)
    func settingBack(place: Int) {
        let log = Log()
        let corrected = place % 2 == 0 ? left : right
        func correct() -> KeyValueObservation {
            corrected.observe(\.value) { knob, _ in if knob.value > 10 { knob.value = 10 } }
        }
        var tokens = place < 2 ? [correct()] : []
        tokens.append(left.bindBothWays(\.value, to: right, \.value))
        if place >= 2 { tokens.append(correct()) }
        tokens += watch([left, right], log)
        for knob in [left, right] {
            knob.value = 20
            #expect(left.value == 10 && right.value == 10)
            // What each observer hears is a chain that ends at the value it can read.
            let lines = log.take()
            for name in ["left", "right"] {
                let values = lines.filter { $0.hasPrefix(name) }.map {
                    $0.dropFirst(name.count + 1).split(separator: "→")
                }
                for (change, next) in zip(values, values.dropFirst()) { #expect(change[1] == next[0]) }
                #expect(values.last?[1] ?? "10.0" == "10.0")
            }
            left.value = 0
            _ = log.take()
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "13.2 A value unequal to itself is passed on once, from either side and in a circle", arguments: [false, true])
    func notANumber(isCircle: Bool) {
        let log = Log()
        let third = Knob("third")
        var tokens = [left.bindBothWays(\.value, to: right, \.value)]
        if isCircle {
            tokens += [right.bindBothWays(\.value, to: third, \.value), third.bindBothWays(\.value, to: left, \.value)]
        }
        tokens += watch([left, right], log)
        left.value = .nan
        #expect(right.value.isNaN && third.value.isNaN == isCircle)
        if !isCircle { #expect(log.take() == ["left 0.0→nan", "right 0.0→nan"]) }
        right.value = 1
        #expect(left.value == 1 && right.value == 1)
        right.value = .nan
        #expect(left.value.isNaN)
        left.value = 2
        #expect(right.value == 2)
        withExtendedLifetime(tokens) {}
    }

    @Test("13.2 10.2 A value unequal to itself is passed on once, too, if the target's change is delivered later")
    func deferredNotANumber() {
        let log = Log()
        left.value = .nan
        let tokens = watch([left], log)
        let binding = withKeyValueTransaction { left.bindBothWays(\.value, to: right, \.value) }
        #expect(right.value.isNaN && log.take() == [])
        right.value = 1
        right.willChangeValue(for: \.value)
        left.value = .nan
        right.didChangeValue(for: \.value)
        #expect(right.value.isNaN && log.take() == ["left nan→1.0", "left 1.0→nan"])
        withExtendedLifetime((tokens, binding)) {}
    }

    @Test(
        "13.2 A value unequal to itself that a handler replaces meanwhile does not get lost", arguments: [false, true])
    func replacedNotANumber(isBefore: Bool) {
        func replace() -> KeyValueObservation {
            right.observe(\.pair) { knob, _ in if knob.pair.second == 1 { knob.pair.second = 2 } }
        }
        var tokens = isBefore ? [replace()] : []
        tokens.append(left.bindBothWays(\.pair, to: right, \.pair))
        if !isBefore { tokens.append(replace()) }
        left.pair = Knob.Pair(first: .nan, second: 1)
        #expect(left.pair.second == 2 && right.pair.second == 2)
        withExtendedLifetime(tokens) {}
    }

    @Test("9.3 13.2 A handler that ends the binding is the last one that it passes a change on to")
    func endingInside() {
        let binding = left.bindBothWays(\.value, to: right, \.value)
        let token = left.observe(\.value) { [right] _, _ in
            binding.invalidate()
            right.value = 99
        }
        left.value = 1
        #expect(left.value == 1 && right.value == 99)
        withExtendedLifetime(token) {}
    }

    @Test("13.2 Two properties of one object, and one property with itself")
    func oneObject() {
        let tokens = [left.bindBothWays(\.value, to: left, \.other), left.bindBothWays(\.value, to: left, \.value)]
        left.other = 3
        #expect(left.value == 3)
        left.value = .nan
        #expect(left.other.isNaN)
        withExtendedLifetime(tokens) {}
    }

    @Test("13.2 A change of elements sets the whole on the other side")
    func elements() {
        let people = [Person(), Person()]
        let binding = people[0].bindBothWays(\.tags, to: people[1], \.tags)
        people[1].mutable(\.tags).append("a")
        people[0].tags.append("b")
        #expect(people.map(\.tags) == [["a", "b"], ["a", "b"]])
        withExtendedLifetime(binding) {}
    }

    @Test("9.2 13.2 Bound objects changed on eight threads under one lock agree after each change")
    func threads() {
        let knobs = Unchecked(value: (0..<3).map { Knob("\($0)") })
        let guardian = Guarded(true)
        let start = Meeting(of: 8)
        let steady = knobs.value[0].bindBothWays(\.value, to: knobs.value[1], \.value)
        onThreads(8) { thread in
            start.arrive()
            for round in 0..<50 {
                let binding = guardian.withLock { _ in
                    Unchecked(value: knobs.value[1].bindBothWays(\.value, to: knobs.value[2], \.value))
                }.value
                guardian.withLock { _ in
                    knobs.value[thread % 2].value = Double(thread * 100 + round)
                    if Set(knobs.value.map(\.value)).count != 1 { Issue.record("they differ") }
                }
                // Ending needs no lock.
                binding.invalidate()
            }
        }
        #expect(knobs.value.map(\.observationInfo.count) == [1, 1, 0])
        steady.invalidate()
    }

    private func watch(_ knobs: [Knob], _ log: Log) -> [KeyValueObservation] {
        knobs.map { $0.observe(\.value, options: [.old, .new]) { knob, change in log.add(change, as: knob.name) } }
    }
}

private final class Knob: KeyValueObservable {
    struct Pair: Equatable {
        var first = 0.0
        var second = 0
    }

    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var value = 0.0
    @Observed var other = 0.0
    @Observed var pair = Pair()

    init(_ name: String) {
        self.name = name
    }
}
