// Conformance cases of group 1 with several objects, observers or key paths, and those about the object itself.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 1: several objects and observers")
struct ManyRegistrationCases {
    private let log = Log()
    private let watcher = Watcher()

    @Test("#25 Unobserving one key path or one object leaves the rest")
    func unobserveSome() {
        let samples = [Sample("a"), Sample("b")]
        let screen = Spectator(log: log)
        for sample in samples {
            screen.kvo.observe(sample, \.text) { $0.log.add($2, as: "\($1).text") }
            screen.kvo.observe(sample, \.number) { $0.log.add($2, as: "\($1).number") }
        }
        func change() -> [String] {
            for sample in samples {
                sample.text = "x"
                sample.number += 1
            }
            return log.take()
        }
        #expect(change() == ["a.text ·→·", "a.number ·→·", "b.text ·→·", "b.number ·→·"])
        screen.kvo.unobserve(samples[0], \.text)
        #expect(change() == ["a.number ·→·", "b.text ·→·", "b.number ·→·"])
        screen.kvo.unobserve(samples[1])
        #expect(change() == ["a.number ·→·"])
        withExtendedLifetime(screen) {}
    }

    @Test("#26 One handler for several key paths is called once per change, with the key path that changed")
    func severalKeyPaths() {
        let sample = Sample()
        let screen = Spectator(log: log)
        screen.kvo.observe(sample, keyPaths: [\.text, \.number, \.derived], options: .new) { screen, _, change in
            let names: [AnyKeyPath: String] = [
                \Sample.text: "text", \Sample.number: "number", \Sample.derived: "derived",
            ]
            screen.log.add(change, as: names[change.keyPath] ?? "?")
        }
        sample.number = 1
        #expect(log.take() == ["number ·→1"])
        sample.text = "a"
        #expect(log.take() == ["text ·→a", "derived ·→!!!a!!!"])
        withExtendedLifetime(screen) {}
    }

    @Test("#27 One observer of four objects is notified of the one that changed")
    func manyTargets() {
        let samples = (1...4).map { Sample("\($0)") }
        for sample in samples { watcher.watch(sample, \.firstTrigger, as: "\(sample)", [.old, .new]) }
        samples[2].firstTrigger.toggle()
        #expect(watcher.take() == ["3 false→true"])
        samples[0].firstTrigger.toggle()
        #expect(watcher.take() == ["1 false→true"])
    }

    @Test("#27 Of many observers of one object, those that remain are notified once each")
    func manyObservers() {
        let sample = Sample()
        var screens: [Spectator?] = (1...5).map { Spectator("\($0)", log: log) }
        for screen in screens { screen?.kvo.observe(sample, \.firstTrigger, action: Spectator.redraw) }
        sample.firstTrigger.toggle()
        #expect(log.take() == ["1 redraws", "2 redraws", "3 redraws", "4 redraws", "5 redraws"])
        screens[1]?.kvo.unobserve(sample, \.firstTrigger)
        screens[3] = nil
        sample.firstTrigger.toggle()
        #expect(log.take() == ["1 redraws", "3 redraws", "5 redraws"])
        withExtendedLifetime(screens) {}
    }

    @Test("#29 An object that observes itself may end that in deinit")
    func selfObservationEndsInDeinit() {
        final class Selfish: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var value = 0
            var token: KeyValueObservation?

            deinit { token?.invalidate() }
        }
        var selfish: Selfish? = Selfish()
        weak let gone = selfish
        selfish?.token = selfish?.observe(\.value, options: .new) { [log] in log.add($1) }
        selfish?.value = 1
        #expect(log.take() == ["·→1"])
        selfish = nil
        #expect(gone == nil)
    }

    @Test("#30 An object that observes itself is notified, and its registration ends with it")
    func selfObservation() {
        let log = log
        var person: Person? = Person()
        weak let gone = person
        person?.kvoController.observe(person, \.age, options: .new) { _, _, change in log.add(change) }
        person?.age = 1
        #expect(log.take() == ["·→1"])
        person = nil
        #expect(gone == nil)
    }

    /// Observes some elements of an array, as Cocoa's `addObserver(_:toObjectsAt:…)` does.
    private func observe(_ samples: [Sample], at indexes: RangeSet<Int>, _ options: KeyValueObservingOptions = [])
        -> [KeyValueObservation]
    {
        samples[indexes].map { sample in
            sample.observe(\.number, options: options) { [log] in log.add($1, as: "\(sample)") }
        }
    }

    @Test("#32 Observing elements by index delivers changes of those elements, until each is removed")
    func elementsAtIndexes() {
        let samples = (0...2).map { Sample("\($0)") }
        var tokens = observe(samples, at: RangeSet(0..<2))
        samples[0].number += 1
        samples[0].number += 1
        #expect(log.take() == ["0 ·→·", "0 ·→·"])
        samples[1].number += 1
        #expect(log.take() == ["1 ·→·"])
        samples[2].number += 1
        #expect(log.take() == [])
        tokens.removeFirst()
        samples[0].number += 1
        #expect(log.take() == [])
        samples[1].number += 1
        #expect(log.take() == ["1 ·→·"])
        tokens.removeFirst()
        samples[1].number += 1
        #expect(log.take() == [])
    }

    @Test("#34 Observing an element that is not there traps as the array does")
    func elementOutOfRange() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let samples = [Sample()]
            _ = samples[1].observe(\.number) { _, _ in }
        }
        // Optimized, an array traps without a sentence.
        #if DEBUG
        #expect(words("index out of range", missingIn: message(of: result)) == [])
        #else
        #expect(result != nil)
        #endif
    }

    @Test("#35 Collections are values and not observable objects")
    func collectionsAreNotObservable() {
        let values: [Any] = [[Sample()], ["a": Sample()], Set([1]), "text"]
        for value in values { #expect(!(value is any KeyValueObservable)) }
        #expect(Sample() as Any is any KeyValueObservable)
    }

    @Test("#36 Adding and removing the last observer leaves the object as it was (1.6)")
    func traceless() {
        let sample = Sample()
        let id = ObjectIdentifier(sample)
        #expect(sample.observationInfo.isEmpty && !sample.isObserved(\.text))
        let plain = watcher.watch(sample, \.text)
        let computed = watcher.watch(sample, \.derived)
        #expect(sample.observationInfo.count == 2 && sample.isObserved(\.text) && sample.isObserved(\.derived))
        #expect(type(of: sample) == Sample.self && ObjectIdentifier(sample) == id && "\(sample)" == "sample")
        plain.invalidate()
        computed.invalidate()
        #expect(sample.observationInfo.isEmpty && !sample.isObserved(\.text) && !sample.isObserved(\.derived))
    }

    @Test("#38 A path with a nil middle may be registered and removed again")
    func nilMiddle() {
        let sample = Sample()
        let token = watcher.watch(sample, \.child?.child, .initial)
        #expect(watcher.take() == ["·→·"])
        token.invalidate()
        #expect(sample.observationInfo.isEmpty)
    }
}
