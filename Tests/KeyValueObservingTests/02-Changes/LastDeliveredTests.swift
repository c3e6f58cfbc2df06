// The value last delivered to a registration: P1 at the end of a path, and for distinct values.
import KeyValueObserving
import TestSupport
import Testing

@Suite("P1 2.3 16.1 Last delivered")
struct LastDeliveredTests {
    private let kept = Kept()
    private let owner = Notebook()
    private let page = Notebook()
    private let log = Log()

    init() { owner.next = page }

    @Test(
        "P1 At the end of a path, too, the old value is the one last delivered, whatever was silent", arguments: 0..<4)
    func silent(way: Int) {
        owner.observe(\.next?.number, options: [.old, .new]) { log.add($1) }.store(in: kept)
        page.number = 2
        page.setSilently(5)
        switch way {
        case 0: page.number = 6
        case 1: page.number += 1
        case 2: withKeyValueTransaction { page.number = 6 }
        default:
            // The deliveries of one do not depend on another one.
            let other = owner.observe(\.next?.number, options: .prior) { _, _ in }
            page.number = 6
            withExtendedLifetime(other) {}
        }
        #expect(log.take() == ["0→2", "2→6"])
    }

    @Test(
        "16.1 Distinct values are those that the registration was told: a silent or ignored one between does not count")
    func distinct() {
        let tokens = [
            page.onChange(of: \.number) { log.add("page \($0)→\($1)") },
            owner.onChange(of: \.next?.number) { log.add("path \($0 ?? -1)→\($1 ?? -1)") },
            page.observe(\.number, options: [.distinct, .old, .new]) { log.add($1, as: "distinct") },
        ]
        page.setSilently(5)
        page.number = 0
        #expect(log.take() == [])
        page.number = 1
        #expect(log.take() == ["page 0→1", "path 0→1", "distinct 0→1"])
        tokens[0].ignoringChanges {
            tokens[1].ignoringChanges { tokens[2].ignoringChanges { page.number = 7 } }
        }
        page.setSilently(3)
        page.number = 1
        #expect(log.take().isEmpty)
        page.number = 2
        #expect(log.take() == ["page 1→2", "path 1→2", "distinct 1→2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("P1 2.3 At a path to an object, the last one is kept weakly, whatever was ignored", arguments: [false, true])
    func lastObject(dies: Bool) {
        let names = Log()
        let token = owner.observe(\.next?.next, options: [.old, .new]) { _, change in
            names.add("\((change.oldValue ?? nil)?.number ?? -1)→\((change.newValue ?? nil)?.number ?? -1)")
        }
        weak var first: Notebook?
        do {
            let (one, two) = (Notebook(1), Notebook(2))
            first = one
            page.next = one
            #expect(names.take() == ["-1→1"])
            token.ignoringChanges { page.next = two }
            if !dies { withExtendedLifetime(one) { page.next = Notebook(3) } }
        }
        if dies { page.next = Notebook(3) }
        #expect(names.take() == [dies ? "-1→3" : "1→3"])
        #expect(first == nil)
        page.next = nil
        #expect(names.take() == ["3→-1"])
        withExtendedLifetime(token) {}
    }

    @Test("2.3 Registering while the path cannot be read keeps the last object weakly, too")
    func registeredInAccess() {
        weak var first: Notebook?
        var tokens = [owner.observe(\.next?.next) { _, _ in }]
        do {
            let one = Notebook(1)
            first = one
            page.next = one
        }
        tokens[0].ignoringChanges {
            inPlace(&page.next) { _ in tokens.append(owner.observe(\.next?.next) { _, _ in }) }
        }
        tokens[0].ignoringChanges { tokens[1].ignoringChanges { page.next = nil } }
        #expect(first == nil)
    }

    @Test(
        "P1 10.2 Steps that do not lead from the value last delivered are left out",
        arguments: RuntimeAssumption.keyPathComponents.holds ? [false, true] : [false])
    func stepsThatDoNotFit(isPath: Bool) {
        func observe(_ options: KeyValueObservingOptions) -> KeyValueObservation {
            let handler = { [log] (change: String, steps: Int) in log.add("\(change), \(steps) steps") }
            return isPath
                ? owner.observe(\.next?.words, options: options) { handler(text(of: $1), $1.steps.count) }
                : page.observe(\.words, options: options) { handler(text(of: $1), $1.steps.count) }
        }
        func addTwo(_ words: [String], between body: () -> Void = {}) {
            withKeyValueTransaction {
                page.mutable(\.words).append(words[0])
                body()
                page.mutable(\.words).append(words[1])
            }
        }
        let token = observe([.old, .new])
        addTwo(["a", "b"])
        #expect(log.take() == [#"[]→["a", "b"], 2 steps"#])
        if isPath {
            token.ignoringChanges { page.words = ["x"] }
            addTwo(["c", "d"])
            #expect(log.take() == [#"["a", "b"]→["x", "c", "d"], 0 steps"#])
        } else {
            addTwo(["c", "d"]) { page.setSilently(words: ["x"]) }
            #expect(log.take().map { $0.hasSuffix(#"→["x", "d"], 0 steps"#) } == [true])
        }
        withExtendedLifetime(token) {}
    }

    @Test("2.3 A value held by an object that has died since is delivered as the old value")
    func deadMiddle() {
        let holder = WeakHolder()
        var friend: Notebook? = Notebook()
        holder.box = WeakHolder.Box(notebook: friend)
        holder.observe(\.box.notebook?.number, options: [.old, .new]) { log.add($1) }.store(in: kept)
        friend?.number = 1
        friend = nil
        holder.box = WeakHolder.Box(notebook: page)
        #expect(log.take() == ["0→1", "1→0"])
    }

    @Test(
        "2.3 6.6 Changes of elements are made in what is kept: the next old value is the whole, and nothing is copied",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func elements() {
        let tokens = [
            owner.observe(\.next?.words, options: [.old, .new]) { log.add($1) },
            page.observe(\.words, options: [.distinct, .old, .new]) { _, _ in },
        ]
        page.words.reserveCapacity(100)
        page.mutable(\.words).append("a")
        func place() -> UInt { unsafe page.words.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        let before = place()
        page.mutable(\.words).append(contentsOf: ["b", "c"])
        page.mutable(\.words).remove(at: 0)
        page.mutable(\.words)[0] = "x"
        #expect(place() == before)
        page.words = []
        #expect(log.take().last == #"["x", "c"]→[]"#)
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "2.3 The same holds for sets and dictionaries, and where something was set silently between",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds))
    func otherCollections() {
        func observe<Value>(_ keyPath: KeyPath<Notebook, Value>) -> KeyValueObservation {
            owner.observe(keyPath) { log.add($1.kind == .setting ? text(of: $1) : "elements") }
        }
        let tokens = [observe(\.next?.marks), observe(\.next?.table), observe(\.next?.words)]
        page.mutable(\.marks).insert(1)
        page.mutable(\.marks).insert(2)
        page.mutable(\.marks).remove(1)
        page.marks = []
        page.mutable(\.table)["a"] = 1
        page.mutable(\.table)["a"] = 2
        page.table = [:]
        page.setSilently(words: ["quiet"])
        page.mutable(\.words).append("b")
        page.words = []
        #expect(
            log.take() == [
                "elements", "elements", "elements", "[2]→[]", "elements", "elements", #"["a": 2]→[:]"#,
                #"[]→["quiet", "b"]"#, #"["quiet", "b"]→[]"#,
            ])
        withExtendedLifetime(tokens) {}
    }
}

private final class Notebook: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var next: Notebook?
    @Observed var words: [String] = []
    @Observed var marks: Set<Int> = []
    @Observed var table: [String: Int] = [:]

    init(_ number: Int = 0) { self.number = number }

    func setSilently(_ number: Int) { _number = Observed(wrappedValue: number) }
    func setSilently(words: [String]) { _words = Observed(wrappedValue: words) }
}

private final class WeakHolder: KeyValueObservable {
    struct Box { weak var notebook: Notebook? }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var box = Box()
}
