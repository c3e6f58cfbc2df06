// Changes of elements are delivered only to registrations that have the collection they fit: P1, 7.5, 10.2, 16.1.
import KeyValueObserving
import TestSupport
import Testing

/// An observer with a copy of a collection, to which it applies the delivered changes.
private final class Mirror<Value: Equatable> {
    private(set) var copy: Value
    private(set) var faults: [String] = []
    private let apply: (KeyValueObservedChange<Value>, inout Value) -> Void

    init(_ value: Value, _ apply: @escaping (KeyValueObservedChange<Value>, inout Value) -> Void) {
        copy = value
        self.apply = apply
    }

    func make(_ change: KeyValueObservedChange<Value>) {
        if change.kind == .setting, change.oldValue != copy { note("old in \(change), after \(copy) was told") }
        if !change.steps.isEmpty {
            var stepped = copy
            for step in change.steps { apply(step, &stepped) }
            if stepped != change.newValue { note("the steps of \(change) lead to \(stepped)") }
            for step in change.inverse?.steps ?? [] { apply(step, &stepped) }
            if stepped != copy { note("the inverse of \(change) leads to \(stepped), not to \(copy)") }
        }
        apply(change, &copy)
    }

    func make(old: Value, new: Value) {
        if old != copy { note("old in \(old)→\(new), after \(copy) was told") }
        copy = new
    }

    func check(_ value: Value, after action: String) {
        if copy != value { note("has \(copy) in place of \(value) after \(action)") }
    }

    private func note(_ fault: String) { faults.append(fault) }
}

/// A property, and paths of two lengths to it.
private typealias Places<Value> = (
    property: ReferenceWritableKeyPath<Catalog, Value>, path: KeyPath<Catalog, Value?>,
    longPath: KeyPath<Catalog, Value?>
)

/// A kind of collection: where it is, and how some of its elements are changed.
private struct CollectionKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (UInt64) -> [String]

    init<Value: Equatable & Sendable>(
        _ name: String, _ places: @escaping @Sendable () -> Places<Value>,
        value: @escaping @Sendable ([Int]) -> Value,
        apply: @escaping @Sendable (KeyValueObservedChange<Value>, inout Value) -> Void,
        change: @escaping @Sendable (ObservedMutableProperty<Value>, Int) -> Void
    ) {
        testDescription = name
        run = { CollectionRun($0, places(), value: value, apply: apply, change: change).faults() }
    }

    static let all = [
        array("array", { (\.list, \.next?.list, \.next?.next?.list) }) { $0 },
        array("slice", { (\.slice, \.next?.slice, \.next?.next?.slice) }) { $0[...] },
        array("contiguous array", { (\.row, \.next?.row, \.next?.next?.row) }) { ContiguousArray($0) },
        array("manual array", { (\.quiet, \.next?.quiet, \.next?.next?.quiet) }) { $0 },
        Self("set", { (\.members, \.next?.members, \.next?.next?.members) }, value: { Set($0) }) {
            $0.apply(to: &$1)
        } change: { view, number in
            if number.isMultiple(of: 2), let member = view.value.min() {
                view.remove(member)
            } else {
                view.formUnion([(view.value.max() ?? 0) + 1, number % 4 - 9])
            }
        },
        Self("dictionary", { (\.table, \.next?.table, \.next?.next?.table) }, value: { Catalog.table($0) }) {
            $0.apply(to: &$1)
        } change: { view, number in
            switch (number % 3, view.value.keys.min()) {
            case (0, let key?): _ = view.removeValue(forKey: key)
            case (1, let key?): view[key] = number
            default: view["new \(number)"] = number
            }
        },
    ]

    private static func array<Elements: RangeReplaceableCollection & RandomAccessCollection & MutableCollection>(
        _ name: String, _ places: @escaping @Sendable () -> Places<Elements>,
        value: @escaping @Sendable ([Int]) -> Elements
    ) -> Self where Elements: Equatable & Sendable, Elements.Element == Int, Elements.Index == Int {
        Self(name, places, value: value) {
            $0.apply(to: &$1)
        } change: { view, number in
            let start = view.startIndex
            switch (number % 5, view.isEmpty) {
            case (0, _), (_, true): view.append(number % 3)
            case (1, _): view.insert(number % 3, at: start)
            case (2, _): view.remove(at: start + number % view.count)
            case (3, _): view[start] = number % 3
            default: view.insert(contentsOf: [1, 1], at: RangeSet([start..<(start + 1), (start + 2)..<(start + 3)]))
            }
        }
    }
}

