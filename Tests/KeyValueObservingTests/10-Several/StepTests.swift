// The deliveries of a transaction that changes elements several times, independent of other observers: 10.2, 10.3.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

/// A change with its steps, as text.
private func text<Value>(of change: KeyValueObservedChange<Value>) -> String {
    let steps = change.steps.map { toManyText(of: $0) }.joined(separator: ", ")
    return toManyText(of: change) + (steps.isEmpty ? "" : " by " + steps)
}

/// An action on a band, and the deliveries to its observers.
private struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let line: String
    let change: @Sendable (Band) -> Void

    init(_ description: String, _ line: String, change: @escaping @Sendable (Band) -> Void) {
        testDescription = description
        self.line = line
        self.change = change
    }

    static let all = [
        Self("10.2 One change keeps its kind", #"insertion [2] ·→["c"]"#) { $0.mutable(\.members).append("c") },
        Self(
            "10.2 Two are a setting by two steps",
            #"setting ["a", "b"]→["b", "c"] by insertion [2] ·→["c"], removal [0] ["a"]→·"#
        ) {
            $0.mutable(\.members).append("c")
            $0.mutable(\.members).removeFirst()
        },
        Self(
            "10.2 7.1 One call of a view that makes two changes is two steps, too",
            #"setting ["a", "b"]→["x", "y", "b"] by replacement [0] ["a"]→["x"], insertion [1] ·→["y"]"#
        ) { $0.mutable(\.members).replaceSubrange(0..<1, with: ["x", "y"]) },
        Self("10.2 Set as a whole before, there are no steps", #"setting ["a", "b"]→["z", "c"]"#) {
            $0.members = ["z"]
            $0.mutable(\.members).append("c")
        },
        Self("10.2 Set as a whole after, there are no steps", #"setting ["a", "b"]→["z"]"#) {
            for member in ["c", "d"] { $0.mutable(\.members).append(member) }
            $0.members = ["z"]
        },
        Self("10.2 Changed in place between, there are no steps", #"setting ["a", "b"]→["a", "b", "c", "d", "e"]"#) {
            $0.mutable(\.members).append("c")
            $0.members.append("d")
            $0.mutable(\.members).append("e")
        },
        Self(
            "10.2 What came and went is told, since nobody asked for .distinct",
            #"setting ["a", "b"]→["a", "b"] by insertion [2] ·→["c"], removal [2] ["c"]→·"#
        ) {
            $0.mutable(\.members).append("c")
            $0.mutable(\.members).removeLast()
        },
    ]
}

@Suite("10.2 Steps of a transaction")
struct TransactionStepTests {
    private let kept = Kept()
    private let log = Log()

    /// What the observer of a path is called with where that of its property is called with `line`.
    private func line(ofPath whole: String, _ line: String) -> String {
        RuntimeAssumption.keyPathComponents.holds ? line : "setting \(whole)"
    }

    @Test("10.2 6.6 A property and a path to it are told alike", arguments: Scene.all)
    private func scene(_ scene: Scene) {
        let (owner, band) = (Band(), Band(["a", "b"]))
        owner.rival = band
        var told: [String] = []
        let tokens = [
            band.observe(\.members) { told.append(text(of: $1)) },
            owner.observe(\.rival?.members) { told.append(text(of: $1.mapValues { $0 ?? [] })) },
        ]
        withKeyValueTransaction { scene.change(band) }
        #expect(told == [scene.line, line(ofPath: #"["a", "b"]→\#(band.members)"#, scene.line)])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "2.1 10.2 A change and its steps have what was asked for",
        arguments: zip(
            [[], .old, .new, [.old, .new]] as [KeyValueObservingOptions],
            [
                "setting ·→· by insertion [1] ·→·, removal [0] ·→·, replacement [0] ·→·",
                "setting [1]→· by insertion [1] ·→·, removal [0] [1]→·, replacement [0] [2]→·",
                "setting ·→[3] by insertion [1] ·→[2], removal [0] ·→·, replacement [0] ·→[3]",
                "setting [1]→[3] by insertion [1] ·→[2], removal [0] [1]→·, replacement [0] [2]→[3]",
            ]))
    func askedFor(options: KeyValueObservingOptions, line: String) {
        // Whoever observes besides, and also where setting the property is silent.
        for isManual in [false, true] {
            for isOfProperty in [[true], [false], [true, false]] {
                let (owner, catalog) = (Catalog(), Catalog())
                catalog.restore([1])
                owner.next = catalog
                var told: [String] = []
                let tokens = isOfProperty.map { isOfProperty in
                    isOfProperty
                        ? catalog.observe(isManual ? \.quiet : \.list, options: options) { told.append(text(of: $1)) }
                        : owner.observe(isManual ? \.next?.quiet : \.next?.list, options: options) {
                            told.append(text(of: $1.mapValues { $0 ?? [] }))
                        }
                }
                withKeyValueTransaction {
                    let view = catalog.mutable(isManual ? \.quiet : \.list)
                    view.append(2)
                    view.removeFirst()
                    view[0] = 3
                }
                func values(_ old: String, _ new: String) -> String {
                    "\(options.contains(.old) ? old : "·")→\(options.contains(.new) ? new : "·")"
                }
                #expect(told == isOfProperty.map { $0 ? line : self.line(ofPath: values("[1]", "[3]"), line) })
                told = []
                withKeyValueTransaction { catalog.mutable(isManual ? \.quiet : \.list).append(4) }
                let one = "insertion [1] ·→" + (options.contains(.new) ? "[4]" : "·")
                #expect(told == isOfProperty.map { $0 ? one : self.line(ofPath: values("[3]", "[3, 4]"), one) })
                withExtendedLifetime(tokens) {}
            }
        }
    }

