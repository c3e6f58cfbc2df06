// Who lives how long where observers are added to an object: 14.1, 14.3.
import Foundation
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("14.3 Lifetime of added observers")
struct ObserverLifetimeTests {
    // #19
    @Test("14.1 The observer is held weakly, and its registrations go with the next change")
    func observerDies() {
        let boiler = Boiler()
        let log = Log()
        var display: Display? = Display()
        weak let weakDisplay = display
        boiler.addObserver(display!, for: [\.level, \.name]) { _, _, _ in log.add("called") }
        display = nil
        #expect(weakDisplay == nil)
        boiler.level = 1
        #expect(log.take() == [] && boiler.observationInfo.isEmpty)
    }

    @Test("14.1 Observers that die on an object that never changes are forgotten as others come")
    func observersDieQuietly() {
        let boiler = Boiler()
        // An unowned reference keeps the address of what is gone from being used again.
        struct Place {
            unowned let display: Display
        }
        let places = (0..<1_000).map { _ in
            let display = Display()
            boiler.addObserver(display, for: [\.level]) { _, _, _ in }
            return Place(display: display)
        }
        #expect(boiler.observationInfo.count < 100)
        withExtendedLifetime(places) {}
    }

    @Test(
        "14.1 A new observer at the address of a dead one is another one",
        .disabled(if: isUnderSanitizer, "the sanitizer keeps addresses from being used again"))
    func sameAddress() {
        let boiler = Boiler()
        var addresses: Set<ObjectIdentifier> = []
        for round in 1...100 {
            let display = Display()
            addresses.insert(ObjectIdentifier(display))
            boiler.addObserver(display, for: [\.level]) { display, _, _ in display.log.add("called") }
            boiler.level = round
            #expect(display.log.take() == ["called"])
        }
        #expect(addresses.count < 100)
    }

    @Test("14.3 Objects that observe each other and themselves are no cycle")
    func noCycle() {
        var pair: (Boiler, Boiler)? = (Boiler(), Boiler())
        weak let first = pair!.0
        weak let second = pair!.1
        first!.addObserver(second!, for: [\.level]) { observer, _, _ in observer.level += 1 }
        second!.addObserver(first!, for: [\.name]) { observer, _, _ in observer.name += "x" }
        first!.addObserver(first!, for: [\.level]) { observer, _, _ in observer.name += "y" }
        first!.level = 1
        #expect(second!.level == 1 && first!.name == "y")
        pair = nil
        #expect(first == nil && second == nil)
    }

    @Test("B2 B10 An observer removes itself and is added in its deinit: the first works, the second does nothing")
    func inDeinit() {
        let boiler = Boiler()
        var visitor: Visitor? = Visitor(boiler)
        #expect(boiler.observationInfo.count == 1)
        visitor = nil
        #expect(boiler.observationInfo.isEmpty && visitor == nil)
    }
}

private final class Visitor {
    private let boiler: Boiler

    init(_ boiler: Boiler) {
        self.boiler = boiler
        boiler.addObserver(self, for: [\.level]) { _, _, _ in }
    }

    deinit {
        boiler.removeObserver(self, for: \.level)
        boiler.addObserver(self, for: [\.name]) { _, _, _ in }
    }
}
