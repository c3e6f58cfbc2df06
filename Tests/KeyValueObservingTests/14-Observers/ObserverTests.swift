// Observers that are added to the object they observe: 14.1, rows A8 and B2.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("14.1 Observers added to an object")
struct ObserverTests {
    private let boiler = Boiler()
    private let display = Display()

    @Test("A8 The handler gets the observer, the object and the change, with old and new unless options differ")
    func handler() {
        boiler.addObserver(display, for: [\.level]) { [boiler] display, object, change in
            #expect(object === boiler && change.keyPath == \Boiler.level)
            display.log.add(change)
        }
        boiler.addObserver(display, for: [\.name], options: .new) { display, _, change in display.log.add(change) }
        boiler.level = 1
        boiler.name = "a"
        #expect(display.log.take() == ["0→1", "·→a"])
        // The handler holds the object that holds it.
        boiler.removeAllObservers()
    }

    @Test("14.1 A bad key path among several leaves nothing half done")
    func checked() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            Boiler().addObserver(Display(), for: [\.level, \.plain], options: .initial) { _, _, _ in print("half done")
            }
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(!output.contains("half done"))
        #expect(words("Boiler", "@Observed", missingIn: message(of: result)) == [])
    }

    @Test("14.1 One registration for each observer and key path: the first one stays, however the key path is written")
    func again() {
        let boiler = SteamBoiler()
        for _ in 0..<2 {
            boiler.addObserver(display, for: [\SteamBoiler.level]) { display, _, _ in display.log.add("first") }
        }
        boiler.addObserver(display, for: [\.name, \.name]) { display, _, _ in display.log.add("name") }
        boiler.level = 1
        boiler.name = "a"
        #expect(display.log.take() == ["first", "name"])
    }

    @Test(
        "14.1 What another line adds again is left out and reported once, with both places",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func reported() async {
        await #expect(processExitsWith: .success) {
            let notes = Questions()
            KeyValueDiagnostics.noteHandler = { notes.add($0) }
            let (boiler, display) = (SteamBoiler(), Display())
            boiler.addObserver(display, for: [\SteamBoiler.level]) { display, _, _ in display.log.add("first") }
            #expect(notes.take() == [])
            for round in 0..<2 {
                (boiler as Boiler).addObserver(display, for: [\Boiler.level], fileID: "Steam/Second.swift", line: 2) {
                    display, _, _ in display.log.add("second")
                }
                let note = notes.take()
                #expect(note.count == (round == 0 ? 1 : 0))
                for part in ["level", "SteamBoiler", "ObserverTests.swift:", "Steam/Second.swift:2", "removeObserver"]
                where round == 0 { #expect(note.first?.contains(part) ?? false) }
            }
            boiler.level = 1
            #expect(display.log.take() == ["first"])
        }
    }

    @Test("14.1 Observers that are equal are two, and each has its own registration")
    func equalObservers() {
        let (first, second) = (EqualDisplay(), EqualDisplay())
        #expect(first == second)
        for observer in [first, second] {
            boiler.addObserver(observer, for: [\.level]) { observer, _, _ in observer.count += 1 }
        }
        boiler.level = 1
        boiler.removeObserver(first)
        boiler.level = 2
        #expect(first.count == 1 && second.count == 2)
    }

    // #13
    @Test("B2 Removing by key paths, by observer, and all; the list after each step")
    func removing() {
        let other = Display()
        for display in [display, other] {
            boiler.addObserver(display, for: [\.level, \.name, \.isFull]) { display, _, change in
                display.log.add(change)
            }
        }
        let token = boiler.observe(\.level) { _, _ in }
        boiler.removeObserver(display, for: \Boiler.level, \Boiler.isFull)
        #expect(boiler.observationInfo.count == 5)
        boiler.level = 1
        boiler.name = "a"
        #expect(display.log.take() == ["→a"] && other.log.take() == ["0→1", "false→false", "→a"])
        boiler.removeObserver(display)
        #expect(boiler.observationInfo.map(\.observer) == ["Display", "Display", "Display", nil])
        boiler.removeAllObservers()
        #expect(boiler.observationInfo.map(\.observer) == [nil])
        boiler.name = "b"
        #expect(display.log.take() == [] && other.log.take() == [])
        token.invalidate()
        #expect(boiler.observationDescription.hasPrefix("Nobody"))
    }

    @Test(
        "B2 A key path written from the base class removes what was added from the subclass",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func removingFromBase() {
        let boiler = SteamBoiler()
        boiler.addObserver(display, for: [\SteamBoiler.level]) { _, _, _ in }
        (boiler as Boiler).removeObserver(display, for: \Boiler.level)
        #expect(boiler.observationInfo.isEmpty)
        (boiler as Boiler).addObserver(display, for: [\Boiler.level]) { _, _, _ in }
        boiler.removeObserver(display, for: \SteamBoiler.level)
        #expect(boiler.observationInfo.isEmpty)
    }

    @Test("B2 Removing what was never added is nothing")
    func removingNothing() {
        boiler.removeObserver(display, for: \.level)
        boiler.removeObserver(display)
        boiler.removeAllObservers()
        boiler.addObserver(display, for: [\.level]) { _, _, _ in }
        boiler.removeObserver(Display())
        boiler.removeObserver(display, for: \.name)
        #expect(boiler.observationInfo.count == 1)
    }

    @Test("B11 B12 Removing inside a handler: nothing further for it, and adding again at once is legal")
    func removingInside() {
        let other = Display()
        boiler.addObserver(display, for: [\.level]) { [other] display, boiler, _ in
            display.log.add("once")
            boiler.removeObserver(other)
            boiler.removeObserver(display)
            boiler.addObserver(display, for: [\.name]) { display, _, _ in display.log.add("name") }
        }
        boiler.addObserver(other, for: [\.level]) { other, _, _ in other.log.add("never") }
        boiler.level = 1
        boiler.level = 2
        boiler.name = "a"
        #expect(display.log.take() == ["once", "name"] && other.log.take() == [])
    }

    @Test(
        "9.6 A main-actor handler of an observer or owner traps when a change is made elsewhere",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.executors.holds),
        arguments: 0..<2)
    func isolation(form: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [form] in
            let boiler = SharedGauge()
            let counter = await MainActor.run {
                let counter = MainCounter()
                if form == 0 {
                    boiler.addObserver(counter, for: [\.level]) { counter, _, _ in counter.count += 1 }
                } else {
                    counter.observe(boiler, \.level) { counter, _, _ in counter.count += 1 }
                }
                boiler.level = 1
                precondition(counter.count == 1, "not called on the main actor")
                return counter
            }
            await Task.detached { boiler.level = 2 }.value
            withExtendedLifetime(counter) {}
        }
        #expect(words("level", "SharedGauge", "MainActor", missingIn: message(of: result)) == [])
    }
}

/// An observer of any class.
final class Display {
    let log = Log()
}

private final class EqualDisplay: Equatable {
    var count = 0

    static func == (left: EqualDisplay, right: EqualDisplay) -> Bool { true }
}

@MainActor
private final class MainCounter: KeyValueObservationOwner {
    nonisolated let keyValueObservations = KeyValueObservationBag()
    var count = 0
}
