// Closures given to a view that change what it views: 7.5.
import KeyValueCoding
import KeyValueObserving
import Testing

@Suite("7.5 Closures that change the array")
struct ViewClosureTests {
    @Test(
        "7.5 The outcome has the elements of the array as it is, and replaying the changes gives it", arguments: cases)
    func changedInside(call: Call, change: Change) async {
        await #expect(processExitsWith: .success) { [call, change] in Self.check(call, change) }
    }

    private static func check(_ call: Call, _ change: Change) {
        let person = Person()
        person.tags = ["d", "b", "a", "c"]
        var replica = person.tags
        let token = person.observe(\.tags, options: [.old, .new]) { replica.replayStrictly($1) }
        var isFirst = true
        /// Changes the array once.
        func meddle() {
            guard isFirst else { return }
            isFirst = false
            switch change {
            case .append: person.tags.append("z")
            case .insertFirst: person.tags.insert("z", at: 0)
            case .removeFirst: person.tags.removeFirst()
            case .removeAll: person.tags = []
            case .replace: person.tags = ["x", "w", "y", "z", "v"]
            }
        }
        let view = person.mutable(\.tags)
        switch call {
        case .sort:
            view.sort {
                meddle()
                return $0 < $1
            }
        case .removeAll:
            view.removeAll {
                meddle()
                return $0 == "b"
            }
        case .partition:
            _ = view.partition {
                meddle()
                return $0 > "b"
            }
        }
        let outcome = person.tags
        #expect(replica == outcome)
        let elements: [String] =
            switch change {
            case .append, .insertFirst: ["a", "b", "c", "d", "z"]
            case .removeFirst: ["a", "b", "c"]
            case .removeAll: []
            case .replace: ["v", "w", "x", "y", "z"]
            }
        // What was not to go is there; what was to go may be.
        let mayGo = call == .removeAll ? ["b"] : []
        #expect(outcome.sorted().filter { !mayGo.contains($0) } == elements.filter { !mayGo.contains($0) })
        #expect(outcome.allSatisfy(elements.contains))
        withExtendedLifetime(token) {}
    }

    @Test(
        "7.5 One element that a closure replaces is kept where an array is computed, overridden or viewed by name, too")
    func replacedInside() throws {
        for band in [Band(), TurningBand()] {
            Self.check(band.mutable(\.members), of: band, \.members)
            Self.check(band.mutable(\.lineUp), of: band, \.members)
        }
        let customer = Customer()
        try Self.check(customer.mutableArrayValue(forKey: "tags"), of: customer, \.tags)
        let unsettled = Unsettled()
        unsettled.mutable(\.boxes).removeAll { $0.number == 2 }
        #expect(unsettled.numbers == [1, 3])
    }

    private static func check<Object, Element>(
        _ view: ObservedMutableArray<Element>, of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, [String]>
    ) {
        var isFirst = true
        func text(_ element: Element) -> String {
            if isFirst { object[keyPath: keyPath][0] = "z" }
            isFirst = false
            return element as? String ?? ""
        }
        for call in Call.allCases {
            object[keyPath: keyPath] = ["d", "b", "a", "c"]
            isFirst = true
            switch call {
            case .sort: view.sort { text($0) < text($1) }
            case .removeAll: view.removeAll { text($0) == "d" }
            case .partition: _ = view.partition { text($0) == "d" }
            }
            #expect(object[keyPath: keyPath].sorted() == ["a", "b", "c", "z"], "\(call)")
        }
    }

    enum Call: CaseIterable, Codable, Sendable { case sort, removeAll, partition }
    enum Change: CaseIterable, Codable, Sendable { case append, insertFirst, removeFirst, removeAll, replace }

    private static let cases = Call.allCases.flatMap { call in Change.allCases.map { (call, $0) } }
}

extension [String] {
    /// Makes in a copy what was made in the property, and checks that what leaves was there.
    fileprivate mutating func replayStrictly(_ change: KeyValueObservedChange<[String]>) {
        guard let indexes = change.indexes, change.kind != .setting else {
            if let old = change.oldValue { #expect(self == old) }
            self = change.newValue ?? []
            return
        }
        let positions = [Int](indexes.ranges.joined())
        let new = change.newValue ?? []
        if let old = change.oldValue {
            #expect(positions.allSatisfy(indices.contains) && positions.map { self[$0] } == old)
        }
        switch change.kind {
        case .insertion: for (position, element) in zip(positions, new) { insert(element, at: position) }
        case .removal: removeSubranges(indexes)
        default: for (position, element) in zip(positions, new) { self[position] = element }
        }
    }
}

/// Gives other objects each time.
private final class Unsettled: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var numbers = [1, 2, 3]

    final class Box: Equatable {
        let number: Int
        init(_ number: Int) { self.number = number }
        static func == (left: Box, right: Box) -> Bool { left === right }
    }

    var boxes: [Box] {
        get { numbers.map(Box.init) }
        set { numbers = newValue.map(\.number) }
    }
}
