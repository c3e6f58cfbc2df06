// Changes are made in copies and in other properties, and undone: 7.1, 7.2 and 7.5. Random programs do so with every change.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

private final class Bookcase: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var books = ["a", "b", "c"]
    @Observed var labels: Set<String> = ["a", "b"]
    @Observed var prices = ["a": 1]
    @Observed var width = 0
    @Observed var slice = Array(0..<8)[3...]
    @Observed var bytes = Data(0..<8)[3...]
    @Observed var array = Array(0..<8)
}

@Suite("7.1 7.5 Applying changes")
struct ApplyTests {
    private let kept = Kept()
    private let shelf = Bookcase()
    private let copy = Bookcase()
    private let log = Log()

    // MARK: In copies

    /// Checks that each change, applied to a copy in turn, gives the property's value, and its inverse the one before.
    private func replay<Value: Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Bookcase, Value>, start: @escaping (Value) -> Int = { _ in 0 },
        _ apply: @escaping (KeyValueObservedChange<Value>, inout Value) -> Void, _ name: String = "",
        changes: (Bookcase) -> Void
    ) {
        let shelf = Bookcase()
        var copy = shelf[keyPath: keyPath]
        let token = shelf.observe(keyPath, options: [.old, .new, .prior]) { _, change in
            let before = copy
            apply(change, &copy)
            #expect(!change.isPrior || copy == before && change.inverse == nil, "\(name)")
            var undone = copy
            if let inverse = change.inverse { apply(inverse, &undone) }
            #expect(undone == before && start(undone) == start(before), "\(name)")
        }
        changes(shelf)
        let value = shelf[keyPath: keyPath]
        #expect(copy == value && start(copy) == start(value), "\(name)")
        withExtendedLifetime(token) {}
    }

    @Test("7.5 7.1 Replaying changes gives the value at the same positions, of slices too, and undoing the one before")
    func arrays() {
        replayCalls(\.slice) { $0 }
        replayCalls(\.bytes) { UInt8($0) }
        replayCalls(\.array) { $0 }
    }

    private func replayCalls<
        Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection & Equatable
    >(_ keyPath: ReferenceWritableKeyPath<Bookcase, Value>, element: (Int) -> Value.Element) where Value.Index == Int {
        for call in Call.allCases {
            replay(keyPath, start: \.startIndex, { $0.apply(to: &$1) }, "\(call)") { shelf in
                call.make(in: shelf.mutable(keyPath), element)
                shelf.mutable(keyPath).append(element(9))
                shelf[keyPath: keyPath] = Value([7].map(element))
            }
        }
    }

    enum Call: CaseIterable {
        case removeOne, removeSeveral, removeAll, insertSeveral, replaceSeveral, replaceSubrange, move, reverse

        fileprivate func make<Value>(in view: ObservedMutableProperty<Value>, _ element: (Int) -> Value.Element)
        where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
            let start = view.startIndex
            let several = RangeSet(start, start + 2, start + 3)
            switch self {
            case .removeOne: view.removeSubranges(RangeSet(start))
            case .removeSeveral: view.removeSubranges(several)
            case .removeAll: view.removeAll()
            case .insertSeveral: view.insert(contentsOf: [7, 8, 9].map(element), at: several)
            case .replaceSeveral: view.replaceSubranges(several, with: [7, 8, 9].map(element))
            case .replaceSubrange: view.replaceSubrange(start..<(start + 3), with: [element(7)])
            case .move: view.moveSubranges(several, to: start + 2)
            case .reverse: view.reverse()
            }
        }
    }

    @Test("7.1 So it does for sets and dictionaries")
    func setsAndDictionaries() {
        replay(\.labels, { $0.apply(to: &$1) }) { shelf in
            shelf.mutable(\.labels).formUnion(["a", "c"])
            shelf.mutable(\.labels).set(["b", "c"])
            shelf.mutable(\.labels).subtract(["b"])
            shelf.labels = ["q"]
        }
        replay(\.prices, { $0.apply(to: &$1) }) { shelf in
            for price in 1...2 { shelf.mutable(\.prices)["b"] = price }
            shelf.mutable(\.prices).merge(["a": 3, "c": 4]) { $1 }
            shelf.mutable(\.prices)["a"] = nil
        }
    }

    @Test("7.1 A change without the values it needs has no inverse")
    func incomplete() {
        var inverses: [Bool] = []
        [
            shelf.observe(\.books, options: .new) { inverses.append($1.inverse != nil) },
            shelf.observe(\.books, options: .old) { inverses.append($1.inverse != nil) },
        ].store(in: kept)
        shelf.mutable(\.books).append("a")
        shelf.mutable(\.books).removeLast()
        shelf.books = ["b"]
        #expect(inverses == [true, false, false, true, false, false])
    }

    /// The line of the registration below, for its message.
    private static let withoutNew: UInt = 4711

    @Test(
        "7.1 Applying a change without the value it needs traps, and says which option is missing",
        .enabled(if: hasReflectionMetadata))
    func missingOption() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shelf = Bookcase()
            var copy = shelf.books
            let token = shelf.observe(\.books, options: .old, line: Self.withoutNew) { $1.apply(to: &copy) }
            shelf.mutable(\.books).append("a")
            withExtendedLifetime(token) {}
        }
        #expect(
            words(
                "The insertion of books has no new value. Register with the option .new at ",
                "ApplyTests.swift:\(Self.withoutNew) to get it.", missingIn: message(of: result)) == [])
    }

    // MARK: In other properties

    /// Has a property of the copy follow that of the shelf, and notes its changes.
    private func follow<Value>(
        _ keyPath: ReferenceWritableKeyPath<Bookcase, Value>,
        _ apply: @escaping (ObservedMutableProperty<Value>, KeyValueObservedChange<Value>) -> Void
    ) {
        [
            shelf.observe(keyPath, options: [.old, .new]) { [copy] in apply(copy.mutable(keyPath), $1) },
            copy.observe(keyPath, options: [.old, .new]) { [log] in log.add($1) },
        ].store(in: kept)
    }

    @Test("7.1 Changes of an array are made in another property as changes of the same kind")
    func arrayFollows() {
        follow(\.books) { $0.apply($1) }
        let books = shelf.mutable(\.books)
        books.append("d")
        books.insert(contentsOf: ["x", "y"], at: RangeSet(0, 2))
        books.removeSubranges(RangeSet(0, 3))
        books.replaceSubranges(RangeSet(1), with: ["z"])
        shelf.books = []
        #expect(
            log.take() == [
                #"insertion ·→["d"]"#, #"insertion ·→["x", "y"]"#, #"removal ["x", "b"]→·"#,
                #"replacement ["y"]→["z"]"#, #"["a", "z", "c", "d"]→[]"#,
            ])
        #expect(copy.books == shelf.books)
    }

    @Test("7.2 Changes of a set are made as changes of the members that really come and go")
    func setFollows() {
        follow(\.labels) { $0.apply($1) }
        copy.labels.insert("7")
        _ = log.take()
        let labels = shelf.mutable(\.labels)
        for label in ["7", "c"] { labels.insert(label) }
        labels.remove("a")
        #expect(copy.labels == ["b", "c", "7"])
        #expect(log.take() == [#"insertion ·→["c"]"#, #"removal ["a"]→·"#])
        (shelf.labels, copy.labels) = (["c"], ["c"])
        _ = log.take()
        labels.set(["d"])
        #expect(log.take() == [#"replacement ["c"]→["d"]"#] && copy.labels == ["d"])
    }

    @Test("7.2 2.1 Those of a dictionary as changes of the same kind; a plain value is set, and a prior left out")
    func dictionaryFollows() {
        follow(\.prices) { $0.apply($1) }
        for price in 2...3 { shelf.mutable(\.prices).updateValue(price, forKey: "b") }
        shelf.mutable(\.prices).removeValue(forKey: "a")
        shelf.prices = ["z": 0]
        #expect(
            log.take() == [
                #"insertion ·→["b": 2]"#, #"replacement ["b": 2]→["b": 3]"#, #"removal ["a": 1]→·"#,
                #"["b": 3]→["z": 0]"#,
            ])
        shelf.observe(\.width, options: [.prior, .new]) { [copy] in copy.mutable(\.width).apply($1) }.store(in: kept)
        shelf.width = 5
        #expect(copy.width == 5)
    }

    @Test("7.1 Elements are made where nothing is known of the values, and trap with a sentence where these have none")
    func unknown() async {
        let setting = KeyValueObservedChange(kind: .setting, newValue: 3, keyPath: \Bookcase.width)
        Self.apply(setting, to: shelf.mutable(\.width))
        let insertion = KeyValueObservedChange(
            kind: .insertion, newValue: ["q"], indexes: RangeSet(0), keyPath: \Bookcase.books)
        shelf.observe(\.books, options: [.new]) { [log] in log.add($1) }.store(in: kept)
        Self.apply(insertion, to: shelf.mutable(\.books))
        #expect(shelf.width == 3 && log.take() == [#"insertion ·→["q"]"#])
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let change = KeyValueObservedChange(kind: .insertion, newValue: 3, keyPath: \Bookcase.width)
            Self.apply(change, to: Bookcase().mutable(\.width))
        }
        #expect(words("insertion is a change of elements", "view of Int", missingIn: message(of: result)) == [])
        let copied = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var copy = 1
            KeyValueObservedChange(kind: .removal, oldValue: 3, keyPath: \Bookcase.width).apply(to: &copy)
        }
        #expect(words("removal is a change of elements", "Int has none", missingIn: message(of: copied)) == [])
    }

    /// Code that knows nothing of the values.
    private static func apply<Value>(_ change: KeyValueObservedChange<Value>, to view: ObservedMutableProperty<Value>) {
        view.apply(change)
    }
}
