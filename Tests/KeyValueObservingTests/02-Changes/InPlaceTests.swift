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

    @Test("2.6 An object that only an access in place holds lives until the access ends")
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

    @Test("2.6 Accesses to different properties may overlap, and each ends what it began", arguments: [0, 1, 2])
    func differentProperties(observed: Int) {
        let numbers = Numbers()
        let tokens = [
            observed > 0 ? numbers.observe(\.first) { _, _ in log.add("first") } : nil,
            observed > 1 ? numbers.observe(\.second) { _, _ in log.add("second") } : nil,
        ]
        for _ in 0..<2 {
            numbers.first.change { first in
                numbers.second.change { second in
                    numbers.third += 1
                    numbers.isFourth.toggle()
                    second += Double(numbers.third)
                }
                first += Int(numbers.second)
                numbers.third = first
            }
        }
        swap(&numbers.first, &numbers.third)
        #expect(numbers.first == 4 && numbers.third == 4 && numbers.second == 3 && !numbers.isFourth)
        #expect(log.take().count == [0, 3, 5][observed])
        withExtendedLifetime(tokens) {}
    }

    @Test("2.6 An access that throws has ended, and one that waits for another task may end on another thread")
    func throwingAndWaiting() async {
        let numbers = Numbers()
        for _ in 0..<100 {
            #expect(throws: CancellationError.self) {
                try numbers.first.change {
                    $0 += 1
                    throw CancellationError()
                }
            }
            await numbers.first.changeWaiting { first in
                await Task.detached {}.value
                first += 1
            }
            numbers.third += numbers.first
        }
        #expect(numbers.first == 200 && numbers.third == 10_100)
    }

    @Test("2.6 While another thread accesses one property of an object, changes of another one are delivered")
    func heldOnAnotherThread() {
        let numbers = Unchecked(value: Numbers())
        let held = HeldChange()
        held.begin {
            numbers.value.first.change {
                held.hold()
                $0 += 1
            }
        }
        numbers.value.third += 1
        let token = numbers.value.observe(\.third, options: [.old, .new]) { log.add($1) }
        numbers.value.third += 1
        numbers.value.third = 5
        #expect(log.take() == ["1→2", "2→5"])
        held.finish()
        #expect(numbers.value.first == 1)
        withExtendedLifetime(token) {}
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

extension SignedNumeric {
    @inline(never)
    fileprivate mutating func change<Failure>(_ body: (inout Self) throws(Failure) -> Void) throws(Failure) {
        try body(&self)
    }

    @inline(never)
    fileprivate mutating func changeWaiting(_ body: (inout Self) async -> Void) async { await body(&self) }
}

extension RangeReplaceableCollection {
    @inline(never) fileprivate mutating func change(_ body: (inout Self) -> Void) { body(&self) }
}

private final class Numbers: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0.0
    @Observed var third = 0
    @Observed var isFourth = false
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
