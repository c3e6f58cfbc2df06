// Views of stored collections that notify manually: 4.4 of the contract.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("4.4 Views of stored collections that notify manually")
struct ManualViewTests {
    private let heap = Heap()
    private let log = Log()

    private func observe(_ options: KeyValueObservingOptions = [.old, .new]) -> KeyValueObservation {
        heap.observe(\.pile, options: options) { [log] in log.addToMany($1) }
    }

    @Test("4.4 7.1 A view announces the elements of an array, each call with kind, indexes and elements")
    func array() {
        let token = observe([.old, .new, .prior])
        let pile = heap.mutable(\.pile)
        pile.append(1)
        pile.insert(0, at: 0)
        pile[1] = 2
        pile.removeFirst()
        #expect(
            log.take() == [
                "prior insertion [0] ·→·", "insertion [0] ·→[1]", "prior insertion [0] ·→·", "insertion [0] ·→[0]",
                "prior replacement [1] [1]→·", "replacement [1] [1]→[2]", "prior removal [0] [0]→·",
                "removal [0] [0]→·",
            ])
        withExtendedLifetime(token) {}
    }

    @Test("4.4 7.2 So does one of a set and one of a dictionary")
    func setAndDictionary() {
        let tokens = [
            heap.observe(\.bag, options: [.old, .new]) { [log] in log.addToMany($1) },
            heap.observe(\.table, options: [.old, .new]) { [log] in log.addToMany($1) },
        ]
        heap.mutable(\.bag).insert("a")
        heap.mutable(\.bag).insert("a")
        heap.mutable(\.bag).set(["b"])
        heap.mutable(\.table)["a"] = 1
        heap.mutable(\.table)["a"] = 2
        heap.mutable(\.table)["a"] = nil
        #expect(
            log.take() == [
                #"insertion ·→["a"]"#, #"replacement ["a"]→["b"]"#, #"insertion ·→["a:1"]"#,
                #"replacement ["a:1"]→["a:2"]"#, #"removal ["a:2"]→·"#,
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.4 6.6 Paths, computed properties, expressions and observers of any property get them, too")
    func dependents() {
        let yard = Yard()
        yard.heap = heap
        let tokens = [
            yard.observe(\.heap?.pile, options: [.old, .new]) { [log] in log.addToMany($1) },
            yard.observe(\.heap?.pile.count, options: [.old, .new]) { [log] in log.addToMany($1) },
            heap.observe(\.total, options: [.old, .new]) { [log] in log.addToMany($1) },
            heap.observe(reading: { $0.pile.max() ?? 0 }, options: .new) { [log] in log.addToMany($1) },
            heap.observeAnyProperty { [log] _, keyPath in log.add("\(keyPath == \Heap.pile)") },
        ]
        heap.mutable(\.pile).append(1)
        heap.mutable(\.pile).append(2)
        #expect(
            log.take() == [
                "insertion [0] ·→[1]", "setting 0→1", "setting 0→1", "setting ·→1", "true", "insertion [1] ·→[2]",
                "setting 1→2", "setting 1→3", "setting ·→2", "true",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.4 7.5 What a view applies it announces, settings, too")
    func apply() {
        let token = observe()
        let model = Model()
        let mirror = model.observe(\.list, options: [.old, .new]) { [heap] in heap.mutable(\.pile).apply($1) }
        model.mutable(\.list).append(1)
        model.list = [2, 3]
        model.mutable(\.list).removeLast()
        #expect(heap.pile == [2])
        #expect(log.take() == ["insertion [0] ·→[1]", "setting [1]→[2, 3]", "removal [1] [3]→·"])
        withExtendedLifetime((token, mirror)) {}
    }

    @Test("4.4 10.2 In a transaction each change of elements is one call, and what depends on them one")
    func transaction() {
        let tokens = [
            observe(), heap.observe(\.total, options: [.old, .new]) { [log] in log.addToMany($1) },
        ]
        withKeyValueTransaction {
            heap.mutable(\.pile).append(1)
            heap.pile = [5]
            heap.mutable(\.pile).append(2)
            #expect(log.take() == [])
        }
        #expect(log.take() == ["insertion [0] ·→[1]", "insertion [1] ·→[2]", "setting 0→7"])
        withExtendedLifetime(tokens) {}
    }

    @Test("4.4 3.5 Within a pair they belong to the announced change")
    func pair() {
        let token = observe()
        heap.changeValue(for: \.pile) {
            heap.mutable(\.pile).append(1)
            heap.pile.append(2)
        }
        #expect(log.take() == ["setting []→[1, 2]"])
        withExtendedLifetime(token) {}
    }

    @Test("4.2 4.4 Setting and changing it in place stay silent, through a view, too")
    func silent() {
        let token = observe()
        heap.pile = [1]
        heap.pile.append(2)
        heap.mutable(\.pile).value = [3]
        heap.mutable(\.pile).value.append(4)
        #expect(log.take() == [] && heap.pile == [3, 4])
        withExtendedLifetime(token) {}
    }

    @Test("4.4 3.4 In a handler, each observer gets each change once, in the order in which they were made")
    func inHandler() {
        let tokens = [
            heap.observe(\.pile, options: .new) { [log] heap, change in
                log.addToMany(change, as: "first")
                if heap.pile.count < 3 { heap.mutable(\.pile).append(heap.pile.count) }
            },
            heap.observe(\.pile, options: .new) { [log] in log.addToMany($1, as: "second") },
        ]
        heap.mutable(\.pile).append(0)
        for observer in ["first", "second"] {
            #expect(
                log.lines.filter { $0.hasPrefix(observer) }
                    == (0..<3).map { "\(observer) insertion [\($0)] ·→[\($0)]" })
        }
        withExtendedLifetime(tokens) {}
    }

    @Test("4.4 13.3 Who ignores them does not get them")
    func ignoring() {
        let tokens = [observe(), observe()]
        tokens[0].ignoringChanges { heap.mutable(\.pile).append(1) }
        #expect(log.take() == ["insertion [0] ·→[1]"])
    }

    @Test("4.4 So it is where a subclass overrides the property, whichever class's key path the view is made with")
    func overridden() {
        let heap = OverridingHeap()
        let token = heap.observe(\.pile, options: [.old, .new]) { [log] in log.addToMany($1) }
        heap.mutable(\.pile).append(1)
        (heap as Heap).mutable(\Heap.pile).append(2)
        // Behind an overridden getter it is a setting.
        #expect(log.take() == ["insertion [0] ·→[1]", "setting [1]→[1, 2]"])
        withExtendedLifetime(token) {}
    }

    @Test("4.4 8.4 So it is of the array that is got by name")
    func byName() throws {
        let token = observe()
        try heap.mutableArrayValue(forKey: "pile").append(1)
        #expect(log.take() == ["insertion [0] ·→[1]"])
        withExtendedLifetime(token) {}
    }

    @Test("4.4 17.2 So it is of a property that several threads change")
    func shared() {
        let heap = SharedHeap()
        let token = heap.observe(\.pile, options: [.old, .new]) { [log] in log.addToMany($1) }
        let total = heap.observe(\.total, options: [.old, .new]) { [log] in log.addToMany($1) }
        heap.mutable(\.pile).append(1)
        heap.pile = [4]
        heap.mutable(\.pile)[0] = 5
        heap.mutable(\.pile).apply(
            KeyValueObservedChange(kind: .setting, newValue: [6], oldValue: [], keyPath: \SharedHeap.pile))
        #expect(
            log.take() == [
                "insertion [0] ·→[1]", "setting 0→1", "replacement [0] [4]→[5]", "setting 1→5", "setting [5]→[6]",
                "setting 5→6",
            ])
        withExtendedLifetime((token, total)) {}
    }
}

/// Has collections that notify manually.
private class Heap: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var pile: [Int] = []
    @Observed var bag: Set<String> = []
    @Observed var table: [String: Int] = [:]
    var total: Int { pile.reduce(0, +) }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        ![\Heap.pile, \Heap.bag, \Heap.table].contains(keyPath)
    }

    class var keyPathsByKey: [String: AnyKeyPath] { ["pile": \Heap.pile] }
}

private final class Model: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var list: [Int] = []
}

private final class OverridingHeap: Heap {
    override var pile: [Int] {
        get { super.pile }
        set { super.pile = newValue }
    }
}

private final class SharedHeap: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var pile: [Int] = []
    var total: Int { pile.reduce(0, +) }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \SharedHeap.pile }
}

private final class Yard: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var heap: Heap?
}
