// The views of sets and dictionaries: section 7 of the contract, row C16 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7 C16 Views of sets and dictionaries")
struct SetViewTests {
    private let kept = Kept()
    private let band = Band(genres: ["folk", "jazz"], ages: ["Ann": 30, "Bob": 40])
    private let log = Log()

    private func observe(_ band: Band, _ options: KeyValueObservingOptions = [.old, .new]) -> KeyValueObservation {
        band.observe(\.genres, options: options) { [log] in log.addToMany($1) }
    }

    typealias Call = (call: @Sendable (ObservedMutableSet<String>) -> Void, told: [String], left: String)

    static let calls: [Call] = [
        ({ $0.insert("rock") }, ["insertion ·→[rock]"], "folk jazz rock"),
        ({ $0.insert("jazz") }, [], "folk jazz"),
        ({ $0.update(with: "rock") }, ["insertion ·→[rock]"], "folk jazz rock"),
        ({ $0.update(with: "jazz") }, ["replacement [jazz]→[jazz]"], "folk jazz"),
        ({ $0.remove("jazz") }, ["removal [jazz]→·"], "folk"),
        ({ $0.remove("rock") }, [], "folk jazz"),
        ({ $0.removeAll() }, ["removal [folk, jazz]→·"], ""),
        ({ $0.formUnion(["jazz", "pop", "rock"]) }, ["insertion ·→[pop, rock]"], "folk jazz pop rock"),
        ({ $0.formUnion(["jazz"]) }, [], "folk jazz"),
        ({ $0.subtract(["jazz", "pop", "jazz"]) }, ["removal [jazz]→·"], "folk"),
        ({ $0.subtract(["pop"]) }, [], "folk jazz"),
        ({ $0.formIntersection(["jazz", "pop"]) }, ["removal [folk]→·"], "jazz"),
        ({ $0.formIntersection(["jazz", "folk", "pop"]) }, [], "folk jazz"),
        ({ $0.formSymmetricDifference(["jazz", "pop"]) }, ["removal [jazz]→·", "insertion ·→[pop]"], "folk pop"),
        ({ $0.formSymmetricDifference(["pop"]) }, ["insertion ·→[pop]"], "folk jazz pop"),
        ({ $0.formSymmetricDifference([]) }, [], "folk jazz"),
        ({ $0.set(["jazz", "pop"]) }, ["replacement [folk]→[pop]"], "jazz pop"),
        ({ $0.set(["jazz", "folk", "pop"]) }, ["replacement []→[pop]"], "folk jazz pop"),
        ({ $0.set(["jazz", "folk"]) }, [], "folk jazz"),
        ({ $0.value = ["jazz", "pop"] }, ["setting [folk, jazz]→[jazz, pop]"], "jazz pop"),
    ]

    // #188 #189 #191 #193 #196 #197 #199 #200 #313 #317 #318
    @Test(
        "7.2 Each method delivers the members that really come and go, or nothing",
        arguments: calls.indices)
    func methods(index: Int) {
        let call = Self.calls[index]
        let views = [(band.mutable(\.genres), true), (band.mutable(\.genres), true), (band.mutable(\.styles), false)]
        for (view, isStored) in views {
            band.genres = ["folk", "jazz"]
            let token = observe(band)
            let computed = band.observe(\.styles, options: [.old, .new]) { [log] in log.addToMany($1, as: "styles") }
            call.call(view)
            let told = log.take().map { $0.replacing("\"", with: "") }
            #expect(band.genres.sorted().joined(separator: " ") == call.left)
            // Through the accessors of the computed property both are set.
            let (own, styles) = (told.filter { !$0.hasPrefix("styles") }, told.filter { $0.hasPrefix("styles") })
            #expect(isStored ? own == call.told : own.allSatisfy { $0.hasPrefix("setting") })
            #expect(styles.allSatisfy { $0.hasPrefix("styles setting") })
            #expect(own.count == call.told.count && styles.count == call.told.count)
            withExtendedLifetime((token, computed)) {}
        }
    }

