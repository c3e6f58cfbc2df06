// The views of arrays: section 7 of the contract, row C16 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7 C16 Views of arrays")
struct ArrayViewTests {
    private let kept = Kept()
    private let band = Band(["a", "b", "c", "d"])
    private let log = Log()

    private func observe(
        _ band: Band? = nil, _ options: KeyValueObservingOptions = [.old, .new]
    ) -> KeyValueObservation {
        (band ?? self.band).observe(\.members, options: options) { [log] _, change in log.addToMany(change) }
    }

    /// Each mutating method, what is delivered for it, and what the array is then.
    static let calls: [(call: @Sendable (ObservedMutableArray<String>) -> Void, told: [String], left: String)] = [
        ({ $0.append("e") }, ["insertion [4] ·→[e]"], "abcde"),
        ({ $0.append(contentsOf: ["e", "f"]) }, ["insertion [4, 5] ·→[e, f]"], "abcdef"),
        ({ $0.append(contentsOf: "ef".map(String.init).lazy) }, ["insertion [4, 5] ·→[e, f]"], "abcdef"),
        ({ $0.append(contentsOf: []) }, [], "abcd"),
        ({ $0.insert("x", at: 1) }, ["insertion [1] ·→[x]"], "axbcd"),
        ({ $0.insert("x", at: 4) }, ["insertion [4] ·→[x]"], "abcdx"),
        ({ $0.insert(contentsOf: ["x", "y"], at: 0) }, ["insertion [0, 1] ·→[x, y]"], "xyabcd"),
        (
            { $0.insert(contentsOf: ["x", "y", "z"], at: RangeSet(0, 2, 6)) },
            ["insertion [0, 2, 6] ·→[x, y, z]"], "xaybcdz"
        ),
        ({ $0.insert(contentsOf: [], at: RangeSet<Int>()) }, [], "abcd"),
        ({ $0.remove(at: 1) }, ["removal [1] [b]→·"], "acd"),
        ({ $0.removeSubranges(RangeSet(0, 2, 3)) }, ["removal [0, 2, 3] [a, c, d]→·"], "b"),
        ({ $0.removeSubranges(RangeSet<Int>()) }, [], "abcd"),
        ({ $0.removeFirst() }, ["removal [0] [a]→·"], "bcd"),
        ({ $0.removeFirst(2) }, ["removal [0, 1] [a, b]→·"], "cd"),
        ({ $0.removeFirst(0) }, [], "abcd"),
        ({ $0.removeLast() }, ["removal [3] [d]→·"], "abc"),
        ({ $0.removeLast(2) }, ["removal [2, 3] [c, d]→·"], "ab"),
        ({ $0.removeLast(0) }, [], "abcd"),
        ({ $0.popLast() }, ["removal [3] [d]→·"], "abc"),
        ({ $0.removeSubrange(1..<3) }, ["removal [1, 2] [b, c]→·"], "ad"),
        ({ $0.removeSubrange(2...) }, ["removal [2, 3] [c, d]→·"], "ab"),
        ({ $0.removeSubrange(2..<2) }, [], "abcd"),
        ({ $0.removeSubrange(4...) }, [], "abcd"),
        ({ $0.removeSubrange(..<0) }, [], "abcd"),
        ({ $0.removeAll() }, ["removal [0, 1, 2, 3] [a, b, c, d]→·"], ""),
        ({ $0.removeAll(keepingCapacity: true) }, ["removal [0, 1, 2, 3] [a, b, c, d]→·"], ""),
        ({ $0.removeAll { "bd".contains($0) } }, ["removal [1, 3] [b, d]→·"], "ac"),
        ({ $0.removeAll { _ in false } }, [], "abcd"),
        (
            { $0.replaceSubrange(1..<2, with: ["x", "y"]) }, ["replacement [1] [b]→[x]", "insertion [2] ·→[y]"], "axycd"
        ),
        ({ $0.replaceSubrange(0..<3, with: ["x"]) }, ["replacement [0] [a]→[x]", "removal [1, 2] [b, c]→·"], "xd"),
        ({ $0.replaceSubrange(2..<2, with: ["x"]) }, ["insertion [2] ·→[x]"], "abxcd"),
        ({ $0.replaceSubrange(1...2, with: []) }, ["removal [1, 2] [b, c]→·"], "ad"),
        ({ $0.replaceSubrange(1..<1, with: []) }, [], "abcd"),
        ({ $0.replaceSubranges(RangeSet(0, 3), with: ["x", "y"]) }, ["replacement [0, 3] [a, d]→[x, y]"], "xbcy"),
        ({ $0.replaceSubranges(RangeSet<Int>(), with: []) }, [], "abcd"),
        ({ $0[2] = "x" }, ["replacement [2] [c]→[x]"], "abxd"),
        ({ $0[2] = "c" }, ["replacement [2] [c]→[c]"], "abcd"),
        ({ $0[2] += "x" }, ["replacement [2] [c]→[cx]"], "abcxd"),
        (
            { $0.moveSubranges(RangeSet(2, 3), to: 0) }, ["removal [2, 3] [c, d]→·", "insertion [0, 1] ·→[c, d]"],
            "cdab"
        ),
        ({ $0.moveSubranges(RangeSet(0), to: 4) }, ["removal [0] [a]→·", "insertion [3] ·→[a]"], "bcda"),
        (
            { $0.moveSubranges(RangeSet(0, 3), to: 2) }, ["removal [0, 3] [a, d]→·", "insertion [1, 2] ·→[a, d]"],
            "badc"
        ),
        ({ $0.moveSubranges(RangeSet(1, 2), to: 2) }, [], "abcd"),
        ({ $0.moveSubranges(RangeSet(1, 2), to: 3) }, [], "abcd"),
        ({ $0.moveSubranges(RangeSet<Int>(), to: 2) }, [], "abcd"),
        ({ $0.swapAt(3, 1) }, ["replacement [1, 3] [b, d]→[d, b]"], "adcb"),
        ({ $0.swapAt(1, 1) }, [], "abcd"),
        ({ $0.reverse() }, ["replacement [0, 1, 2, 3] [a, b, c, d]→[d, c, b, a]"], "dcba"),
        ({ $0.sort() }, [], "abcd"),
        (
            { $0.sort { ($0 == "d" ? "0" : $0) < ($1 == "d" ? "0" : $1) } },
            ["replacement [0, 1, 2, 3] [a, b, c, d]→[d, a, b, c]"], "dabc"
        ),
        (
            { $0.sort { ($0 == "c" ? "bb" : $0) > ($1 == "c" ? "bb" : $1) && "cb".contains($0) && "cb".contains($1) } },
            ["replacement [1, 2] [b, c]→[c, b]"], "acbd"
        ),
        ({ $0.value = ["x"] }, ["setting [a, b, c, d]→[x]"], "x"),
        ({ $0.value.append("x") }, ["setting [a, b, c, d]→[a, b, c, d, x]"], "abcdx"),
    ]

