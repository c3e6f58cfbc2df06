// Bindings in both directions with a conversion each way: 13.2.
import KeyValueObserving
import TestSupport
import Testing

private final class Dial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var exact = 0.0
    @Observed var whole = 0
    @Observed var text = ""
}

@Suite("13.2 Binding both ways with conversions")
struct ConvertingBindingTests {
    private let left = Dial()
    private let right = Dial()
    private let log = Log()

    private func watch() -> [KeyValueObservation] {
        [
            left.observe(\.exact, options: [.old, .new]) { [log] in log.add($1, as: "exact") },
            left.observe(\.text, options: [.old, .new]) { [log] in log.add($1, as: "text") },
            right.observe(\.whole, options: [.old, .new]) { [log] in log.add($1, as: "whole") },
        ]
    }

    private func bindRounding() -> KeyValueObservation {
        left.bindBothWays(\.exact, to: right, \.whole) {
            Int($0)
        } reverse: {
            Double($0)
        }
    }

    private func bindText() -> KeyValueObservation {
        left.bindBothWays(\.text, to: right, \.whole) {
            Int($0) ?? -1
        } reverse: {
            "\($0)"
        }
    }

    @Test("13.2 The target gets what is made of this side's value; then whichever changes sets the other one, once")
    func bothWays() {
        left.exact = 2
        let tokens = watch()
        let binding = bindRounding()
        #expect(log.take() == ["whole 0→2"])
        right.whole = 5
        #expect(log.take() == ["whole 2→5", "exact 2.0→5.0"])
        left.exact = 7
        #expect(log.take() == ["exact 5.0→7.0", "whole 5→7"])
        binding.invalidate()
        left.exact = 8
        right.whole = 9
        #expect(log.take() == ["exact 7.0→8.0", "whole 7→9"] && binding.isInvalidated)
        withExtendedLifetime(tokens) {}
    }

    @Test("13.2 What a conversion loses does not come back: what was set stays as it was set")
    func losing() {
        let tokens = watch()
        let binding = bindRounding()
        left.exact = 3.75
        #expect(log.take() == ["exact 0.0→3.75", "whole 0→3"])
        left.exact = 3.5
        #expect(log.take() == ["exact 3.75→3.5"])
        right.whole = 3
        #expect(log.take() == ["whole 3→3"] && left.exact == 3.5)
        right.whole = 4
        #expect(log.take() == ["whole 3→4", "exact 3.5→4.0"])
        withExtendedLifetime((tokens, binding)) {}
    }

    @Test("13.2 Text that is read as the same number stays as it was written; what cannot be read stays, too")
    func text() {
        let tokens = watch()
        let binding = bindText()
        #expect(log.take() == ["whole 0→-1"])
        left.text = "007"
        #expect(log.take() == ["text →007", "whole -1→7"])
        left.text = "seven"
        #expect(log.take() == ["text 007→seven", "whole 7→-1"])
        right.whole = 8
        #expect(log.take() == ["whole -1→8", "text seven→8"])
        withExtendedLifetime((tokens, binding)) {}
    }

    @Test("13.2 At the beginning the target is given the value, whatever could be made of its own")
    func beginning() {
        left.exact = 3.5
        right.whole = 3
        let binding = right.bindBothWays(\.whole, to: left, \.exact) {
            Double($0)
        } reverse: {
            Int($0)
        }
        #expect(left.exact == 3 && right.whole == 3)
        withExtendedLifetime(binding) {}
    }

    @Test("13.2 A value unequal to itself is passed on once, to and from a type that has none")
    func notANumber() {
        let tokens = watch()
        let binding = left.bindBothWays(\.exact, to: right, \.whole) {
            $0.isNaN ? -1 : Int($0)
        } reverse: {
            $0 < 0 ? .nan : Double($0)
        }
        left.exact = .nan
        #expect(log.take() == ["exact 0.0→nan", "whole 0→-1"])
        right.whole = 2
        #expect(log.take() == ["whole -1→2", "exact nan→2.0"])
        right.whole = -5
        #expect(log.take() == ["whole 2→-5", "exact 2.0→nan"])
        withExtendedLifetime((tokens, binding)) {}
    }

