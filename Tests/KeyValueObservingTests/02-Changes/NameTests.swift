// What a change and a listing call a property: 2.7.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.7 Names")
struct NameTests {
    private let kept = Kept()
    private let shop = Store()

    @Test(
        "2.7 What comes before an index has its name; an array's index is written, and no other argument",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func indexes() {
        let keyPaths: [(PartialKeyPath<Store>, String)] = [
            (\.rows[0], "rows[0]"), (\.rows[12].text, "rows[12].text"), (\.rows[0..<2], "rows[…]"),
            (\.prices["a"], "prices[…]"), (\.owner?.rows[3].text.count, "owner.rows[3].text.count"),
            (\.rows[1][2], "rows[1][…]"), (\.[4], "[…]"), (\.rows[1].shelves[2][3], "rows[1].shelves[2][3]"),
        ]
        shop.rows = Array(repeating: Shelving(), count: 13)
        let tokens = [shop.observe(\.rows) { _, _ in }, shop.observe(\.prices) { _, _ in }]
        let owned = shop.observe(\.owner) { _, _ in }
        for (keyPath, name) in keyPaths { #expect(self.name(of: keyPath) == name) }
        withExtendedLifetime((tokens, owned)) {}
    }

    @Test(
        "2.7 What nothing names is written with its type; no address is written", .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func unnamed() {
        #expect(name(of: \.isLarge) == "computed Bool")
        #expect(name(of: \.owner?.isLarge).hasSuffix(".computed Bool"))
        #expect(name(of: \.pairs) == "computed Array<(Int, Optional<String>)>")
    }

    @Test("2.7 A function that reports a property does not name it")
    func reportedByFunction() {
        let loader = Loader()
        loader.reload()
        loader.observe(\.progress) { _, _ in }.store(in: kept)
        #expect(loader.observationInfo.map(\.keyPath) == ["progress"])
    }

    @Test(
        "2.7 Counts and ends of collections and strings have their names", .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func standardLibrary() {
        shop.observe(\.rows) { _, _ in }.store(in: kept)
        let keyPaths: [(PartialKeyPath<Store>, String)] = [
            (\.rows.count, "count"), (\.rows.isEmpty, "isEmpty"), (\.rows.first?.text, "first.text"),
            (\.rows.last, "last"),
        ]
        for (keyPath, name) in keyPaths { #expect(self.name(of: keyPath) == "rows.\(name)") }
    }

    @Test(
        "2.7 A class on the way gives its names before one of its objects was there",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func classesOnTheWay() {
        shop.observe(\.place) { _, _ in }.store(in: kept)
        let change = Change(kind: .setting, keyPath: \Store.place?.town)
        #expect(change.name == "place.town" && name(of: \.place?.isFar) == "place.isFar")
    }

    @Test(
        "2.7 A path has its name before anything has led to its end, and the same one afterwards",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func beforeTheFirstValue() {
        func names<Root: KeyValueObservable, Value>(
            _ root: Root, _ keyPath: KeyPath<Root, Value>, _ lead: (Root) -> Void
        ) -> Set<String> {
            let log = Names()
            let token = root.observe(keyPath, options: [.initial]) { log.add($1.name) }
            let before = root.observationInfo.map(\.keyPath)
            lead(root)
            #expect(log.calls == 2 && Set(before) == log.all && root.observationInfo.map(\.keyPath) == before)
            withExtendedLifetime(token) {}
            return log.all
        }
        #expect(names(Wagon(), \.next?.next?.load) { $0.next = Wagon(next: Wagon()) } == ["next.next.load"])
        #expect(names(Wagon(), \.engine?.power) { $0.engine = Engine() } == ["engine.power"])
        #expect(names(Wagon(), \.engine?.weight) { $0.engine = Engine() } == ["engine.weight"])
        #expect(names(Wagon(), \.diesel?.weight) { $0.diesel = Diesel() } == ["diesel.weight"])
        #expect(names(Wagon(), \.diesel?.tank) { $0.diesel = Diesel() } == ["diesel.tank"])
        #expect(names(Wagon(), \.crew?.lead) { $0.crew = Crew() } == ["crew.lead"])
        #expect(names(Wagon(), \.crew?.size) { $0.crew = Crew() } == ["crew.size"])
        #expect(names(Gauge(), \.next?.value) { $0.next = Gauge() } == ["next.value"])
    }

    @Test(
        "2.7 In a process that has seen no object, names are those of the class", .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func inANewProcess() async {
        await #expect(processExitsWith: .success) {
            let (wagon, log) = (Wagon(), Names())
            wagon.observe(\.engine?.power, options: [.initial]) { _, change in log.add(change.name) }
                .store(in: .process)
            #expect(log.all == ["engine.power"])
            let keyPaths: [(PartialKeyPath<Wagon>, String)] = [
                (\.load, "load"), (\.next?.next?.load, "next.next.load"), (\.engine?.power, "engine.power"),
                (\.diesel?.weight, "diesel.weight"), (\.crew?.lead, "crew.lead"), (\.plate, "plate"),
                (\.engine?.driver?.load, "engine.driver.load"), (\.span.1, "span.1"), (\.span.from, "span.from"),
            ]
            for (keyPath, name) in keyPaths {
                #expect(KeyValueObservedChange<Int>(kind: .setting, keyPath: keyPath).name == name)
            }
        }
    }

    @Test(
        "2.7 A computed property has the line of its registration, unless a label names it",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func computed() {
        let (wagon, log) = (Wagon(engine: Engine()), Names())
        let tokens = [
            wagon.observe(\.half, options: [.initial], fileID: "Train/Wagon.swift", line: 12) { _, change in
                log.add(change.name)
            },
            wagon.observe(\.engine?.double, options: [.initial], fileID: "Train/Wagon.swift", line: 13) { _, change in
                log.add(change.name)
            },
        ]
        let names = ["computed Int at Wagon.swift:12", "engine.computed Int at Wagon.swift:13"]
        #expect(log.all == Set(names) && wagon.observationInfo.map(\.keyPath) == names)
        for token in tokens { token.label = "load" }
        #expect(wagon.observationInfo.map(\.keyPath) == ["load", "load"])
    }

    @Test(
        "2.7 A registration keeps its name when a getter tells its own later; the next registration has that",
        .enabled(if: hasReflectionMetadata),
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func learned() {
        let depot = Depot()
        let log = Names()
        let first = depot.observe(\.loader?.amount, options: [.initial], fileID: "Train/Depot.swift", line: 3) {
            log.add($1.name)
        }
        depot.loader = Crane()
        #expect(log.calls == 2 && log.all == ["loader.computed Int at Depot.swift:3"])
        let second = depot.observe(\.loader?.amount, fileID: "Train/Depot.swift", line: 4) { _, _ in }
        #expect(depot.observationInfo.map(\.keyPath) == ["loader.computed Int at Depot.swift:3", "loader.amount"])
        withExtendedLifetime((first, second)) {}
    }

    private typealias Change = KeyValueObservedChange<String?>

    private func name(of keyPath: PartialKeyPath<Store>) -> String { Change(kind: .setting, keyPath: keyPath).name }
}

private struct Shelving {
    var text = ""
    var shelves: [[Int]] = []
    subscript(column: Int) -> Int { column }
}

private final class Store: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var rows: [Shelving] = []
    @Observed var prices: [String: Int] = [:]
    @Observed var owner: Store?
    @Observed var place: District?
    var isLarge: Bool { rows.count > 9 }
    var pairs: [(Int, String?)] { [] }
    subscript(index: Int) -> Shelving { rows[index] }
}

private final class District: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var town = ""
    var isFar: Bool { town.count > 9 }
    static var keyPathsByKey: [String: AnyKeyPath] { ["town": \District.town, "isFar": \District.isFar] }
}

private final class Loader: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var progress: Int {
        accessValue(for: \.progress)
        return 0
    }

    func reload() { accessValue(for: \.progress) }
}

/// The names that were seen.
private final class Names {
    private(set) var all: Set<String> = []
    private(set) var calls = 0

    func add(_ name: String) {
        all.insert(name)
        calls += 1
    }
}

// Nothing else reads an object of these classes.

private final class Wagon: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let plate = "7"
    @Observed var load = 1
    @Observed var limit = 1
    @Observed var next: Wagon?
    @Observed var engine: Engine?
    @Observed var diesel: Diesel?
    @Observed var crew: Crew<Engine>?
    @Observed var span = (from: 1, 2)

    init(next: Wagon? = nil, engine: Engine? = nil) { (self.next, self.engine) = (next, engine) }

    var half: Int {
        get { load / 2 }
        set { load = newValue * 2 }
    }
}

private class Engine: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    final var number = 1
    @Observed var weight = 1
    @Observed final var power = 1
    var driver: Wagon?

    var double: Int {
        get { power * 2 }
        set { power = newValue / 2 }
    }
}

private class Diesel: Engine {
    @Observed private(set) var tank = 1

    override var weight: Int {
        get { super.weight + tank }
        set { super.weight = newValue }
    }
}

private class Crew<Member>: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var lead: Member?
    @Observed var size = 1
}

private final class Gauge: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var value = 1
    @ObservedShared var next: Gauge?
}

private final class Depot: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var loader: Crane?
}

private final class Crane: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var amount: Int {
        accessValue(for: \.amount)
        return 1
    }
}