    // #175 #176 #186 #204 #207 #314
    @Test(
        "7.1 7.2 Each method is one change with its kind, positions and elements",
        arguments: calls.indices)
    func methods(index: Int) {
        let call = Self.calls[index]
        let token = observe()
        call.call(band.mutable(\.members))
        #expect(log.take().map { $0.replacing("\"", with: "") } == call.told)
        #expect(band.members.joined() == call.left)
        token.invalidate()

        // The same through accessors, unobserved, and without values asked for.
        let other = Band(["a", "b", "c", "d"])
        call.call(other.mutable(\.lineUp))
        #expect(other.members.joined() == call.left)
        let third = Band(["a", "b", "c", "d"])
        observe(third, []).store(in: kept)
        call.call(third.mutable(\.members))
        #expect(log.take().count == call.told.count && third.members.joined() == call.left)
    }

    // #316
    @Test("7.1 7.2 7.3 The results are those of an array, and nothing is removed from an empty one")
    func results() {
        let view = band.mutable(\.members)
        #expect(view.remove(at: 1) == "b")
        #expect(view.removeFirst() == "a")
        #expect(view.removeLast() == "d")
        #expect(view.popLast() == "c")
        #expect(view.popLast() == nil)
        let token = observe()
        view.removeAll()
        view.removeSubrange(0...)
        #expect(log.take() == [])
        token.invalidate()
        view.append(contentsOf: ["a", "b", "c", "d"])
        #expect(view.moveSubranges(RangeSet(0, 1), to: 3) == 1..<3)
        #expect(view.moveSubranges(RangeSet(1), to: 1) == 1..<2)
    }

