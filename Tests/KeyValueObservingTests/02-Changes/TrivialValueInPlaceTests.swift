// Accesses in place to trivial values, which exclude one another as those to any others do: 2.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.6 In place, trivial values")
struct TrivialValueInPlaceTests {
    private let log = Log()

    @Test(
        "Accesses to different properties of an object may overlap, and each ends what it began", arguments: [0, 1, 2])
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

    @Test("What takes no memory is not taken for what lies at its place")
    func noMemory() {
        let numbers = Numbers()
        for _ in 0..<2 {
            numbers.fifth.change {
                $0 += 1
                _ = numbers.nothing
                numbers.nothing = Numbers.Nothing()
            }
        }
        #expect(numbers.fifth == 2)
    }

    @Test("An access that throws has ended")
    func throwing() {
        let numbers = Numbers()
        for _ in 0..<2 {
            #expect(throws: Stop.self) {
                try numbers.first.change {
                    $0 += 1
                    throw Stop()
                }
            }
        }
        numbers.first += numbers.first
        #expect(numbers.first == 4)
    }

    @Test("An access that waits for another task may end on another thread")
    func waiting() async {
        let numbers = Numbers()
        for _ in 0..<100 {
            await numbers.first.changeWaiting { first in
                await Task.detached {}.value
                first += 1
            }
            numbers.first += 1
            numbers.third += numbers.first
        }
        #expect(numbers.first == 200 && numbers.third == 10_100)
    }

    @Test("A change that another thread makes of an object which is marked is delivered")
    func markedOnAnotherThread() {
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

    @Test("An overlapping read traps, observed or not, also the first time")
    func overlappingRead() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            numbers.first.change { $0 = numbers.first }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Simultaneous accesses"))
        let firstResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            let token = numbers.observe(\.first) { _, _ in }
            numbers.first.change { $0 = numbers.first }
            token.invalidate()
        }
        #expect(isOverlap(firstResult, of: "first", "Numbers"))
        let secondResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            let view = numbers.mutable(\.first)
            numbers.first.change { $0 = view.value }
        }
        #expect(isOverlap(secondResult, of: "first", "Numbers"))
    }

    @Test("An overlapping set traps")
    func overlappingSet() async {
        let firstResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            numbers.first += 1
            numbers.first.change { _ in numbers.first = 1 }
        }
        #expect(isOverlap(firstResult, of: "first", "Numbers"))
        let secondResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            let token = numbers.observe(\.second) { _, _ in }
            numbers.first.change { _ in numbers.first = 1 }
            token.invalidate()
        }
        #expect(isOverlap(secondResult, of: "first", "Numbers"))
    }

    @Test("An overlapping access in place traps, whoever excludes others")
    func overlappingAccess() async {
        let firstResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            numbers.first += 1
            numbers.first.change { _ in numbers.first += 1 }
        }
        #expect(isOverlap(firstResult, of: "first", "Numbers"))
        let secondResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            numbers.third.change { _ in
                numbers.first.change { _ in numbers.first += 1 }
            }
        }
        #expect(isOverlap(secondResult, of: "first", "Numbers"))
        let thirdResult = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let numbers = Numbers()
            let token = numbers.observe(\.first) { _, _ in }
            numbers.first.change { _ in
                token.invalidate()
                numbers.first += 1
            }
        }
        #expect(isOverlap(thirdResult, of: "first", "Numbers"))
    }
}

private struct Stop: Error {}

private final class Numbers: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = 0
    @Observed var second = 0.0
    @Observed var third = 0
    @Observed var isFourth = false
    @Observed var nothing = Nothing()
    @Observed var fifth = Int8(0)

    struct Nothing {}
}

extension SignedNumeric {
    @inline(never)
    fileprivate mutating func change<Failure>(_ body: (inout Self) throws(Failure) -> Void) throws(Failure) {
        try body(&self)
    }

    @inline(never)
    fileprivate mutating func changeWaiting(_ body: (inout Self) async -> Void) async { await body(&self) }
}
