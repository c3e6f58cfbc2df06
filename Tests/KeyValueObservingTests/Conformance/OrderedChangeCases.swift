// Conformance: ordered to-many changes, cases #53, #54 and #158–#187.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 7: ordered to-many changes")
struct OrderedChangeCases {
    private let roster = Roster()
    private let log = Log()

    private func watch(_ options: KeyValueObservingOptions = [.old, .new]) -> [KeyValueObservation] {
        [roster.observe(\.names, options: options) { [log] in log.addToMany($1) }]
    }

    /// The three steps that the suites of GNUstep and WinObjC try on every kind of array.
    private static let addAddRemove = [
        #"insertion [0] ·→["one"]"#, #"insertion [1] ·→["two"]"#, #"removal [0] ["one"]→·"#,
    ]

    @Test("#53 Prior calls of insertions and removals have their kind and indexes, and no new elements")
    func prior() {
        let tokens = watch([.old, .new, .prior])
        roster.mutable(\.names).append("one")
        roster.mutable(\.names).append("two")
        roster.mutable(\.names).remove(at: 0)
        #expect(
            log.take() == [
                "prior insertion [0] ·→·", #"insertion [0] ·→["one"]"#, "prior insertion [1] ·→·",
                #"insertion [1] ·→["two"]"#, #"prior removal [0] ["one"]→·"#, #"removal [0] ["one"]→·"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("#160 An array that notifies manually delivers three changes with their indexes")
    func byHand() {
        let list = Playlist()
        let token = list.observe(\.songs, options: [.old, .new]) { [log] in log.addToMany($1) }
        list.mutable(\.songs).append("one")
        list.mutable(\.songs).append("two")
        list.mutable(\.songs).remove(at: 0)
        #expect(log.take() == Self.addAddRemove)
        withExtendedLifetime(token) {}
    }

    @Test("#161 Changing what is behind the property is silent")
    func bareStorage() {
        let tokens = watch()
        roster.changeStorage { $0 = ["one", "two"] }
        roster.changeStorage { $0.removeFirst() }
        #expect(log.take() == [] && roster.names == ["two"])
        withExtendedLifetime(tokens) {}
    }

    @Test("#163 Methods that announce, called directly or by way of the view, deliver each change once")
    func helpers() {
        let tokens = watch()
        roster.mutable(\.names).append("one")
        roster.mutable(\.names).append("two")
        roster.mutable(\.names).remove(at: 0)
        #expect(log.take() == Self.addAddRemove)
        roster.changeStorage { $0 = [] }
        roster.insert("one", at: 0)
        roster.insert("two", at: 1)
        roster.removeName(at: 0)
        #expect(log.take() == Self.addAddRemove)
        withExtendedLifetime(tokens) {}
    }

    @Test("#164 The number of elements is delivered as a setting, old and new, without indexes")
    func count() {
        let token = roster.observe(\.names.count, options: [.old, .new]) { [log] in log.addToMany($1) }
        roster.mutable(\.names).append("one")
        roster.insert("two", at: 0)
        #expect(log.take() == ["setting 0→1", "setting 1→2"])
        withExtendedLifetime(token) {}
    }

    @Test("#167 Replacing the object that holds the array is a setting of the whole")
    func replaceTop() {
        let owner = RosterOwner(Roster(["a", "b"]))
        let token = owner.observe(\.roster?.names, options: [.old, .new]) { [log] in log.addToMany($1) }
        owner.roster = Roster(["c", "d"])
        #expect(log.take() == [#"setting ["a", "b"]→["c", "d"]"#])
        withExtendedLifetime(token) {}
    }

    @Test("#135 #168 What is computed from an array is delivered as a setting, whatever happened to the array")
    func dependent() {
        let tokens = [
            roster.observe(\.sorted, options: [.old, .new]) { [log] in log.addToMany($1) },
            roster.observe(\.same, options: [.old, .new]) { [log] in log.addToMany($1) },
        ]
        roster.mutable(\.names).append("b")
        #expect(log.take() == [#"setting []→["b"]"#, #"setting []→["b"]"#])
        roster.mutable(\.names).insert("a", at: 1)
        #expect(log.take() == [#"setting ["b"]→["a", "b"]"#, #"setting ["b"]→["b", "a"]"#])
        withExtendedLifetime(tokens) {}
    }

    @Test("#169 #171 A replacement with prior: first the old element, then both")
    func replacement() {
        roster.names = ["one"]
        let tokens = watch([.old, .new, .prior])
        roster.mutable(\.names)[0] = "two"
        #expect(log.take() == [#"prior replacement [0] ["one"]→·"#, #"replacement [0] ["one"]→["two"]"#])
        withExtendedLifetime(tokens) {}
    }

    @Test("#172 Insertions, removals and replacements have indexes; a setting has none")
    func indexes() {
        var indexes: [RangeSet<Int>?] = []
        let token = roster.observe(\.names) { indexes.append($1.indexes) }
        roster.mutable(\.names).append(contentsOf: ["a", "b", "c"])
        roster.mutable(\.names).removeSubranges(RangeSet(0, 2))
        roster.mutable(\.names)[0] = "x"
        roster.names = []
        #expect(indexes == [RangeSet(0, 1, 2), RangeSet(0, 2), RangeSet(0), nil])
        withExtendedLifetime(token) {}
    }

    @Test("#173 Elements come in the order of their indexes: inserted ones after the change, removed ones before it")
    func contents() {
        roster.names = ["a", "b", "c"]
        let tokens = watch()
        roster.mutable(\.names).insert(contentsOf: ["x", "y"], at: RangeSet(0, 2))
        roster.mutable(\.names).removeSubranges(RangeSet(4, 1))
        roster.mutable(\.names).replaceSubranges(RangeSet(2, 0), with: ["p", "q"])
        #expect(
            log.take() == [
                #"insertion [0, 2] ·→["x", "y"]"#, #"removal [1, 4] ["a", "c"]→·"#,
                #"replacement [0, 2] ["x", "b"]→["p", "q"]"#,
            ])
        #expect(roster.names == ["p", "y", "q"])
        withExtendedLifetime(tokens) {}
    }

    @Test("#175 Insert, replace, remove through a view: three changes, the values in between as expected")
    func mutationMethods() {
        roster.names = ["42"]
        var values: [[String]] = []
        let token = roster.observe(\.names) { roster, _ in values.append(roster.names) }
        let view = roster.mutable(\.names)
        view.insert("1", at: 0)
        view[1] = "2"
        view.remove(at: 1)
        #expect(values == [["1", "42"], ["1", "2"], ["1"]])
        withExtendedLifetime(token) {}
    }

    @Test("#176 A change of several elements is one change with all its indexes")
    func bulk() {
        roster.names = ["a", "b", "c", "d"]
        let tokens = watch()
        let view = roster.mutable(\.names)
        view.append("e")
        view.remove(at: 4)
        view.insert(contentsOf: ["x", "y"], at: RangeSet(0, 2))
        view.removeSubranges(RangeSet(0, 2))
        view[0] = "z"
        view.replaceSubranges(RangeSet(1, 3), with: ["p", "q"])
        #expect(
            log.take() == [
                #"insertion [4] ·→["e"]"#, #"removal [4] ["e"]→·"#, #"insertion [0, 2] ·→["x", "y"]"#,
                #"removal [0, 2] ["x", "y"]→·"#, #"replacement [0] ["a"]→["z"]"#,
                #"replacement [1, 3] ["b", "d"]→["p", "q"]"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("#177 Through a getter and a setter each change calls the setter once, and reading calls it never")
    func accessors() {
        let view = roster.mutable(\.counted)
        #expect(Array(view) == [] && roster.settings == 0)
        view.append("a")
        view.append("b")
        #expect(roster.settings == 2)
        view.remove(at: 0)
        #expect(roster.settings == 3 && roster.counted == ["b"])
    }

    @Test("#180 A setter that drops what is inserted is delivered as a setting of what is left")
    func droppingSetter() {
        let token = roster.observe(\.dropping, options: [.old, .new, .prior]) { [log] in log.addToMany($1) }
        roster.mutable(\.dropping).append("a")
        #expect(roster.dropping == [] && roster.names == [])
        #expect(log.take() == ["prior insertion [0] ·→·", "setting []→[]"])
        withExtendedLifetime(token) {}
    }

    @Test("#181 The property shows each change made through a view")
    func reflected() {
        roster.names = ["42"]
        for view in [
            roster.mutable(\.names), roster.mutable(\.same), roster.mutable(\.names),
        ] {
            roster.names = ["42"]
            view.append("23")
            #expect(roster.names == ["42", "23"])
            view.append("23")
            #expect(roster.names == ["42", "23", "23"])
            view.remove(at: 0)
            #expect(roster.names == ["23", "23"])
            view.removeLast()
            view.removeLast()
            #expect(roster.names == [])
        }
    }

    @Test("#182 A view shows what happens to the property, however it happens")
    func underlying() {
        let view = roster.mutable(\.names)
        roster.names = ["b", "a"]
        #expect(Array(view) == ["b", "a"])
        roster.names.append("c")
        #expect(Array(view) == ["b", "a", "c"])
        roster.names.sort()
        #expect(Array(view) == ["a", "b", "c"])
        roster.changeStorage { $0.removeAll() }
        #expect(view.isEmpty)
    }

    @Test("#185 A view that was made before the first observer notifies")
    func viewMadeBefore() {
        let view = roster.mutable(\.names)
        let tokens = watch()
        view.append("one")
        #expect(log.take() == [#"insertion [0] ·→["one"]"#])
        withExtendedLifetime(tokens) {}
    }

    @Test("#186 Inserting at the end and removing from the front deliver just that element")
    func ends() {
        roster.names = ["1", "2", "3", "4"]
        let tokens = watch()
        roster.insert("5", at: 4)
        roster.removeName(at: 0)
        #expect(log.take() == [#"insertion [4] ·→["5"]"#, #"removal [0] ["1"]→·"#])
        withExtendedLifetime(tokens) {}
    }
}

private final class Roster: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var names: [String]
    private(set) var settings = 0

    var sorted: [String] { names.sorted() }
    var same: [String] {
        get { names }
        set { names = newValue }
    }
    var counted: [String] {
        get { names }
        set {
            settings += 1
            names = newValue
        }
    }
    /// Keeps nothing.
    var dropping: [String] {
        get { names }
        set { names = newValue.filter { _ in false } }
    }

    init(_ names: [String] = []) { self.names = names }

    func insert(_ name: String, at index: Int) { mutable(\.names).insert(name, at: index) }

    func removeName(at index: Int) { _ = mutable(\.names).remove(at: index) }

    func changeStorage(_ body: (inout [String]) -> Void) {
        var names = names
        body(&names)
        _names = Observed(wrappedValue: names)
    }
}

private final class RosterOwner: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var roster: Roster?

    init(_ roster: Roster) { self.roster = roster }
}