    @Test("7.1 A view is a collection as its value is one")
    func collection() {
        let view = band.mutable(\.members)
        #expect(Array(view) == ["a", "b", "c", "d"] && view.count == 4 && !view.isEmpty)
        #expect(view.first == "a" && view.last == "d" && view[1] == "b" && Array(view[1..<3]) == ["b", "c"])
        #expect(view.firstIndex(of: "c") == 2 && view.reversed() == ["d", "c", "b", "a"])
        #expect(view.indices == 0..<4 && view.index(before: 4) == 3 && view.distance(from: 1, to: 3) == 2)
        func isRandomAccess(_: some RandomAccessCollection & MutableCollection) -> Bool { true }
        #expect(isRandomAccess(view))
        #expect("\(view)" == #"["a", "b", "c", "d"]"#)
    }

    @Test("7.1 7.4 Algorithms of the standard library, and slices, change the property element by element")
    func algorithms() {
        observe().store(in: kept)
        var view = band.mutable(\.members)
        #expect(view.partition { $0 < "c" } == 2)
        #expect(Set(band.members) == ["a", "b", "c", "d"] && band.members[..<2].allSatisfy { $0 >= "c" })
        #expect(log.take().allSatisfy { $0.hasPrefix("replacement") })
        band.members = ["a", "b", "c", "d"]
        view[0..<2].reverse()
        #expect(band.members == ["b", "a", "c", "d"])
        _ = log.take()
        // Its own slice changes nothing more, another one is a replacement.
        view[0..<2] = view[0..<2]
        #expect(log.take() == [])
        view[0..<2] = view[2..<4]
        #expect(band.members == ["c", "d", "c", "d"] && log.take().count == 1)
    }

    @Test("7.2 sort keeps the order of equal elements")
    func stableSort() {
        band.members = ["b1", "a1", "b2", "a2", "b3"]
        observe().store(in: kept)
        band.mutable(\.members).sort { $0.first! < $1.first! }
        #expect(band.members == ["a1", "a2", "b1", "b2", "b3"])
        #expect(log.take() == [#"replacement [0, 1, 2, 3] ["b1", "a1", "b2", "a2"]→["a1", "a2", "b1", "b2"]"#])
    }

    // #181 #182 #185 #208
    @Test("7.4 A view made before the first observer notifies, keeps its object alive and reads the current value")
    func live() {
        weak var weakBand: Band?
        var view: ObservedMutableArray<String>?
        do {
            let band = Band(["a"])
            weakBand = band
            view = band.mutable(\.members)
            let token = observe(band)
            view?.append("b")
            band.members.append("c")
            #expect(view.map(Array.init) == ["a", "b", "c"])
            #expect(log.take() == [#"insertion [1] ·→["b"]"#, #"setting ["a", "b"]→["a", "b", "c"]"#])
            withExtendedLifetime(token) {}
        }
        #expect(weakBand != nil && view?.count == 3)
        view = nil
        #expect(weakBand == nil)
    }

    @Test("7.4 What reads a property through a view depends on it")
    func readThroughView() {
        band.observe(\.firstMember, options: [.old, .new]) { [log] _, change in log.addToMany(change) }.store(in: kept)
        #expect(band.isObserved(\.firstMember) && !band.isObserved(\.members))
        band.mutable(\.members).removeFirst()
        #expect(log.take() == ["setting a→b"])
        observe().store(in: kept)
        #expect(band.isObserved(\.members))
        band.mutable(\.members).removeFirst()
        #expect(log.take() == ["setting b→c", #"removal [0] ["b"]→·"#])
    }

