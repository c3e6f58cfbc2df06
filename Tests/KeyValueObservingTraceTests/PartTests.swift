// Parts of the program that are traced, limits of events, and what has no end: 19.1, 19.2, 3.4.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    // Whether tracing is on is the process's, so each has one of its own.
    @Suite("19.1 Parts")
    struct PartTests {
        @Test(
            "19.1 A part is traced from its beginning to its end, also if nobody holds it any more",
            .enabled(if: hasReflectionMetadata))
        func beginningAndEnd() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                cart.observe(\.count, options: [.old, .new]) { _, _ in }.store(in: .process)
                let part = KeyValueTrace.beginPart(valueLength: 1)
                cart.count = 10
                #expect(KeyValueTrace.isOn)
                part.end()
                part.end()
                #expect(!KeyValueTrace.isOn)
                cart.count = 2
                #expect(KeyValueTrace.events.lines == ["change count 0→1…", "change count › delivery count"])

                var other: KeyValueTrace.Part? = KeyValueTrace.beginPart()
                #expect(KeyValueTrace.isOn && other != nil)
                other = nil
                #expect(!KeyValueTrace.isOn)
            }
        }

        @Test(
            "19.1 Tracing that was on goes on as it was started, in a part and after it, unless it is stopped",
            .enabled(if: hasReflectionMetadata))
        func wasOn() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                cart.observe(\.count, options: [.old, .new]) { _, _ in }.store(in: .process)
                KeyValueTrace.start(capacity: 3, valueLength: 10)
                let part = KeyValueTrace.beginPart(capacity: 100, eventLimit: 1)
                for count in 1...3 { cart.count = count }
                part.renewLimit()
                part.end()
                cart.count = 4
                let lines = ["delivery count", "change count 3→4", "change count › delivery count"]
                #expect(KeyValueTrace.events.lines == lines && KeyValueTrace.isOn)
                KeyValueTrace.stop()
                #expect(!KeyValueTrace.isOn)
                KeyValueTrace.start()
                let (last, other) = (KeyValueTrace.beginPart(), KeyValueTrace.beginPart())
                KeyValueTrace.stop()
                other.end()
                #expect(KeyValueTrace.isOn)
                cart.count = 1
                #expect(KeyValueTrace.events.lines == ["change count", "change count › delivery count"])
                last.end()
                #expect(!KeyValueTrace.isOn)
            }
        }

        // The limit is the process's, so these have one of their own.
        @Test("19.1 With a limit, what comes later is counted until it is renewed; what an event causes is recorded")
        func limit() async {
            await #expect(processExitsWith: .success) {
                let (cart, log) = (Cart(), Log())
                cart.observe(\.count) { cart, _ in if cart.count < 10 { cart.price += 1 } }.store(in: .process)
                cart.observe(\.price) { _, _ in }.store(in: .process)
                cart.observe(\.count) { _, _ in log.add("called") }.store(in: .process)
                let limited = KeyValueTrace.beginPart(eventLimit: 1)
                cart.count = 1
                let first: [KeyValueTrace.Kind] = [.change, .delivery, .change, .delivery, .delivery]
                #expect(KeyValueTrace.events.of(cart).map(\.kind) == first)
                cart.count = 10
                cart.count = 11
                withKeyValueTransaction { cart.count = 12 }
                #expect(KeyValueTrace.events.of(cart).count == first.count)
                #expect(KeyValueTrace.unrecordedCount == 4, "the transaction and each of three changes")
                #expect(log.lines.count == 4)
                limited.renewLimit()
                cart.count = 13
                #expect(KeyValueTrace.events.of(cart).map(\.kind) == first + [.change, .delivery, .delivery])
                limited.end()
                let count = KeyValueTrace.unrecordedCount
                for value in 14...16 { cart.count = value }
                #expect(KeyValueTrace.unrecordedCount == count, "off, nobody is asked")
                let part = KeyValueTrace.beginPart(eventLimit: 1)
                cart.count = 17
                part.end()
                cart.count = 18
                #expect(KeyValueTrace.unrecordedCount == count)
            }
        }

        @Test("19.1 What the limit allowed and was not used is saved, up to 25 times as much")
        func savedLimit() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                cart.observe(\.count) { _, _ in }.store(in: .process)
                let part = KeyValueTrace.beginPart(eventLimit: 2)
                func recorded(_ changes: Int) -> Int {
                    let before = KeyValueTrace.unrecordedCount
                    for _ in 0..<changes { cart.count += 1 }
                    return changes - (KeyValueTrace.unrecordedCount - before)
                }
                // A change and a call are two events.
                #expect(recorded(3) == 1)
                for _ in 0..<3 { part.renewLimit() }
                #expect(recorded(10) == 3)
                for _ in 0..<100 { part.renewLimit() }
                #expect(recorded(100) == 25)
                part.end()
            }
        }

        @Test("19.1 A change of what paths and computed properties depend on is left out as well")
        func limitOfPaths() async {
            await #expect(processExitsWith: .success) {
                let (cart, log) = (Cart(), Log())
                cart.observe(\.total, options: [.old, .new]) { log.add($1) }.store(in: .process)
                cart.observe(\.count, options: [.prior, .old, .new]) { log.add($1) }.store(in: .process)
                cart.price = 10
                let part = KeyValueTrace.beginPart(eventLimit: 1)
                cart.count = 1
                let first = KeyValueTrace.events.of(cart).map(\.number)
                _ = log.take()
                let unrecorded = KeyValueTrace.unrecordedCount
                cart.count = 2
                #expect(log.take() == ["prior 1→·", "10→20", "1→2"])
                #expect(KeyValueTrace.unrecordedCount == unrecorded + 2, "the change, and the reading of the total")
                #expect(KeyValueTrace.events.of(cart).map(\.number) == first && !first.isEmpty)
                // Registrations and their ends are recorded all the same.
                cart.observe(\.rank) { _, _ in }.invalidate()
                #expect(KeyValueTrace.events.of(cart).map(\.kind).suffix(2) == [.registration, .end])
                part.end()
            }
        }

        @Test(
            "3.4 19.2 An endless change traps and names the properties while somebody traces, too",
            .enabled(if: hasReflectionMetadata),
            .disabled(if: isUnderThreadSanitizer, "its own stack of 65,536 calls ends before the thread's"),
            .timeLimit(.minutes(10)))
        func endless() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                onASmallStack {
                    let cart = Cart()
                    [
                        cart.observe(\.count, fileID: "Count.swift", line: 7) { cart, _ in cart.price += 1 },
                        cart.observe(\.price, fileID: "Price.swift", line: 8) { cart, _ in cart.count += 1 },
                    ].store(in: .process)
                    KeyValueTrace.start(capacity: 10)
                    cart.count = 1
                }
            }
            for part in ["endless", "count (registered at Count.swift:7)", "price (registered at Price.swift:8)"] {
                #expect(message(of: result).contains(part))
            }
        }
    }
}
