// What the wrapper and the registrar keep, in the cases that come up seldom: 1.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.6 What the wrapper and the registrar keep")
struct DeclaringDetailTests {
    @Test("1.6 9.4 What an object had for its observers dies with it", .enabled(if: allocatedBytes() > 0))
    func tables() async {
        await #expect(processExitsWith: .success) {
            func cycle() {
                for _ in 0..<2_000 {
                    let person = Person()
                    person.observe(\.age) { _, _ in }.invalidate()
                    person.observe(\.name) { _, _ in }.invalidate()
                }
            }
            cycle()
            #expect(bytesKept { for _ in 0..<2 { cycle() } } < 100_000)
        }
    }

    @Test("The hash of the wrapper is that of its value")
    func hashes() {
        let hashes = Set((0..<10).map { Observed(wrappedValue: $0).hashValue })
        #expect(hashes.count > 1)
        #expect(Observed(wrappedValue: 3).hashValue == Observed(wrappedValue: 3).hashValue)
    }
}