    @Test("13.2 A value unequal to itself is passed on once between two types that have one")
    func notANumberOnBothSides() {
        let other = Dial()
        let single = Single()
        let binding = other.bindBothWays(\.exact, to: single, \.value) {
            Float($0)
        } reverse: {
            Double($0)
        }
        let count = Log()
        let tokens = [
            other.observe(\.exact) { _, _ in count.add("exact") },
            single.observe(\.value) { _, _ in count.add("single") },
        ]
        other.exact = .nan
        #expect(single.value.isNaN && count.take() == ["exact", "single"])
        single.value = 1
        #expect(other.exact == 1 && count.take() == ["single", "exact"])
        single.value = .nan
        #expect(other.exact.isNaN && count.take() == ["single", "exact"])
        withExtendedLifetime((tokens, binding)) {}
    }

    @Test("13.2 10.2 In a transaction the side that is set last decides, and each is delivered once")
    func transaction() {
        let binding = bindRounding()
        let tokens = watch()
        withKeyValueTransaction {
            left.exact = 3.75
            left.exact = 4.25
        }
        #expect(log.take() == ["exact 0.0→4.25", "whole 0→4"])
        withKeyValueTransaction {
            right.whole = 9
            right.whole = 4
        }
        #expect(log.take() == ["whole 4→4"] && left.exact == 4.25)
        withExtendedLifetime((tokens, binding)) {}
    }

    @Test("13.2 The death of either object ends both directions", arguments: [true, false])
    func death(isLeft: Bool) {
        var pair: (Dial, Dial)? = (Dial(), Dial())
        weak let dead = isLeft ? pair!.0 : pair!.1
        let binding = pair!.0.bindBothWays(\.exact, to: pair!.1, \.whole) {
            Int($0)
        } reverse: {
            Double($0)
        }
        let rest = isLeft ? pair!.1 : pair!.0
        pair = nil
        #expect(dead == nil && binding.isInvalidated && rest.observationInfo.isEmpty)
        rest.exact = 1
        rest.whole = 1
    }

    @Test("13.2 A circle of bindings, one of which loses something, ends at values that agree", arguments: 0..<3)
    func circle(start: Int) {
        let third = Dial()
        let bindings = [
            bindRounding(),
            right.bindBothWays(\.whole, to: third, \.exact) {
                Double($0)
            } reverse: {
                Int($0)
            },
            third.bindBothWays(\.exact, to: left, \.exact),
        ]
        switch start {
        case 0: left.exact = 3.5
        case 1: right.whole = 3
        default: third.exact = 3.5
        }
        #expect(Int(left.exact) == 3 && right.whole == 3 && third.exact == left.exact)
        withExtendedLifetime(bindings) {}
    }

    @Test("3.4 13.2 Handlers that correct what they are given end, on either side", arguments: [true, false])
    func correcting(isLeft: Bool) {
        let limit =
            isLeft
            ? left.observe(\.exact) { dial, _ in if dial.exact > 10 { dial.exact = 10 } }
            : right.observe(\.whole) { dial, _ in if dial.whole > 10 { dial.whole = 10 } }
        let binding = bindRounding()
        left.exact = 20.5
        #expect(left.exact == 10 && right.whole == 10)
        right.whole = 30
        #expect(left.exact == 10 && right.whole == 10)
        withExtendedLifetime((limit, binding)) {}
    }
}

@Suite("13.2 9.6 Binding both ways with conversions on the main actor")
struct ConvertingBindingIsolationTests {
    @Test("13.2 9.6 Made on the main actor, it belongs to the main actor")
    @MainActor
    func isolated() {
        let (field, model) = (MainDial(), MainDial())
        let binding = model.bindBothWays(\.count, to: field, \.text) {
            "\($0)"
        } reverse: {
            Int($0) ?? 0
        }
        field.text = "4"
        #expect(model.count == 4)
        withExtendedLifetime(binding) {}
    }
}

private final class Single: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value: Float = 0
}

@MainActor
private final class MainDial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var text = ""
}