/// Changes a collection in random ways; several mirrors observe it, each with other options.
private final class CollectionRun<Value: Equatable> {
    private let keyPath: ReferenceWritableKeyPath<Catalog, Value>
    private let value: ([Int]) -> Value
    private let change: (ObservedMutableProperty<Value>, Int) -> Void
    private let (root, middle) = (Catalog(), Catalog())
    private let first = Catalog()
    private lazy var page = first
    private var generator: SplitMix
    private var tokens: [KeyValueObservation] = []
    private var mirrors: [(name: String, of: Mirror<Value>)] = []
    private var calls = 0
    private var propertyCalls = 0

    init(
        _ seed: UInt64, _ places: Places<Value>, value: @escaping ([Int]) -> Value,
        apply: @escaping (KeyValueObservedChange<Value>, inout Value) -> Void,
        change: @escaping (ObservedMutableProperty<Value>, Int) -> Void
    ) {
        generator = SplitMix(state: seed)
        keyPath = places.property
        self.value = value
        self.change = change
        (root.next, middle.next) = (middle, page)
        let none = value([])
        func mirror(_ name: String, _ begin: (Mirror<Value>) -> KeyValueObservation) {
            let mirror = Mirror(none, apply)
            mirrors.append((name, mirror))
            tokens.append(begin(mirror))
        }
        let (path, longPath) = (places.path, places.longPath)
        for options in [[.old, .new], [.old, .new, .distinct]] as [KeyValueObservingOptions] {
            mirror("path \(options)") { mirror in
                middle.observe(path, options: options) { mirror.make($1.mapValues { $0 ?? none }) }
            }
            mirror("long path \(options)") { mirror in
                root.observe(longPath, options: options) { mirror.make($1.mapValues { $0 ?? none }) }
            }
        }
        // It observes this object alone.
        mirror("property") { mirror in
            page.observe(keyPath, options: [.old, .new, .distinct]) { mirror.make($1) }
        }
        mirror("onChange") { mirror in
            middle.onChange(of: path) { mirror.make(old: $0 ?? none, new: $1 ?? none) }
        }
        tokens.append(middle.observe(path, options: []) { [unowned self] _, _ in calls += 1 })
        tokens.append(page.observe(keyPath, options: []) { [unowned self] _, _ in propertyCalls += 1 })
    }

    private func number() -> Int { Int.random(in: 0..<60, using: &generator) }

    private func numbers() -> [Int] { (0..<(number() % 4)).map { _ in number() % 3 } }

    /// Makes a change of the collection, which is delivered.
    private func makeChange() -> String {
        let kind = number() % 4
        if kind == 0 {
            let value = value(numbers())
            page.changeValue(for: keyPath) { page[keyPath: keyPath] = value }
        } else {
            change(page.mutable(keyPath), number())
        }
        return kind == 0 ? "a set" : "elements"
    }

    private func ignoring(_ tokens: ArraySlice<KeyValueObservation>, _ body: () -> Void) {
        guard let token = tokens.first else { return body() }
        token.ignoringChanges { ignoring(tokens.dropFirst(), body) }
    }

