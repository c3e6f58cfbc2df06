// Registering costs no more with many registrations at other key paths: 1.8.
import KeyValueObserving
import Synchronization
import TestSupport
import Testing

@Suite("1.8 Many key paths of one object", .serialized)
struct ManyKeyPathsTests {
    private let ledger = Ledger()
    private let log = Log()
    private let kept = Kept()

    private func comparisons(_ body: () -> Void) -> Int {
        Ledger.Entry.comparisons.store(0, ordering: .relaxed)
        body()
        return Ledger.Entry.comparisons.load(ordering: .relaxed)
    }

    @Test(
        "1.8 Arguments are compared with few others, however many there are: to register, ask, unobserve and end",
        arguments: [false, true], [false, true])
    func comparisons(isByHand: Bool, isThroughController: Bool) {
        let controller = KVOController(observer: log, duplicates: .ignore)
        var tokens: [KeyValueObservation] = []
        func keyPath(_ number: Int) -> KeyPath<Ledger, Int> {
            isByHand ? \.[byHand: .init(number: number)] : \.[.init(number: number)]
        }
        func observe(_ number: Int) {
            if isThroughController {
                controller.observe(ledger, keyPath(number)) { _, _, _ in }
            } else {
                tokens.append(ledger.observe(keyPath(number)) { _, _ in })
            }
        }
        for number in 0..<2_000 { observe(number) }
        #expect(comparisons { for number in 2_000..<2_010 { observe(number) } } < 500)
        let count = comparisons {
            #expect(ledger.isObserved(keyPath(1_000)))
            if isThroughController { controller.unobserve(ledger, keyPath(5)) } else { tokens[5].invalidate() }
            #expect(!ledger.isObserved(keyPath(5)))
        }
        #expect(count < 200)
        #expect(ledger.observationInfo.count == 2_009)
    }

    @Test("1.8 4.1 A manual change compares with few others, with or without observers")
    func comparisonsOfAChange() {
        for number in 0..<1_000 {
            ledger.observe(\.[byHand: .init(number: number)]) { [log] _, _ in log.add("\(number)") }.store(in: kept)
        }
        #expect(
            comparisons { for number in 995..<1_005 { ledger.changeValue(for: \.[byHand: .init(number: number)]) {} } }
                < 500)
        #expect(log.take() == ["995", "996", "997", "998", "999"])
    }
}

private final class Ledger: KeyValueObservable {
    struct Entry: Hashable {
        static let comparisons = Atomic(0)

        let number: Int

        static func == (left: Self, right: Self) -> Bool {
            comparisons.add(1, ordering: .relaxed)
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var total = 0

    subscript(entry: Entry) -> Int { total }

    subscript(byHand entry: Entry) -> Int {
        accessValue(for: \.[byHand: entry])
        return 0
    }
}
