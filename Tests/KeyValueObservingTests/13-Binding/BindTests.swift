// Bindings in one direction: 13.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("13.1 D13 Binding one way")
struct BindTests {
    private let kept = Kept()
    private let person = Person()
    private let lamp = Lamp()

    @Test("13.1 The target is set now and at each change, also to equal values, until the token ends")
    func properties() {
        person.age = 3
        let binding = person.bind(\.age, to: lamp, \.brightness)
        #expect(lamp.sets == [3])
        person.age = 4
        person.age = 4
        #expect(lamp.sets == [3, 4, 4])
        binding.invalidate()
        person.age = 5
        #expect(lamp.sets == [3, 4, 4] && person.observationInfo.isEmpty && binding.isInvalidated)
    }

    @Test("13.1 From what an expression makes of a path and of a computed property")
    func transform() {
        let other = Person()
        [
            person.bind(reading: { $0.friend?.name ?? "nobody" }, to: lamp, \.text),
            person.bind(reading: { $0.isAdult ? 100 : 1 }, to: lamp, \.brightness),
        ].store(in: kept)
        #expect(lamp.text == "nobody" && lamp.sets == [1])
        person.friend = other
        other.name = "Ada"
        person.age = 20
        #expect(lamp.text == "Ada" && lamp.sets == [1, 100])
    }

    @Test("13.1 The target is held weakly, and its death ends the binding with the next change")
    func targetDies() {
        var lamp: Lamp? = Lamp()
        weak let weakLamp = lamp
        let binding = lamp.map { person.bind(\.age, to: $0, \.brightness) }
        #expect(person.observationInfo.map(\.observer) == ["Lamp"])
        lamp = nil
        #expect(weakLamp == nil)
        person.age = 1
        #expect(binding?.isInvalidated == true && person.observationInfo.isEmpty)
    }

    @Test("13.1 The death of an object ends its bindings; those within one, and of two with each other, hold neither")
    func noCycle() {
        var pair: (Person, Person)? = (Person(), Person())
        weak let first = pair!.0
        weak let second = pair!.1
        let bindings = [
            first!.bind(reading: { "\($0.age)" }, to: first!, \.name), first!.bind(\.age, to: second!, \.age),
            second!.bind(reading: { [$0.name] }, to: first!, \.tags),
        ]
        pair = nil
        #expect(first == nil && second == nil && bindings.allSatisfy(\.isInvalidated))
    }

    @Test("13.1 2.3 A change of elements sets the whole; the target gets what the observers got, not what is made anew")
    func values() {
        let (other, box) = (Person(), Box())
        [
            person.bind(\.tags, to: other, \.tags), person.bind(\.madeAnew, to: box, \.content),
            person.observe(\.madeAnew, options: .new) { box.seen = $1.newValue ?? nil },
        ].store(in: kept)
        person.tags = ["a", "b"]
        person.mutable(\.tags).remove(at: 0)
        person.tags.append("d")
        #expect(other.tags == ["b", "d"])
        person.age = 1
        #expect(box.content === box.seen)
    }

    @Test(
        "P3 13.1 A value that a handler sets the source to is passed on, and delivered to the handler when it has returned"
    )
    func settingBack() {
        let (other, log) = (Person(), Log())
        [
            person.bind(\.age, to: other, \.age),
            person.observe(\.age, options: [.old, .new]) { person, change in
                log.add(change, as: "source")
                if person.age > 10 { person.age = 10 }
            }, other.observe(\.age, options: [.old, .new]) { _, change in log.add(change, as: "target") },
        ].store(in: kept)
        person.age = 20
        #expect(other.age == 10)
        #expect(log.take() == ["target 0→20", "source 0→20", "target 20→10", "source 20→10"])
    }

    @Test(
        "13.1 A circle of bindings in one direction traps and names the properties",
        .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
        .timeLimit(.minutes(10)))
    func circle() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (left, right) = (Person(), Student())
            let bindings = [left.bind(\.age, to: right, \.age), right.bind(\.age, to: left, \.age)]
            left.age = 1
            withExtendedLifetime(bindings) {}
        }
        #expect(words("endless", "age", missingIn: message(of: result)) == [])
    }

    @Test(
        "9.6 A binding of the main actor traps when the change is made elsewhere",
        .enabled(if: RuntimeAssumption.executors.holds), arguments: [0, 1, 2])
    func isolation(form: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [form] in
            let gauge = SharedGauge()
            let ends = await MainActor.run {
                let dial = MainDial()
                let binding =
                    switch form {
                    case 0: gauge.bind(\.level, to: dial, \.value)
                    case 1: gauge.bind(reading: { $0.level + 1 }, to: dial, \.value)
                    default: gauge.bindBothWays(\.level, to: dial, \.value)
                    }
                gauge.level = 1
                precondition(dial.value > 0)
                return (dial, binding)
            }
            await Task.detached { gauge.level = 2 }.value
            withExtendedLifetime(ends) {}
        }
        #expect(words("SharedGauge", "MainActor", "BindTests.swift:", missingIn: message(of: result)) == [])
    }

    @Test("9.6 A binding that is made outside any actor passes on what any thread changes")
    func anywhere() async {
        let (gauge, other) = (SharedGauge(), SharedGauge())
        gauge.bind(\.level, to: other, \.level).store(in: kept)
        await Task.detached { gauge.level = 2 }.value
        #expect(other.level == 2)
    }
}

extension Person {
    /// Another object each time.
    fileprivate var madeAnew: Box? { age < 0 ? Box() : Box() }
}

private final class Box {
    var content: Box?
    var seen: Box?
}

/// A target that is not observable, and writes down what it is set to.
final class Lamp {
    var text = ""
    private(set) var sets: [Int] = []
    var brightness = 0 { didSet { sets.append(brightness) } }
}

@MainActor
final class MainDial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var value = 0
    @Observed var text = ""
}