    private func act() -> String {
        switch number() % 8 {
        case 0, 1:
            page.restore(numbers())
            return "silence"
        case 2:
            return withKeyValueTransaction {
                var actions = ""
                for _ in 0..<(1 + number() % 3) {
                    if number() % 5 == 0 {
                        page.restore(numbers())
                        actions += "silence, "
                    }
                    actions += makeChange() + ", "
                }
                return "a transaction of " + actions
            }
        case 3:
            ignoring(tokens[...]) { _ = makeChange() }
            return "something ignored"
        case 4:
            ignoring(tokens[...]) { withKeyValueTransaction { for _ in 0..<2 { _ = makeChange() } } }
            return "an ignored transaction"
        case 5:
            let other = number().isMultiple(of: 2) ? Catalog() : page
            if other !== page { other.restore(numbers()) }
            middle.next = other
            page = other
            return "another object"
        default: return makeChange()
        }
    }

    func faults() -> [String] {
        var actions: [String] = []
        for _ in 0..<40 {
            let before = (calls, propertyCalls)
            actions.append(act())
            // A registration without options is called for each change.
            for (name, mirror) in mirrors where name == "property" ? propertyCalls > before.1 : calls > before.0 {
                mirror.check(page[keyPath: keyPath], after: actions.last ?? "")
            }
            let faults = mirrors.flatMap { name, mirror in mirror.faults.prefix(1).map { "\(name): \($0)" } }
            if !faults.isEmpty { return faults + actions }
        }
        return []
    }
}

@Suite("P1 7.5 16.1 Elements that fit")
struct FittingElementsTests {
    @Test(
        "P1 7.5 10.2 16.1 Whatever was silent or ignored, who goes on from what was told can make what is told in that",
        arguments: CollectionKind.all)
    private func anyHistory(kind: CollectionKind) {
        for seed in 0..<60 as Range<UInt64> {
            let faults = kind.run(seed)
            #expect(faults == [], "seed \(seed)")
            if !faults.isEmpty { return }
        }
    }
    @Test(
        "P1 7.5 A silent set of as many elements is noticed in large collections, too",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds), arguments: [10, 64, 65, 1_000])
    func large(count: Int) {
        let (owner, page) = (Catalog(), Catalog())
        owner.next = page
        page.restore(Array(0..<count))
        var kinds: [KeyValueChange] = []
        let tokens = [
            owner.observe(\.next?.list) { kinds.append($1.kind) },
            owner.observe(\.next?.members) { kinds.append($1.kind) },
            owner.observe(\.next?.table) { kinds.append($1.kind) },
        ]
        func change() {
            page.mutable(\.list).append(-1)
            page.mutable(\.members).insert(-1)
            page.mutable(\.table)["-1"] = -1
        }
        change()
        page.restore(Array(5_000...(5_000 + count)))
        change()
        #expect(kinds == [.insertion, .insertion, .insertion, .setting, .setting, .setting])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "P1 10.2 Where something was silent between two changes of a transaction, others change nothing of what one is told",
        arguments: [[], .old, .new, [.old, .new]] as [KeyValueObservingOptions])
    func silentBetween(options: KeyValueObservingOptions) {
        func told(besides others: KeyValueObservingOptions?, _ change: (Catalog) -> Void) -> [String] {
            let (owner, page) = (Catalog(), Catalog())
            (owner.next, page.list) = (page, [1, 2])
            var lines: [String] = []
            let tokens = [
                others.map { page.observe(\.list, options: $0) { _, _ in } },
                page.observe(\.list, options: options) { lines.append("\($1), \($1.steps.count) steps") },
                owner.observe(\.next?.list, options: options) { lines.append("\($1), \($1.steps.count) steps") },
            ]
            withKeyValueTransaction {
                page.mutable(\.list).append(3)
                change(page)
                page.mutable(\.list).append(4)
            }
            withExtendedLifetime(tokens) {}
            return lines
        }
        for change in [{ $0.restore([7]) }, { $0.restore([7, 8, 9]) }, { _ in }] as [(Catalog) -> Void] {
            let alone = told(besides: nil, change)
            for others in [[], .old, .new, [.old, .new], [.old, .new, .distinct]] as [KeyValueObservingOptions] {
                #expect(told(besides: others, change) == alone)
            }
        }
    }
}
