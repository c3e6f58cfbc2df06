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
