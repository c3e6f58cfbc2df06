// Bindings in both directions, with and without conversions: 13.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.2 D13 Binding both ways")
struct BindBothWaysTests {
    private let kept = Kept()
    private let left = Knob("left")
    private let right = Knob("right")
    private let log = Log()

    private func watch(_ knobs: Knob...) -> [KeyValueObservation] {
        knobs.flatMap { knob in
            [
                knob.observe(\.value, options: [.old, .new]) { [log] in log.add($1, as: knob.name) },
                knob.observe(\.text, options: [.old, .new]) { [log] in log.add($1, as: "\(knob.name) text") },
                knob.observe(\.whole, options: [.old, .new]) { [log] in log.add($1, as: "\(knob.name) whole") },
            ]
        }
    }

    private func bindValues() -> KeyValueObservation { left.bindBothWays(\.value, to: right, \.value) }

    /// Loses what is behind the point, and makes of what is no number -1.
    private func bindRounding(_ knob: Knob? = nil) -> KeyValueObservation {
        left.bindBothWays(\.value, to: knob ?? right, \.whole) {
            $0.isNaN ? -1 : Int($0)
        } reverse: {
            $0 < 0 ? .nan : Double($0)
        }
    }

    @Test("13.2 The target gets this side's value; then whichever changes sets the other one, once")
    func bothWays() {
        (left.value, right.value) = (1, 2)
        watch(left, right).store(in: kept)
        let binding = bindValues()
        #expect(log.take() == ["right 2.0→1.0"])
        right.value = 3
        #expect(log.take() == ["right 1.0→3.0", "left 1.0→3.0"])
        left.value = 4
        left.value = 4
        #expect(log.take() == ["left 3.0→4.0", "right 3.0→4.0", "left 4.0→4.0"])
        for _ in 0..<2 { binding.invalidate() }
        (left.value, right.value) = (5, 6)
        #expect(log.take() == ["left 4.0→5.0", "right 4.0→6.0"])
    }

    @Test("13.2 Neither object is held; the death of either ends both directions at once", arguments: [true, false])
    func death(isLeft: Bool) {
        var pair: (Knob, Knob)? = (Knob("left"), Knob("right"))
        weak let dead = isLeft ? pair?.0 : pair?.1
        let binding = pair.map { $0.bindBothWays(\.value, to: $1, \.value) }
        let rest = isLeft ? pair?.1 : pair?.0
        pair = nil
        #expect(dead == nil && binding?.isInvalidated == true)
        #expect(rest?.observationInfo.isEmpty == true)
        rest?.value = 1
        #expect(rest?.value == 1)
    }

    @Test(
        "13.2 A circle of bindings ends at values that agree, even if one of them loses information", arguments: 0..<3)
    func circle(start: Int) {
        let third = Knob("third")
        [
            bindValues(), right.bindBothWays(\.value, to: third, \.value),
            third.bindBothWays(\.value, to: left, \.value), bindRounding(third),
        ].store(in: kept)
        watch(left, right, third).store(in: kept)
        [left, right, third][start].value = 3.5
        #expect([left, right, third].map(\.value) == [3.5, 3.5, 3.5] && third.whole == 3)
        #expect(log.take().sorted() == ["left 0.0→3.5", "right 0.0→3.5", "third 0.0→3.5", "third whole 0→3"])
    }

    @Test("3.4 13.2 Handlers that set back end, before and after the binding, on either side", arguments: 0..<4)
    func settingBack(place: Int) {
        let (corrected, leftChain, rightChain) = (place % 2 == 0 ? left : right, Chain<Double>(), Chain<Double>())
        func correct() -> KeyValueObservation {
            corrected.observe(\.value) { knob, _ in if knob.value > 10 { knob.value = 10 } }
        }
        var tokens = place < 2 ? [correct(), bindValues()] : [bindValues(), correct()]
        tokens.append(left.observe(\.value, options: [.old, .new]) { leftChain.add($1) })
        tokens.append(right.observe(\.value, options: [.old, .new]) { rightChain.add($1) })
        for knob in [left, right] {
            knob.value = 20
            #expect(left.value == 10 && right.value == 10)
        }
        #expect(leftChain.breaks(from: 0, to: 10) == "" && rightChain.breaks(from: 0, to: 10) == "")
        withExtendedLifetime(tokens) {}
    }

    @Test("9.3 13.2 A handler that ends the binding is the last one that it passes a change on to")
    func endingInside() {
        let binding = bindValues()
        left.observe(\.value) { [right] _, _ in
            binding.invalidate()
            right.value = 99
        }.store(in: kept)
        left.value = 1
        #expect(left.value == 1 && right.value == 99)
    }

