// Accesses in place: they find what they change, exclude others, and keep the object.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.6 In place")
struct InPlaceTests {
    private let log = Log()

    @Test("Each property is changed where it lies, whatever the class and its arguments", arguments: [false, true])
    func places(isObserved: Bool) {
        func check<First, Second>(
            _ pair: Pair<First, Second>, _ first: First, _ second: Second
        ) where First: RangeReplaceableCollection & Equatable, Second: RangeReplaceableCollection & Equatable {
            let tokens =
                isObserved
                ? [
                    pair.observe(\.first) { _, _ in log.add("first") },
                    pair.observe(\.second) { _, _ in log.add("second") },
                ] : []
            for _ in 0..<2 {
                pair.second.append(contentsOf: second)
                pair.first.append(contentsOf: first)
            }
            #expect(pair.first == first + first && pair.second == second + second && pair.third == 7)
            #expect(log.take() == (isObserved ? ["second", "first", "second", "first"] : []))
            withExtendedLifetime(tokens) {}
        }
        for _ in 0..<2 {
            check(Pair(), "a", [1])
            check(Pair(), [UInt8(1)], "b")
            check(Pair(), "c"[...], "d")
            check(Pair(), [true], "e"[...])
            check(TextPair(), "f", "g")
        }
    }

    @Test("Storage that begins far into an object is found")
    func farPlace() {
        let far = Far()
        let token = far.observe(\.last, options: [.old, .new]) { log.add($1) }
        for _ in 0..<3 { far.last += 1 }
        token.invalidate()
        for _ in 0..<3 { far.last += 1 }
        #expect(far.last == 6 && log.take() == ["0→1", "1→2", "2→3"])
    }

    @Test("Accesses to different properties and objects may overlap, and each ends what it began")
    func differentPlaces() {
        let (first, second) = (Person(), Person())
        let token = second.observe(\.tags, options: .new) { log.add($1) }
        first.tags.change { tags in
            second.tags.change { others in
                first.age += 1
                first.name.change { $0 = "\(first.age)" }
                others = ["x"]
            }
            tags = second.tags + ["\(first.name)"]
        }
        first.tags.append("y")
        second.tags = first.tags
        #expect(first.tags == ["x", "1", "y"])
        #expect(log.take() == [#"·→["x"]"#, #"·→["x", "1", "y"]"#])
        withExtendedLifetime(token) {}
    }

    @Test("The object lives until the access ends")
    func lifetime() {
        weak var last: Person?
        Person.made { last = $0 }.tags.change { tags in
            #expect(last != nil)
            tags.append("x")
            #expect(last != nil && tags == ["x"])
        }
        #expect(last == nil)
    }

    @Test("A read during an access in place traps, as for a plain property")
    func overlappingRead() async {
        let firstResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            person.age.change { $0 = person.age + 1 }
        }
        #expect(isOverlap(firstResult, of: "age", "Person"))
        let secondResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            let token = person.observe(\.age) { _, _ in }
            person.age.change { $0 = person.age + 1 }
            token.invalidate()
        }
        #expect(isOverlap(secondResult, of: "age", "Person"))
    }

    @Test("A set during an access in place traps")
    func overlappingSet() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            person.tags.change { _ in person.tags = [] }
        }
        #expect(isOverlap(result, of: "tags", "Person"))
    }

    @Test("An access in place during another to the same property traps")
    func overlappingAccess() async {
        let firstResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            person.tags.change { _ in person.tags.append("x") }
        }
        #expect(isOverlap(firstResult, of: "tags", "Person"))
        let secondResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            let token = person.observe(\.tags) { _, _ in }
            person.tags.change { _ in person.tags.append("x") }
            token.invalidate()
        }
        #expect(isOverlap(secondResult, of: "tags", "Person"))
    }
}

extension Person {
    fileprivate static func made(_ look: (Person) -> Void) -> Person {
        let person = Person()
        look(person)
        return person
    }
}

extension InPlaceTests {
    @Test("2.6 An object that nobody holds but the access in place lives until that ends")
    func temporary() {
        var left: [String] = []
        func make() -> Temporary { Temporary { left.append($0) } }
        make().number += 1
        make().names.append("a")
        make().names.change { $0 += ["b", "c"] }
        do {
            let kept = make()
            kept.number -= 1
        }
        #expect(left == ["1 []", #"0 ["a"]"#, #"0 ["b", "c"]"#, "-1 []"])
    }
}

private final class Temporary: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var names: [String] = []
    private let atEnd: (String) -> Void

    init(atEnd: @escaping (String) -> Void) { self.atEnd = atEnd }

    deinit { atEnd("\(number) \(names)") }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}

extension RangeReplaceableCollection {
    @inline(never) fileprivate mutating func change(_ body: (inout Self) -> Void) { body(&self) }
}

private class Pair<First: RangeReplaceableCollection, Second: RangeReplaceableCollection>: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = First()
    @Observed var second = Second()
    @Observed var third = 7
}

private final class TextPair: Pair<String, String> {}

private final class Far: KeyValueObservable {
    typealias Wide<Part> = (Part, Part, Part, Part, Part, Part, Part, Part, Part, Part, Part, Part)

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var wide: Wide<Wide<Wide<(Wide<Int>)>>>?
    @Observed var last = 0
}
