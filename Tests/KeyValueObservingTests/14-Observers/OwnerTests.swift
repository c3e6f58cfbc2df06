// Owners of registrations: 14.2, rows A9 and B3.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("14.2 Owners")
struct OwnerTests {
    private let boiler = Boiler()
    private let owner = Warden()

    @Test("A9 The handler gets the owner, the source and the change, with old and new unless options differ")
    func handler() {
        owner.observe(boiler, \.level) { [boiler] owner, source, change in
            #expect(source === boiler)
            owner.log.add(change)
        }
        owner.observe(boiler, \.name, options: .new) { owner, _, change in owner.log.add(change) }
        boiler.level = 1
        boiler.name = "a"
        #expect(owner.log.take() == ["0→1", "·→a"])
        #expect(boiler.observationInfo.map(\.observer) == ["Warden", "Warden"])
    }

    @Test("14.2 The same source, key path and line again is ignored; another line or source is not")
    func again() {
        let other = Boiler()
        func watch(_ boiler: Boiler) { owner.observe(boiler, \.level) { owner, _, _ in owner.log.add("watch") } }
        watch(boiler)
        watch(boiler)
        watch(other)
        owner.observe(boiler, \.level) { owner, _, _ in owner.log.add("more") }
        boiler.level = 1
        #expect(owner.log.take() == ["watch", "more"])
        other.level = 1
        #expect(owner.log.take() == ["watch"])
        owner.stopObserving(boiler, \.level)
        watch(boiler)
        boiler.level = 2
        #expect(owner.log.take() == ["watch"])
    }

    @Test("B3 Stopping by source and key path, by source, and all", .enabled(if: hasReflectionMetadata))
    func stopping() {
        let other = Boiler()
        for boiler in [boiler, other] {
            owner.observe(boiler, \.level) { owner, _, _ in owner.log.add("level") }
            owner.observe(boiler, \.name) { owner, _, _ in owner.log.add("name") }
        }
        owner.stopObserving(boiler, \.level)
        #expect(boiler.observationInfo.map(\.keyPath) == ["name"] && other.observationInfo.count == 2)
        owner.stopObserving(boiler)
        #expect(boiler.observationInfo.isEmpty && other.observationInfo.count == 2)
        owner.stopObservingAll()
        #expect(other.observationInfo.isEmpty)
        owner.stopObserving(boiler, \.level)
        owner.stopObserving(boiler)
        owner.stopObservingAll()
    }

    @Test("B3 Equal sources are distinguished by identity")
    func equalSources() {
        let sources = [EqualSource(), EqualSource()]
        #expect(sources[0] == sources[1] && "\(sources[0])" == "\(sources[1])")
        for (index, source) in sources.enumerated() {
            owner.observe(source, \.index) { owner, _, _ in owner.log.add("\(index)") }
        }
        for source in sources { source.index = 1 }
        #expect(owner.log.take() == ["0", "1"])
        owner.stopObserving(sources[0])
        for source in sources { source.index = 2 }
        #expect(owner.log.take() == ["1"])
    }

    @Test("14.2 Everything ends at once with the owner, and nothing holds it")
    func ownerDies() {
        var owner: Warden? = Warden()
        weak let weakOwner = owner
        owner!.observe(boiler, \.level) { _, _, _ in Issue.record("the owner is gone") }
        owner!.observe(boiler, \.isFull) { _, _, _ in }
        owner = nil
        #expect(weakOwner == nil && boiler.observationInfo.isEmpty)
        boiler.level = 1
    }

    @Test("14.2 If another object holds the bag, the next change ends the registrations of a dead owner")
    func bagLives() {
        var owner: Warden? = Warden()
        let bag = owner!.keyValueObservations
        owner!.observe(boiler, \.level) { _, _, _ in Issue.record("the owner is gone") }
        owner!.observe(boiler, \.name) { _, _, _ in }
        owner = nil
        boiler.level = 1
        #expect(boiler.observationInfo.isEmpty)
        withExtendedLifetime(bag) {}
    }

    @Test("14.2 Owners that share a bag stop what is their own")
    func sharedBag() {
        let (first, second) = (Warden(), SharingOwner(owner.keyValueObservations))
        owner.observe(boiler, \.level, fileID: "A", line: 1) { _, _, _ in }
        second.observe(boiler, \.level, fileID: "A", line: 1) { _, _, _ in }
        #expect(boiler.observationInfo.map(\.observer) == ["Warden", "SharingOwner"])
        owner.stopObserving(boiler, \.level)
        owner.stopObserving(boiler)
        owner.stopObservingAll()
        first.stopObservingAll()
        #expect(boiler.observationInfo.map(\.observer) == ["SharingOwner"])
    }

    @Test("B10 Observing and stopping in the owner's deinit does nothing")
    func inDeinit() {
        final class Leaving: KeyValueObservationOwner {
            let keyValueObservations = KeyValueObservationBag()
            let boiler: Boiler
            init(_ boiler: Boiler) { self.boiler = boiler }
            deinit {
                observe(boiler, \.level, options: .initial) { _, _, _ in Issue.record("the owner is leaving") }
                stopObservingAll()
            }
        }
        _ = Leaving(boiler)
        boiler.level = 1
        #expect(boiler.observationInfo.isEmpty)
    }
}

private final class SharingOwner: KeyValueObservationOwner {
    let keyValueObservations: KeyValueObservationBag

    init(_ bag: KeyValueObservationBag) { keyValueObservations = bag }
}

private final class EqualSource: KeyValueObservable, Equatable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var index = 0
    var description: String { "a source" }

    static func == (left: EqualSource, right: EqualSource) -> Bool { true }
}