    @Test("13.2 Two properties of one object, one property with itself, and elements, which set the whole")
    func oneObject() {
        let people = [Person(), Person()]
        [
            left.bindBothWays(\.value, to: left, \.other), left.bindBothWays(\.value, to: left, \.value),
            people[0].bindBothWays(\.tags, to: people[1], \.tags),
        ].store(in: kept)
        left.other = 3
        #expect(left.value == 3)
        left.value = .nan
        #expect(left.other.isNaN)
        people[1].mutable(\.tags).append("a")
        people[0].tags.append("b")
        #expect(people.map(\.tags) == [["a", "b"], ["a", "b"]])
    }

    @Test("13.2 13.3 A value that is equal already is not set; what is ignored is passed on in neither direction")
    func equalOrIgnored() {
        let binding = bindValues()
        left.value = -0.0
        #expect(right.value.sign == .plus)
        binding.ignoringChanges {
            left.value = 1
            #expect(right.value == 0)
            right.value = 2
            #expect(left.value == 1)
        }
        right.value = 3
        #expect(left.value == 3)
    }

    // MARK: Values unequal to themselves

    @Test("13.2 A value unequal to itself is passed on once, from each side and in a circle", arguments: [false, true])
    func notANumber(isCircle: Bool) {
        let third = Knob("third")
        var tokens = [bindValues()]
        if isCircle {
            tokens += [right.bindBothWays(\.value, to: third, \.value), third.bindBothWays(\.value, to: left, \.value)]
        }
        tokens += watch(left, right)
        left.value = .nan
        #expect(right.value.isNaN && third.value.isNaN == isCircle)
        if !isCircle { #expect(log.take() == ["right 0.0→nan", "left 0.0→nan"]) }
        right.value = 1
        #expect(left.value == 1)
        right.value = .nan
        #expect(left.value.isNaN)
        left.value = 2
        #expect(right.value == 2)
        withExtendedLifetime(tokens) {}
    }

    @Test("13.2 What a conversion loses does not come back: what was set stays as it was set")
    func losing() {
        watch(left, right).store(in: kept)
        bindRounding().store(in: kept)
        left.value = 3.75
        left.value = 3.5
        #expect(log.take() == ["left 0.0→3.75", "right whole 0→3", "left 3.75→3.5"])
        right.whole = 3
        right.whole = 4
        #expect(log.take() == ["right whole 3→3", "right whole 3→4", "left 3.5→4.0"])
        left.value = .nan
        right.whole = -5
        right.whole = 2
        #expect(
            log.take() == ["left 4.0→nan", "right whole 4→-1", "right whole -1→-5", "right whole -5→2", "left nan→2.0"])
    }

    @Test("13.2 At the beginning the target is given the value, whatever could be made of its own")
    func beginning() {
        (left.value, right.whole) = (3.5, 3)
        right.bindBothWays(\.whole, to: left, \.value) {
            Double($0)
        } reverse: {
            Int($0)
        }.store(in: kept)
        #expect(left.value == 3 && right.whole == 3)
    }

    @Test("13.2 Where `reverse` returns nil this side stays as it is, and the other one as it was set")
    func reverseReturnsNil() {
        left.whole = 7
        let tokens =
            [
                left.bindBothWays(\.whole, to: right, \.text, forward: { "\($0)" }, reverse: { Int($0) })
            ] + watch(left, right)
        right.text = "seven"
        #expect(log.take() == ["right text 7→seven"] && left.whole == 7 && right.text == "seven")
        right.text = "08"
        #expect(log.take() == ["left whole 7→8", "right text seven→08"] && right.text == "08")
        right.text = ""
        left.whole = 8
        #expect(log.take() == ["right text 08→", "right text →8", "left whole 8→8"])
        withExtendedLifetime(tokens) {}
    }

    @Test("13.2 10.2 In a transaction the side that is set last decides, and each is notified once")
    func transaction() {
        let tokens = [bindRounding()] + watch(left, right)
        withKeyValueTransaction { for value in [3.75, 4.25] { left.value = value } }
        #expect(log.take() == ["right whole 0→4", "left 0.0→4.25"])
        withKeyValueTransaction { for number in [9, 4] { right.whole = number } }
        #expect(log.take() == ["right whole 4→4"] && left.value == 4.25)
        withExtendedLifetime(tokens) {}
    }
}

@Suite("13.2 9.6 Binding both ways on the main actor")
struct BindBothWaysIsolationTests {
    @Test("13.2 9.6 Conversions that are made on the main actor belong to it")
    @MainActor
    func isolated() {
        let (field, model) = (MainDial(), MainDial())
        let binding = model.bindBothWays(\.value, to: field, \.text) {
            "\($0)"
        } reverse: {
            Int($0)
        }
        field.text = "4"
        #expect(model.value == 4)
        withExtendedLifetime(binding) {}
    }
}

private final class Knob: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var value = 0.0
    @Observed var other = 0.0
    @Observed var whole = 0
    @Observed var text = ""

    init(_ name: String) { self.name = name }
}