    @Test("10.2 7.5 Sets and dictionaries have steps, which lead there and back, with and without whole values")
    func setsAndDictionaries() throws {
        let band = Band(genres: ["jazz"], ages: ["a": 1])
        var (genres, ages) = (band.genres, band.ages)
        var changes: [KeyValueObservedChange<Set<String>>] = []
        var entries: [KeyValueObservedChange<[String: Int]>] = []
        [
            band.observe(\.genres, options: .old) { changes.append($1) },
            band.observe(\.genres) { changes.append($1) },
            band.observe(\.ages) { entries.append($1) },
        ].store(in: kept)
        withKeyValueTransaction {
            band.mutable(\.genres).formSymmetricDifference(["jazz", "rock"])
            band.mutable(\.genres).insert("folk")
            band.mutable(\.ages)["b"] = 2
            band.mutable(\.ages).merge(["a": 3, "c": 4]) { $1 }
        }
        #expect(changes.map(\.steps.count) == [3, 3] && entries.map(\.steps.count) == [2])
        #expect(changes[0].inverse == nil)
        for apply in [{ changes[1].apply(to: &genres) }, { changes[1].inverse?.apply(to: &genres) }] as [() -> Void] {
            apply()
        }
        #expect(genres == ["jazz"])
        entries[0].apply(to: &ages)
        #expect(ages == band.ages && entries[0].inverse?.newValue == ["a": 1])
        let back = try #require(entries[0].inverse)
        for step in back.steps { step.apply(to: &ages) }
        #expect(ages == ["a": 1] && back.inverse?.steps.count == 2)
    }

    @Test("7.5 10.2 apply(to:) takes the new value, or else the steps")
    func applying() {
        func change(_ newValue: [Int]?) -> KeyValueObservedChange<[Int]> {
            let steps = [([1], 0), ([2], 1)].map { element, place in
                KeyValueObservedChange<[Int]>(
                    kind: .insertion, newValue: element, indexes: RangeSet(place), keyPath: \Catalog.list)
            }
            return KeyValueObservedChange(
                kind: .setting, oldValue: [7], newValue: newValue, steps: steps, keyPath: \Catalog.list)
        }
        var (copy, other) = ([7], [7])
        change(nil).apply(to: &copy)
        change([5]).apply(to: &other)
        #expect(copy == [1, 2, 7] && other == [5])
        #expect(change(nil).inverse == nil && change([5]).inverse?.steps.map(\.kind) == [.removal, .removal])
    }

    @Test(
        "7.4 10.2 A view makes the steps in one transaction: observers of the mirror are called once, with steps",
        arguments: [.old, [.old, .new]] as [KeyValueObservingOptions])
    func viewApplies(options: KeyValueObservingOptions) {
        let (band, mirror) = (Band(["a", "b"]), Band(["a", "b"]))
        var told: [String] = []
        [
            band.observe(\.members, options: options) { mirror.mutable(\.members).apply($1) },
            mirror.observe(\.members) { told.append("\($1.steps.count) \($1.newValue ?? [])") },
        ].store(in: kept)
        withKeyValueTransaction {
            band.mutable(\.members).removeLast()
            band.mutable(\.members).removeFirst()
        }
        #expect(told == ["2 []"])
    }
}