    @Test("2.1 An override that shows something else after a change of elements is delivered with both whole values")
    func overrideChangesItsMind() {
        let root = Band()
        let band = ShortBand(["a", "b"])
        root.rival = band
        [
            band.observe(\.members, options: [.old, .new]) { [log] in log.addToMany($1) },
            root.observe(\.rival?.members, options: .old) { [log] in log.addToMany($1, as: "path") },
            root.observe(\.rival?.members, options: .new) { [log] in log.addToMany($1, as: "new") },
        ].store(in: kept)
        func expect(_ told: String, _ path: String, _ new: String, at location: SourceLocation = #_sourceLocation) {
            #expect(log.take() == [told, "path \(path)", "new \(new)"], sourceLocation: location)
        }
        band.mutable(\.members).insert("c", at: 1)
        expect(#"setting ["a", "b"]→["a", "c"]"#, #"setting ["a", "b"]→·"#, #"setting ·→["a", "c"]"#)
        band.mutable(\.members).insert(contentsOf: ["x", "y", "z"], at: 0)
        expect(#"setting ["a", "c"]→["x", "y"]"#, #"setting ["a", "c"]→·"#, #"setting ·→["x", "y"]"#)
    }

    // #168 5.3
    @Test("7.1 Through a computed property elements are one setting, whatever the setter keeps")
    func computed() {
        [
            band.observe(\.lineUp, options: [.old, .new]) { [log] in log.addToMany($1, as: "line-up") },
            band.observe(\.shouted, options: [.old, .new]) { [log] in log.addToMany($1, as: "shouted") },
            band.observe(\.size, options: [.old, .new]) { [log] in log.addToMany($1, as: "size") },
        ].store(in: kept)
        band.mutable(\.lineUp).removeAll { $0 > "b" }
        #expect(
            log.take() == [
                #"line-up setting ["a", "b", "c", "d"]→["a", "b"]"#,
                #"shouted setting ["A", "B", "C", "D"]→["A", "B"]"#, "size setting 4→2",
            ])
        band.mutable(\.shouted)[0] = "x"
        #expect(
            log.take() == [
                #"line-up setting ["a", "b"]→["x", "b"]"#, #"shouted setting ["A", "B"]→["X", "B"]"#,
                "size setting 2→2",
            ])
    }

    @Test(
        "6.6 A path that ends at the array keeps kind and positions; one that leads on is a setting (#135)",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func paths() {
        let root = Band()
        root.rival = band
        [
            root.observe(\.rival?.members, options: [.old, .new, .prior]) { [log] in log.addToMany($1, as: "end") },
            root.observe(\.rival!.members, options: .new) { [log] in log.addToMany($1, as: "forced") },
            root.observe(\.rival?.members.count, options: [.old, .new]) { [log] in log.addToMany($1, as: "count") },
            root.observe(\.rival?.lineUp, options: .new) { [log] in log.addToMany($1, as: "computed") },
        ].store(in: kept)
        band.mutable(\.members).remove(at: 0)
        #expect(
            log.take() == [
                #"end prior removal [0] ["a"]→·"#, #"end removal [0] ["a"]→·"#, "forced removal [0] ·→·",
                "count setting 4→3", #"computed setting ·→["b", "c", "d"]"#,
            ])
        root.rival = Band(["x"])
        #expect(log.take().last == #"computed setting ·→["x"]"#)
        band.mutable(\.members).append("e")
        #expect(log.take() == [])
    }

    @Test(
        "2.6 2.3 Elements are delivered without copying the array, also at the end of a path and where it is computed from",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds),
        arguments: [false, true])
    func noCopy(isWatched: Bool) {
        band.members.reserveCapacity(100)
        let token = observe()
        let (fan, fanLog) = (Fan(of: band), Log())
        var watching = [
            fan.observe(\.band.members, options: [.old, .new]) { fanLog.add("\($1.kind)") },
            fan.observe(\.size, options: [.old, .new]) { fanLog.add($1) },
        ]
        if !isWatched { watching = [] }
        func place() -> UInt {
            unsafe band.members.withUnsafeBufferPointer { elements in UInt(bitPattern: elements.baseAddress) }
        }
        // The value that a path had at its registration is kept until the first change.
        if isWatched { band.mutable(\.members).append("d") }
        let before = place()
        band.mutable(\.members).append("e")
        band.mutable(\.members).remove(at: 0)
        band.mutable(\.members)[0] = "x"
        band.mutable(\.members).replaceSubrange(1..<2, with: ["y", "z"])
        #expect(place() == before)
        #expect(log.take().count == (isWatched ? 6 : 5))
        #expect(fanLog.take().count == (isWatched ? 12 : 0))
        withExtendedLifetime((token, watching)) {}
    }
}

/// Watches a band.
private final class Fan: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var band: Band
    var size: Int { band.members.count }

    init(of band: Band) { self.band = band }
}
