// The map that finds what lies beside objects: 15.3.
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("15.3 The map of addresses")
struct AddressMapTests {
    @Test("15.3 Random entries that come and go are those of a dictionary, however many there are")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for keys in [1, 4, 64, 1_000] as [UInt] {
            let map = AddressMap()
            var expected: [UInt: UInt] = [:]
            for step in 1...5_000 as ClosedRange<UInt> {
                let key = UInt.random(in: 1...keys, using: &generator) * 16
                #expect(map.value(at: key) == expected[key])
                if Bool.random(using: &generator) {
                    #expect(map.remove(at: key) == expected.removeValue(forKey: key))
                } else {
                    let value = expected[key] ?? step
                    #expect(map.value(at: key) { step } == value)
                    expected[key] = value
                }
            }
            for key in 1...keys { #expect(map.value(at: key * 16) == expected[key * 16]) }
        }
    }

    @Test("15.3 D6 Threads find their own entries while others come and go beside them")
    func threads() {
        let map = AddressMap()
        let failures = Guarded(0)
        onThreads(8) { thread in
            var wrong = 0
            // Side by side, so that the entries of one thread are moved by those of others.
            let keys = (0..<16).map { UInt(($0 * 8 + thread + 1) * 16) }
            for round in 1...(isUnderThreadSanitizer ? 20 : 200) as ClosedRange<UInt> {
                for key in keys where map.value(at: key, orElse: { key + round }) != key + round { wrong += 1 }
                for key in keys where map.value(at: key) != key + round { wrong += 1 }
                for key in keys where map.remove(at: key) != key + round { wrong += 1 }
                for key in keys where map.value(at: key) != nil { wrong += 1 }
            }
            let count = wrong
            failures.withLock { $0 += count }
        }
        #expect(failures.withLock { $0 } == 0)
    }

    @Test("15.3 1.6 A map takes as much memory as its entries need, however many came and went, and ends with that")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let map = AddressMap()
            func use(_ count: UInt) {
                for key in 1...count {
                    _ = map.value(at: key * 16) { key }
                    _ = map.remove(at: key * 16)
                }
            }
            func make(_ count: Int) {
                for _ in 0..<count {
                    let map = AddressMap()
                    for key in 1...100 as ClosedRange<UInt> { _ = map.value(at: key * 16) { key } }
                }
            }
            use(100)
            make(10)
            #expect(bytesKept { use(20_000) } < 10_000)
            #expect(bytesKept { make(500) } < 100_000)
        }
    }
}
