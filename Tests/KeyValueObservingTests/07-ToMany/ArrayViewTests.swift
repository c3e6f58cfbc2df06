// The views of arrays: section 7 of the contract, row C16 of the features.
import KeyValueObserving
import TestSupport
import Testing

@Suite("7 C16 Views of arrays")
struct ArrayViewTests {
    private let band = Band(["a", "b", "c", "d"])
    private let log = Log()

    private func observe(
        _ band: Band? = nil, _ options: KeyValueObservingOptions = [.old, .new]
    ) -> KeyValueObservation {
        (band ?? self.band).observe(\.members, options: options) { [log] _, change in log.addToMany(change) }
    }

    /// Each mutating method, what is delivered for it, and what the array is then.
    static let calls:
        [(name: String, call: @Sendable (ObservedMutableArray<String>) -> Void, told: [String], left: String)] = [
            ("append", { $0.append("e") }, [#"insertion [4] ·→["e"]"#], "abcde"),
            (
                "append(contentsOf:)", { $0.append(contentsOf: ["e", "f"]) }, [#"insertion [4, 5] ·→["e", "f"]"#],
                "abcdef"
            ),
            (
                "append(contentsOf:) of a sequence", { $0.append(contentsOf: "ef".map(String.init).lazy) },
                [#"insertion [4, 5] ·→["e", "f"]"#], "abcdef"
            ),
            ("append of nothing", { $0.append(contentsOf: []) }, [], "abcd"),
            ("insert", { $0.insert("x", at: 1) }, [#"insertion [1] ·→["x"]"#], "axbcd"),
            ("insert at the end", { $0.insert("x", at: 4) }, [#"insertion [4] ·→["x"]"#], "abcdx"),
            (
                "insert(contentsOf:at:)", { $0.insert(contentsOf: ["x", "y"], at: 0) },
                [#"insertion [0, 1] ·→["x", "y"]"#], "xyabcd"
            ),
            (
                "insert at positions", { $0.insert(contentsOf: ["x", "y", "z"], at: RangeSet(0, 2, 6)) },
                [#"insertion [0, 2, 6] ·→["x", "y", "z"]"#], "xaybcdz"
            ),
            ("insert at no positions", { $0.insert(contentsOf: [], at: RangeSet<Int>()) }, [], "abcd"),
            ("remove(at:)", { $0.remove(at: 1) }, [#"removal [1] ["b"]→·"#], "acd"),
            (
                "remove at positions", { $0.removeSubranges(RangeSet(0, 2, 3)) },
                [#"removal [0, 2, 3] ["a", "c", "d"]→·"#],
                "b"
            ),
            ("remove at no positions", { $0.removeSubranges(RangeSet<Int>()) }, [], "abcd"),
            ("removeFirst", { $0.removeFirst() }, [#"removal [0] ["a"]→·"#], "bcd"),
            ("removeFirst(2)", { $0.removeFirst(2) }, [#"removal [0, 1] ["a", "b"]→·"#], "cd"),
            ("removeFirst(0)", { $0.removeFirst(0) }, [], "abcd"),
            ("removeLast", { $0.removeLast() }, [#"removal [3] ["d"]→·"#], "abc"),
            ("removeLast(2)", { $0.removeLast(2) }, [#"removal [2, 3] ["c", "d"]→·"#], "ab"),
            ("removeLast(0)", { $0.removeLast(0) }, [], "abcd"),
            ("popLast", { $0.popLast() }, [#"removal [3] ["d"]→·"#], "abc"),
            ("removeSubrange", { $0.removeSubrange(1..<3) }, [#"removal [1, 2] ["b", "c"]→·"#], "ad"),
            ("removeSubrange to the end", { $0.removeSubrange(2...) }, [#"removal [2, 3] ["c", "d"]→·"#], "ab"),
            ("removeSubrange of nothing", { $0.removeSubrange(2..<2) }, [], "abcd"),
            ("removeAll", { $0.removeAll() }, [#"removal [0, 1, 2, 3] ["a", "b", "c", "d"]→·"#], ""),
            (
                "removeAll(keepingCapacity:)", { $0.removeAll(keepingCapacity: true) },
                [#"removal [0, 1, 2, 3] ["a", "b", "c", "d"]→·"#], ""
            ),
            ("removeAll(where:)", { $0.removeAll { "bd".contains($0) } }, [#"removal [1, 3] ["b", "d"]→·"#], "ac"),
            ("removeAll(where:) of nothing", { $0.removeAll { _ in false } }, [], "abcd"),
            (
                "replaceSubrange by more", { $0.replaceSubrange(1..<2, with: ["x", "y"]) },
                [#"replacement [1] ["b"]→["x"]"#, #"insertion [2] ·→["y"]"#], "axycd"
            ),
            (
                "replaceSubrange by fewer", { $0.replaceSubrange(0..<3, with: ["x"]) },
                [#"replacement [0] ["a"]→["x"]"#, #"removal [1, 2] ["b", "c"]→·"#], "xd"
            ),
            (
                "replaceSubrange of an empty range", { $0.replaceSubrange(2..<2, with: ["x"]) },
                [#"insertion [2] ·→["x"]"#], "abxcd"
            ),
            (
                "replaceSubrange by nothing", { $0.replaceSubrange(1...2, with: []) },
                [#"removal [1, 2] ["b", "c"]→·"#], "ad"
            ),
            ("replaceSubrange of nothing by nothing", { $0.replaceSubrange(1..<1, with: []) }, [], "abcd"),
            (
                "replace at positions", { $0.replaceSubranges(RangeSet(0, 3), with: ["x", "y"]) },
                [#"replacement [0, 3] ["a", "d"]→["x", "y"]"#], "xbcy"
            ),
            ("replace at no positions", { $0.replaceSubranges(RangeSet<Int>(), with: []) }, [], "abcd"),
            ("subscript", { $0[2] = "x" }, [#"replacement [2] ["c"]→["x"]"#], "abxd"),
            ("subscript, to an equal element", { $0[2] = "c" }, [#"replacement [2] ["c"]→["c"]"#], "abcd"),
            ("subscript in place", { $0[2] += "x" }, [#"replacement [2] ["c"]→["cx"]"#], "abcxd"),
            (
                "move to the front", { $0.moveSubranges(RangeSet(2, 3), to: 0) },
                [#"removal [2, 3] ["c", "d"]→·"#, #"insertion [0, 1] ·→["c", "d"]"#], "cdab"
            ),
            (
                "move to the end", { $0.moveSubranges(RangeSet(0), to: 4) },
                [#"removal [0] ["a"]→·"#, #"insertion [3] ·→["a"]"#], "bcda"
            ),
            (
                "move, gathering", { $0.moveSubranges(RangeSet(0, 3), to: 2) },
                [#"removal [0, 3] ["a", "d"]→·"#, #"insertion [1, 2] ·→["a", "d"]"#], "badc"
            ),
            ("move to the same place", { $0.moveSubranges(RangeSet(1, 2), to: 2) }, [], "abcd"),
            ("move just behind itself", { $0.moveSubranges(RangeSet(1, 2), to: 3) }, [], "abcd"),
            ("move of nothing", { $0.moveSubranges(RangeSet<Int>(), to: 2) }, [], "abcd"),
            ("swapAt", { $0.swapAt(3, 1) }, [#"replacement [1, 3] ["b", "d"]→["d", "b"]"#], "adcb"),
            ("swapAt with itself", { $0.swapAt(1, 1) }, [], "abcd"),
            (
                "reverse", { $0.reverse() }, [#"replacement [0, 1, 2, 3] ["a", "b", "c", "d"]→["d", "c", "b", "a"]"#],
                "dcba"
            ),
            ("sort, nothing to do", { $0.sort() }, [], "abcd"),
            (
                "sort(by:)", { $0.sort { ($0 == "d" ? "0" : $0) < ($1 == "d" ? "0" : $1) } },
                [#"replacement [0, 1, 2, 3] ["a", "b", "c", "d"]→["d", "a", "b", "c"]"#], "dabc"
            ),
            (
                "sort of two",
                {
                    $0.sort {
                        ($0 == "c" ? "bb" : $0) > ($1 == "c" ? "bb" : $1) && "cb".contains($0) && "cb".contains($1)
                    }
                },
                [#"replacement [1, 2] ["b", "c"]→["c", "b"]"#], "acbd"
            ),
            ("value", { $0.value = ["x"] }, [#"setting ["a", "b", "c", "d"]→["x"]"#], "x"),
            (
                "value in place", { $0.value.append("x") },
                [#"setting ["a", "b", "c", "d"]→["a", "b", "c", "d", "x"]"#], "abcdx"
            ),
        ]

    // #175 #176 #186 #204 #207 #314
    @Test(
        "7.1 7.2 Each method is one change with its kind, its positions and the elements concerned",
        arguments: calls.indices)
    func methods(index: Int) {
        let call = Self.calls[index]
        let token = observe()
        call.call(band.mutable(\.members))
        #expect(log.take() == call.told, "\(call.name)")
        #expect(band.members.joined() == call.left, "\(call.name)")
        token.invalidate()

        // The same through accessors, unobserved, and without values asked for.
        let other = Band(["a", "b", "c", "d"])
        call.call(other.mutable(\.lineUp))
        #expect(other.members.joined() == call.left, "\(call.name)")
        let third = Band(["a", "b", "c", "d"])
        let bare = observe(third, [])
        call.call(third.mutable(\.members))
        #expect(log.take().count == call.told.count && third.members.joined() == call.left, "\(call.name)")
        withExtendedLifetime(bare) {}
    }

    // #316
    @Test("7.1 The results are those of an array")
    func results() {
        let view = band.mutable(\.members)
        #expect(view.remove(at: 1) == "b")
        #expect(view.removeFirst() == "a")
        #expect(view.removeLast() == "d")
        #expect(view.popLast() == "c")
        #expect(view.popLast() == nil)
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

    @Test("7.1 Algorithms of the standard library change the property element by element")
    func algorithms() {
        let token = observe()
        var view = band.mutable(\.members)
        #expect(view.partition { $0 < "c" } == 2)
        #expect(Set(band.members) == ["a", "b", "c", "d"] && band.members[..<2].allSatisfy { $0 >= "c" })
        #expect(log.take().allSatisfy { $0.hasPrefix("replacement") })
        let before = band.members
        view[1..<3].reverse()
        #expect(band.members == [before[0], before[2], before[1], before[3]])
        withExtendedLifetime(token) {}
    }

    @Test("7.2 sort keeps the order of equal elements")
    func stableSort() {
        band.members = ["b1", "a1", "b2", "a2", "b3"]
        let token = observe()
        band.mutable(\.members).sort { $0.first! < $1.first! }
        #expect(band.members == ["a1", "a2", "b1", "b2", "b3"])
        #expect(log.take() == [#"replacement [0, 1, 2, 3] ["b1", "a1", "b2", "a2"]→["a1", "a2", "b1", "b2"]"#])
        withExtendedLifetime(token) {}
    }

    // #169
    @Test("7.1 What was not asked for is absent; prior calls carry kind, positions and what leaves (#53)")
    func options() {
        let tokens = [observe(nil, []), observe(nil, .new), observe(nil, .old), observe(nil, [.old, .new, .prior])]
        band.mutable(\.members).append("e")
        #expect(
            log.take() == [
                "prior insertion [4] ·→·", "insertion [4] ·→·", #"insertion [4] ·→["e"]"#, "insertion [4] ·→·",
                #"insertion [4] ·→["e"]"#,
            ])
        band.mutable(\.members).remove(at: 0)
        #expect(
            log.take() == [
                #"prior removal [0] ["a"]→·"#, "removal [0] ·→·", "removal [0] ·→·", #"removal [0] ["a"]→·"#,
                #"removal [0] ["a"]→·"#,
            ])
        withExtendedLifetime(tokens) {}
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
        let token = band.observe(\.firstMember, options: [.old, .new]) { [log] _, change in log.addToMany(change) }
        #expect(band.isObserved(\.firstMember) && !band.isObserved(\.members))
        band.mutable(\.members).removeFirst()
        #expect(log.take() == ["setting a→b"])
        let other = observe()
        #expect(band.isObserved(\.members))
        band.mutable(\.members).removeFirst()
        #expect(log.take() == ["setting b→c", #"removal [0] ["b"]→·"#])
        withExtendedLifetime((token, other)) {}
    }

    @Test(
        "7.1 Instances of subclasses deliver elements, too")
    func subclass() {
        let orchestra = Orchestra(["a"])
        let tokens = [
            orchestra.observe(\Orchestra.members, options: [.old, .new, .prior]) { [log] in
                log.addToMany($1, as: "derived")
            },
            (orchestra as Band).observe(\Band.members, options: [.new]) { [log] in log.addToMany($1, as: "base") },
        ]
        orchestra.mutable(\.members).append("b")
        #expect(
            log.take() == [
                "derived prior insertion [1] ·→·", #"derived insertion [1] ·→["b"]"#, #"base insertion [1] ·→["b"]"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("7.5 Replaying what is delivered of an overridden property gives what the override shows")
    func override() {
        let band = TurningBand(["a", "b"])
        var copy = band.members
        let token = band.observe(\.members, options: [.old, .new]) { $1.apply(to: &copy) }
        band.mutable(\.members).append("c")
        #expect(copy == ["a", "b", "c"])
        band.isUpsideDown = true
        #expect(copy == ["c", "b", "a"])
        // The view shows what the override shows, and sets it.
        band.mutable(\.members).append("0")
        #expect(copy == ["c", "b", "a", "0"] && Array(band.mutable(\.members)) == copy)
        withExtendedLifetime(token) {}
    }

    @Test(
        "2.1 An override that shows something else after a change of elements is delivered with both whole values")
    func overrideChangesItsMind() {
        let root = Band()
        let band = ShortBand(["a", "b"])
        root.rival = band
        let tokens = [
            band.observe(\.members, options: [.old, .new]) { [log] in log.addToMany($1) },
            root.observe(\.rival?.members, options: .old) { [log] in log.addToMany($1, as: "path") },
            root.observe(\.rival?.members, options: .new) { [log] in log.addToMany($1, as: "new") },
        ]
        func expect(_ told: String, _ path: String, _ new: String, at location: SourceLocation = #_sourceLocation) {
            #expect(log.take() == [told, "path \(path)", "new \(new)"], sourceLocation: location)
        }
        band.mutable(\.members).insert("c", at: 1)
        expect(#"setting ["a", "b"]→["a", "c"]"#, #"setting ["a", "b"]→·"#, #"setting ·→["a", "c"]"#)
        band.mutable(\.members).insert(contentsOf: ["x", "y", "z"], at: 0)
        expect(#"setting ["a", "c"]→["x", "y"]"#, #"setting ["a", "c"]→·"#, #"setting ·→["x", "y"]"#)
        withExtendedLifetime(tokens) {}
    }

    // #168 5.3
    @Test(
        "7.1 Through a computed property elements are delivered once; a setter that keeps something else is a setting")
    func computed() {
        let tokens = [
            band.observe(\.lineUp, options: [.old, .new]) { [log] in log.addToMany($1, as: "line-up") },
            band.observe(\.shouted, options: [.old, .new]) { [log] in log.addToMany($1, as: "shouted") },
            band.observe(\.size, options: [.old, .new]) { [log] in log.addToMany($1, as: "size") },
        ]
        band.mutable(\.lineUp).removeAll { $0 > "b" }
        #expect(
            log.take() == [
                #"shouted setting ["A", "B", "C", "D"]→["A", "B"]"#, "size setting 4→2",
                #"line-up removal [2, 3] ["c", "d"]→·"#,
            ])
        band.mutable(\.shouted)[0] = "x"
        #expect(
            log.take() == [
                #"line-up setting ["a", "b"]→["x", "b"]"#, "size setting 2→2",
                #"shouted setting ["A", "B"]→["X", "B"]"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "6.6 A path that ends at the array keeps kind and positions; one that leads on is a setting (#135)")
    func paths() {
        let root = Band()
        root.rival = band
        let tokens = [
            root.observe(\.rival?.members, options: [.old, .new, .prior]) { [log] in log.addToMany($1, as: "end") },
            root.observe(\.rival!.members, options: .new) { [log] in log.addToMany($1, as: "forced") },
            root.observe(\.rival?.members.count, options: [.old, .new]) { [log] in log.addToMany($1, as: "count") },
            root.observe(\.rival?.lineUp, options: .new) { [log] in log.addToMany($1, as: "computed") },
        ]
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
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 What a prior handler does to the property makes the change one of the whole")
    func priorChangesProperty() {
        var isFirst = true
        let meddler = band.observe(\.members, options: .prior) { band, change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            band.members = ["x"]
        }
        let token = observe()
        band.mutable(\.members).append("e")
        #expect(band.members == ["x", "e"])
        #expect(log.take() == [#"setting ["a", "b", "c", "d"]→["x", "e"]"#])
        withExtendedLifetime((meddler, token)) {}
    }

    @Test("P3 3.4 Handlers of one change may each append, and what they append is told in that order")
    func handlersThatAppend() {
        let tokens = ["x", "y"].map { name in
            band.observe(\.genres) { band, _ in band.mutable(\.members).append(name) }
        }
        let token = observe()
        band.genres = ["folk"]
        #expect(log.take() == [#"insertion [4] ·→["x"]"#, #"insertion [5] ·→["y"]"#])
        withExtendedLifetime((tokens, token)) {}
    }

    @Test(
        "2.6 2.3 Elements are delivered without copying the array, also at the end of a path and where it is computed from",
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

    @Test("Other arrays than Array have the same views")
    func otherArrays() {
        let stack = Stack()
        let token = stack.observe(\.numbers, options: [.old, .new]) { [log] in log.addToMany($1) }
        stack.mutable(\.numbers).append(contentsOf: [3, 1, 2])
        stack.mutable(\.numbers).sort()
        #expect(log.take() == ["insertion [0, 1, 2] ·→[3, 1, 2]", "replacement [0, 1, 2] [3, 1, 2]→[1, 2, 3]"])
        withExtendedLifetime(token) {}
    }

    /// Calls that trap, and what the sentence says.
    static let wrongCalls: [(call: @Sendable (ObservedMutableArray<String>) -> Void, sentence: String)] = [
        ({ $0.insert("x", at: 5) }, "Index 5 is out of range of members of a Band, whose indices are 0..<4."),
        ({ $0.remove(at: 4) }, "Index 4 is out of range"),
        ({ $0[4] = "x" }, "Index 4 is out of range"),
        ({ $0.removeFirst(5) }, "Index 4 is out of range"),
        ({ $0.removeLast(-1) }, "Index -1 is out of range"),
        ({ $0.replaceSubrange(3..<5, with: ["x"]) }, "Index 4 is out of range"),
        ({ $0.removeSubranges(RangeSet(0, 4)) }, "Index 4 is out of range"),
        ({ $0.insert(contentsOf: ["x"], at: RangeSet(6)) }, "Index 6 is out of range"),
        ({ $0.swapAt(0, 4) }, "Index 4 is out of range"),
        ({ $0.moveSubranges(RangeSet(0), to: 5) }, "Index 5 is out of range"),
        (
            { $0.replaceSubranges(RangeSet(0), with: ["x", "y"]) },
            "2 elements were given for 1 positions of members of a Band."
        ),
        ({ $0.insert(contentsOf: ["x"], at: RangeSet(0, 1)) }, "1 elements were given for 2 positions"),
    ]

    @Test(
        "7.3 Positions out of range trap as an array's do, before anything is delivered", arguments: wrongCalls.indices)
    func traps(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
        ) { [index] in
            let band = Band(["a", "b", "c", "d"])
            let token = band.observe(\.members, options: .prior) { _, _ in print("told") }
            Self.wrongCalls[index].call(band.mutable(\.members))
            withExtendedLifetime(token) {}
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(message.contains(Self.wrongCalls[index].sentence) && !output.contains("told"))
    }
}

private final class Stack: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var numbers: ContiguousArray<Int> = []
}

/// Watches a band.
private final class Fan: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var band: Band
    var size: Int { band.members.count }

    init(of band: Band) { self.band = band }
}
