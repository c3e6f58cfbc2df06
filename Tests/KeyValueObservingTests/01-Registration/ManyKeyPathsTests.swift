// Registering costs no more with many registrations at other key paths: 1.8.
import KeyValueObserving
import KeyValueObservingStyles
import Synchronization
import TestSupport
import Testing

@Suite("1.8 Many key paths of one object", .serialized)
struct ManyKeyPathsTests {
    @Test("1.8 Arguments are compared with few others, however many there are", arguments: [false, true])
    func comparisons(isByHand: Bool) {
        let ledger = Ledger()
        var tokens: [KeyValueObservation] = []
        func observe(_ number: Int) {
            let entry = Ledger.Entry(number: number)
            tokens.append(
                isByHand
                    ? ledger.observe(\.[byHand: entry]) { _, _ in } : ledger.observe(\.[entry]) { _, _ in })
        }
        for number in 0..<2_000 { observe(number) }
        Ledger.Entry.comparisons.store(0, ordering: .relaxed)
        for number in 2_000..<2_010 { observe(number) }
        #expect(Ledger.Entry.comparisons.load(ordering: .relaxed) < 500)
        let entry = Ledger.Entry(number: 1_000)
        #expect(isByHand ? ledger.isObserved(\.[byHand: entry]) : ledger.isObserved(\.[entry]))
        tokens[5].invalidate()
        #expect(Ledger.Entry.comparisons.load(ordering: .relaxed) < 600)
    }

    @Test("1.8 A controller compares with few others, too", arguments: [false, true])
    func comparisonsOfAController(isByHand: Bool) {
        let (ledger, log) = (Ledger(), Log())
        let controller = KVOController(observer: log, duplicates: .ignore)
        func observe(_ number: Int) {
            let entry = Ledger.Entry(number: number)
            if isByHand {
                controller.observe(ledger, \.[byHand: entry]) { _, _, _ in }
            } else {
                controller.observe(ledger, \.[entry]) { _, _, _ in }
            }
        }
        for number in 0..<1_000 { observe(number) }
        Ledger.Entry.comparisons.store(0, ordering: .relaxed)
        for number in 1_000..<1_010 { observe(number) }
        #expect(Ledger.Entry.comparisons.load(ordering: .relaxed) < 500)
    }

    /// How registrations are kept that the caller keeps no tokens of.
    enum Keeping: CaseIterable {
        case controller, object, owner
    }

    @Test(
        "1.8 Registering and removing take no longer with 20,000 registrations at other key paths",
        .timeLimit(.minutes(2)), arguments: Keeping.allCases)
    func manyThatAreKept(_ keeping: Keeping) {
        let (ledger, owner, count) = (Ledger(), Owner(), Guarded(0))
        let controller = KVOController(observer: owner)
        for number in 0..<20_000 {
            let entry = Ledger.Entry(number: number)
            switch keeping {
            case .controller: controller.observe(ledger, \.[entry]) { _, _, _ in count.withLock { $0 += 1 } }
            case .object: ledger.addObserver(owner, for: [\.[entry]]) { _, _, _ in count.withLock { $0 += 1 } }
            case .owner: owner.observe(ledger, \.[entry]) { _, _, _ in count.withLock { $0 += 1 } }
            }
        }
        ledger.total = 1
        #expect(count.withLock { $0 } == 20_000)
        for number in 1..<20_000 {
            let entry = Ledger.Entry(number: number)
            switch keeping {
            case .controller: controller.unobserve(ledger, \Ledger.[entry])
            case .object: ledger.removeObserver(owner, for: \.[entry])
            case .owner: owner.stopObserving(ledger, \Ledger.[entry])
            }
        }
        ledger.total = 2
        #expect(count.withLock { $0 } == 20_001 && ledger.observationInfo.count == 1)
    }

    @Test("1.8 4.1 A manual change compares with few others, whether or not somebody observes what changes")
    func comparisonsOfAChange() {
        let (ledger, log) = (Ledger(), Log())
        let tokens = (0..<1_000).map { number in
            ledger.observe(\.[byHand: Ledger.Entry(number: number)]) { _, _ in log.add("\(number)") }
        }
        Ledger.Entry.comparisons.store(0, ordering: .relaxed)
        for number in 995..<1_005 { ledger.changeValue(for: \.[byHand: Ledger.Entry(number: number)]) {} }
        #expect(Ledger.Entry.comparisons.load(ordering: .relaxed) < 500)
        #expect(log.take() == ["995", "996", "997", "998", "999"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Owner: KeyValueObservationOwner {
    let keyValueObservations = KeyValueObservationBag()
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