    @Test("7.1 7.2 The results are those of a set and of a dictionary")
    func results() {
        let view = band.mutable(\.genres)
        #expect(view.insert("rock") == (true, "rock") && view.insert("rock") == (false, "rock"))
        #expect(view.update(with: "pop") == nil && view.update(with: "pop") == "pop")
        #expect(view.remove("pop") == "pop" && view.remove("pop") == nil)
        #expect(
            view.contains("jazz") && !view.contains("pop") && view.count == 3
                && view.sorted() == ["folk", "jazz", "rock"])
        let ages = band.mutable(\.ages)
        #expect(ages.updateValue(31, forKey: "Ann") == 30 && ages.updateValue(50, forKey: "Cy") == nil)
        #expect(ages.removeValue(forKey: "Cy") == 50 && ages.removeValue(forKey: "Cy") == nil)
        #expect(band.ages == ["Ann": 31, "Bob": 40])
    }

    @Test("7.1 3.4 Entries that a prior handler adds under other keys stay when an entry is inserted")
    func dictionaryAfterPrior() {
        var isFirst = true
        band.observe(\.ages, options: .prior) { band, change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            band.ages = ["Bob": 2]
        }.store(in: kept)
        band.mutable(\.ages).updateValue(1, forKey: "Ann")
        #expect(band.ages == ["Ann": 1, "Bob": 2])
    }

    @Test("7.2 A member that takes an equal one's place is the new one")
    func updateReplaces() {
        let holder = Holder()
        holder.observe(\.items, options: [.old, .new]) { [log] _, change in
            log.add("\(change.kind) \(change.oldValue?.first?.tag ?? "·") \(change.newValue?.first?.tag ?? "·")")
        }.store(in: kept)
        holder.mutable(\.items).insert(Tagged(id: 1, tag: "a"))
        #expect(holder.mutable(\.items).update(with: Tagged(id: 1, tag: "b"))?.tag == "a")
        #expect(holder.mutable(\.items).insert(Tagged(id: 1, tag: "c")).memberAfterInsert.tag == "b")
        #expect(holder.items.first?.tag == "b")
        #expect(holder.mutable(\.items).remove(Tagged(id: 1, tag: "d"))?.tag == "b")
        #expect(log.take() == ["insertion · a", "replacement a b", "removal b ·"])
    }

    @Test("6.6 A path that ends at a set keeps the kind", .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func path() {
        let root = Band()
        root.rival = band
        root.observe(\.rival?.genres, options: [.old, .new]) { [log] in log.addToMany($1) }.store(in: kept)
        band.mutable(\.genres).insert("pop")
        #expect(log.take() == [#"insertion ·→["pop"]"#])
    }

    typealias DictionaryCall = (
        call: @Sendable (ObservedMutableDictionary<String, Int>) -> Void, told: [String],
        left: [String: Int]
    )

    static let dictionaryCalls: [DictionaryCall] = [
        ({ $0["Cy"] = 50 }, ["insertion ·→[Cy:50]"], ["Ann": 30, "Bob": 40, "Cy": 50]),
        ({ $0["Bob"] = 41 }, ["replacement [Bob:40]→[Bob:41]"], ["Ann": 30, "Bob": 41]),
        ({ $0["Bob"]? += 1 }, ["replacement [Bob:40]→[Bob:41]"], ["Ann": 30, "Bob": 41]),
        ({ $0["Bob"] = nil }, ["removal [Bob:40]→·"], ["Ann": 30]),
        ({ $0["Cy"] = nil }, [], ["Ann": 30, "Bob": 40]),
        ({ $0.updateValue(1, forKey: "Cy") }, ["insertion ·→[Cy:1]"], ["Ann": 30, "Bob": 40, "Cy": 1]),
        ({ $0.removeValue(forKey: "Ann") }, ["removal [Ann:30]→·"], ["Bob": 40]),
        ({ $0.removeAll() }, ["removal [Ann:30, Bob:40]→·"], [:]),
        ({ $0.merge(["Cy": 50]) { $1 } }, ["insertion ·→[Cy:50]"], ["Ann": 30, "Bob": 40, "Cy": 50]),
        (
            { $0.merge(["Cy": 50, "Bob": 2], uniquingKeysWith: -) },
            ["replacement [Bob:40]→[Bob:38, Cy:50]"], ["Ann": 30, "Bob": 38, "Cy": 50]
        ),
        ({ $0.merge([:]) { $1 } }, [], ["Ann": 30, "Bob": 40]),
        ({ $0["Cy", default: 5] += 1 }, ["insertion ·→[Cy:6]"], ["Ann": 30, "Bob": 40, "Cy": 6]),
        ({ $0["Bob", default: 5] += 1 }, ["replacement [Bob:40]→[Bob:41]"], ["Ann": 30, "Bob": 41]),
        ({ $0.removeAll(keepingCapacity: true) }, ["removal [Ann:30, Bob:40]→·"], [:]),
        ({ $0.set(["Bob": 40, "Cy": 1]) }, ["replacement [Ann:30, Bob:40]→[Bob:40, Cy:1]"], ["Bob": 40, "Cy": 1]),
        ({ $0.value = [:] }, ["setting [Ann:30, Bob:40]→[]"], [:]),
    ]

    @Test("C16 A dictionary's view delivers the entries concerned (#64, #99, #307)", arguments: dictionaryCalls.indices)
    func dictionary(index: Int) {
        let call = Self.dictionaryCalls[index]
        for view in [band.mutable(\.ages), band.mutable(\.ages)] {
            band.ages = ["Ann": 30, "Bob": 40]
            let token = band.observe(\.ages, options: [.old, .new]) { [log] in log.addToMany($1) }
            call.call(view)
            #expect(log.take().map { $0.replacing("\"", with: "") } == call.told && band.ages == call.left)
            #expect(view["Ann"] == call.left["Ann"] && view.count == call.left.count)
            #expect(view["Zoe", default: 7] == 7)
            withExtendedLifetime(token) {}
        }
    }
}

private struct Tagged: Hashable {
    let id: Int
    let tag: String

    static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class Holder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: Set<Tagged> = []
}