/// A transaction or a block that ignores, with registrations inside, whose deliveries must not depend on others.
private struct LateScene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lines: [String]
    let run: @Sendable (WorksheetObservers) -> Void

    init(_ description: String, _ lines: String..., run: @escaping @Sendable (WorksheetObservers) -> Void) {
        testDescription = description
        self.lines = lines
        self.run = run
    }

    static let all = [
        Self(
            "10.2 10.3 Late registrations come in the order of the first changes that they take part in",
            "late b 1→2", "late a 1→3"
        ) { observers in
            let sheet = observers.sheet
            withKeyValueTransaction {
                (sheet.a, sheet.b) = (1, 1)
                observers.observe("a b", as: "late")
                (sheet.b, sheet.a) = (2, 3)
            }
        },
        Self("10.1 10.2 10.3 So does a late list", "list b 0→2", "late sum 1→5", "list a 1→3") { observers in
            let (sheet, log) = (observers.sheet, observers.log)
            withKeyValueTransaction {
                sheet.a = 1
                let token = sheet.observe(keyPaths: [\.a, \.b]) {
                    let values = ($1.oldValue as? Int ?? -1, $1.newValue as? Int ?? -1)
                    log.add("list \($1.keyPath == \Worksheet.a ? "a" : "b") \(values.0)→\(values.1)")
                }
                observers.keep(token)
                observers.observe("sum", as: "late")
                (sheet.b, sheet.a) = (2, 3)
            }
        },
        Self(
            "10.2 10.3 A late sum takes its place by its first change, and not by those before",
            "late sum 1→2", "late b 0→1", "late items []→[\"x\"]"
        ) { observers in
            let sheet = observers.sheet
            withKeyValueTransaction {
                sheet.a = 1
                observers.observe("items sum b", as: "late")
                sheet.b = 1
                sheet.mutable(\.items).append("x")
            }
        },
        Self("10.2 10.3 A late path whose object was replaced gets a setting", "late next.items []→[\"x\"]") {
            observers in
            let sheet = observers.sheet
            withKeyValueTransaction {
                sheet.next = Worksheet()
                observers.observe("next.items", as: "late")
                sheet.next?.mutable(\.items).append("x")
            }
        },
        Self(
            "10.2 10.3 16.1 One change of elements is a setting for who registered inside, with .distinct, too",
            "late items [\"v\"]→[\"v\", \"x\"]", "distinct items [\"v\"]→[\"v\", \"x\"]",
            "late jobs []→[\"x\"]", "distinct jobs []→[\"x\"]"
        ) { observers in
            let sheet = observers.sheet
            withKeyValueTransaction {
                sheet.items = ["v"]
                observers.observe("items jobs", as: "late")
                observers.observe("items jobs", [.old, .new, .distinct], as: "distinct")
                sheet.mutable(\.items).append("x")
                sheet.mutable(\.jobs).append("x")
            }
        },
        Self(
            "10.2 10.3 Several are one, without steps", "late items [\"v\"]→[\"v\", \"x\", \"y\"]"
        ) { observers in
            let sheet = observers.sheet
            withKeyValueTransaction {
                sheet.mutable(\.items).append("v")
                observers.observe("items", as: "late")
                for item in ["x", "y"] { sheet.mutable(\.items).append(item) }
            }
        },
        Self("3.5 13.3 What is announced inside and ends outside is told", "own a 0→1") { observers in
            let sheet = observers.sheet
            let token = observers.observe("a", as: "own")
            token?.ignoringChanges { sheet.willChangeValue(for: \.a) }
            sheet.a = 1
            sheet.didChangeValue(for: \.a)
        },
        Self("3.5 13.3 P5 Who registers after the announcement takes no part in it") { observers in
            let sheet = observers.sheet
            let token = sheet.observe(\.items) { _, _ in }
            token.ignoringChanges { sheet.willChangeValue(for: \.quiet) }
            observers.observe("quiet", as: "own")
            sheet.quiet = 1
            sheet.didChangeValue(for: \.quiet)
        },
        Self("3.5 13.3 What ends inside is ignored, also with .prior", "own a prior 0→·") { observers in
            let sheet = observers.sheet
            let token = observers.observe("a", [.old, .new, .prior], as: "own")
            sheet.willChangeValue(for: \.a)
            sheet.a = 1
            token?.ignoringChanges { sheet.didChangeValue(for: \.a) }
        },
    ]
}

extension Scene {
    /// Observers that were there before, and what they ask for.
    fileprivate static let others: [KeyValueObservingOptions?] = [
        nil, [], [.old, .new], [.old, .new, .prior], [.old, .new, .distinct],
    ]
}

@Suite("P1 10.3 No registration receives other values because of others")
struct IndependenceTests {
    @Test(
        "P1 10.2 10.3 13.3 What one registration is told does not depend on those that were there before",
        arguments: LateScene.all, Scene.others)
    private func late(scene: LateScene, others: KeyValueObservingOptions?) {
        let observers = WorksheetObservers()
        if let others { observers.observe("a b sum items jobs quiet next.items next.a", others, as: "other") }
        scene.run(observers)
        #expect(observers.take().filter { !$0.hasPrefix("other ") } == scene.lines)
    }
}
