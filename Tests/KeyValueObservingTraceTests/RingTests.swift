// What is kept, for how long, and reading it: 19.1, 19.2.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import Synchronization
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 19.2 The ring")
    struct RingTests {
        @Test(
            "19.1 Off, nothing is recorded, and what was recorded stays to be read", .enabled(if: hasReflectionMetadata)
        )
        func off() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                let token = cart.observe(\.count) { _, _ in }
                cart.count = 1
                #expect(!KeyValueTrace.isOn && KeyValueTrace.events.isEmpty)
                KeyValueTrace.start()
                #expect(KeyValueTrace.isOn)
                cart.count = 2
                KeyValueTrace.stop()
                #expect(!KeyValueTrace.isOn)
                cart.count = 3
                token.invalidate()
                #expect(KeyValueTrace.events.lines == ["change count", "change count › delivery count"])
                KeyValueTrace.start()
                #expect(KeyValueTrace.events.isEmpty, "a start forgets what was kept")
            }
        }

        @Test("19.1 The ring keeps the newest events, and counts those it dropped")
        func bounded() async {
            await #expect(processExitsWith: .success) {
                let cart = Cart()
                cart.observe(\.count) { _, _ in }.store(in: .process)
                KeyValueTrace.start(capacity: 5)
                for count in 1...10 { cart.count = count }
                let events = KeyValueTrace.events
                #expect(events.count == 5 && KeyValueTrace.events(after: 0).droppedCount == 15)
                #expect(zip(events, events.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
                let first = events[0].number
                #expect(KeyValueTrace.event(first)?.kind == events[0].kind)
                for number in [first - 1, first + 5] { #expect(KeyValueTrace.event(number) == nil) }
                let recent = KeyValueTrace.events(after: first + 2)
                #expect(recent.events.map(\.number) == [first + 3, first + 4] && recent.droppedCount == 0)
                #expect(KeyValueTrace.events(after: first - 3).droppedCount == 2)
                #expect(KeyValueTrace.events(after: first + 4).events.isEmpty)
                let newest = KeyValueTrace.events(after: first - 3, newest: 1)
                #expect(newest.events.map(\.number) == [first + 4])
                #expect(newest.droppedCount == KeyValueTrace.events(after: first - 3).events.count + 1)
                #expect(KeyValueTrace.events(after: first - 3, newest: 0).events.isEmpty)
                #expect(KeyValueTrace.events(after: first + 4, newest: 1).droppedCount == 0)
                #expect(KeyValueTrace.events(after: 0, newest: .max).events.last?.number == first + 4)

                KeyValueTrace.start(capacity: 5)
                cart.count = 0
                #expect(KeyValueTrace.events.first?.number == first + 5, "numbers go on")
                #expect(KeyValueTrace.events(after: 0).droppedCount == 0)
            }
        }

        @Test("19.1 Values are text of bounded length, and there is none unless it is wanted")
        func values() {
            let (cart, kept) = (Cart(), Kept())
            cart.observe(\.tags, options: [.old, .new]) { _, _ in }.store(in: kept)
            let long = String(repeating: "x", count: 1_000)
            let (_, events) = KeyValueTrace.withTrace(valueLength: 10) { cart.tags = [long] }
            #expect(events.of(cart)[0].newValue == "[\"xxxxxxxx…")
            #expect(events.of(cart)[0].oldValue == "[]")
            let (_, silent) = KeyValueTrace.withTrace { cart.tags = [] }
            #expect(silent.of(cart).allSatisfy { $0.oldValue == nil && $0.newValue == nil })
            let (_, many) = KeyValueTrace.withTrace(valueLength: 1_000) {
                cart.tags = Array(repeating: "y", count: 10_000)
            }
            #expect(many.of(cart)[0].newValue?.hasSuffix("\"y\"] and 9968 more") ?? false)
            cart.note = nil
            cart.observe(\.note, options: .new) { _, _ in }.store(in: kept)
            let text = String(repeating: "z", count: 50)
            let (_, texts) = KeyValueTrace.withTrace(valueLength: 1_000) { cart.note = text }
            #expect(texts.of(cart)[0].newValue == text)
        }

        @Test(
            "19.1 A change is printed once, with both values if they are wanted, also if it has a prior call",
            .enabled(if: hasReflectionMetadata))
        func printed() async {
            for length in [10, 0] {
                let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                    [length = length as Int] in
                    let cart = Cart()
                    cart.observe(\.count, options: [.prior, .old, .new]) { _, _ in }.store(in: .process)
                    KeyValueTrace.start(valueLength: length, printsChanges: true)
                    cart.count = 1
                }
                let lines = message(of: result).split(separator: "\n").filter { $0.contains("count of Cart") }
                #expect(lines == ["KeyValueObserving: count of Cart: \(length == 0 ? "· → ·" : "0 → 1")"])
            }
        }

        @Test("19.1 No object is kept alive, neither by its registrations nor as a value")
        func objects() {
            weak var first: Cart?
            weak var second: Cart?
            KeyValueTrace.start(valueLength: 40)
            do {
                let (cart, value) = (Cart(), Cart())
                (first, second) = (cart, value)
                let token = cart.observe(\.next, options: [.old, .new]) { _, _ in }
                cart.next = value
                cart.next = nil
                withExtendedLifetime(token) {}
            }
            #expect(first == nil && second == nil)
            KeyValueTrace.stop()
        }

        @Test("19.1 withTrace can be nested, and a throwing body ends it", .enabled(if: hasReflectionMetadata))
        func nestedTraces() async {
            await #expect(processExitsWith: .success) {
                struct Failure: Error {}
                let cart = Cart()
                cart.observe(\.count) { _, _ in }.store(in: .process)
                let (inner, outer) = KeyValueTrace.withTrace(capacity: 100) {
                    cart.count = 1
                    return KeyValueTrace.withTrace(capacity: 1) { cart.count = 2 }.1
                }
                #expect(inner.count == 2, "the settings are those of the outer one")
                #expect(outer.count == 4)
                #expect(!KeyValueTrace.isOn)
                do throws(Failure) {
                    _ = try KeyValueTrace.withTrace { () throws(Failure) in throw Failure() }
                } catch {}
                #expect(!KeyValueTrace.isOn)
                KeyValueTrace.start()
                _ = KeyValueTrace.withTrace { KeyValueTrace.stop() }
                #expect(!KeyValueTrace.isOn)
                let (_, events) = KeyValueTrace.withTrace {
                    KeyValueTrace.start()
                    KeyValueTrace.stop()
                    #expect(KeyValueTrace.isOn)
                    cart.count = 3
                }
                #expect(events.lines == ["change count", "change count › delivery count"])
                #expect(!KeyValueTrace.isOn)
            }
        }

        @Test("19.1 A capacity of 0, a negative length and a limit of 0 trap with a sentence")
        func badSettings() async {
            let capacity = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                KeyValueTrace.start(capacity: 0)
            }
            #expect(message(of: capacity).contains("Give a capacity of 1 or more"))
            let length = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = KeyValueTrace.withTrace(valueLength: -1) {}
            }
            #expect(message(of: length).contains("Give a valueLength of 0"))
            let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = KeyValueTrace.beginPart(eventLimit: 0)
            }
            #expect(message(of: limit).contains("at least 1 event until the limit is renewed, not 0"))
        }

        @Test("19.2 The ring can be read on any thread while others write, and tracing begin and end")
        func threads() {
            let isDone = Atomic(false)
            onThreads(4) { index in
                if index < 2 {
                    let cart = Cart()
                    let log = Log()
                    for round in 1...200 {
                        let token = cart.observe(\.total, options: [.old, .new]) { _, change in log.add(change) }
                        cart.count = round
                        cart.price = 1
                        withKeyValueTransaction { cart.price = 0 }
                        token.invalidate()
                    }
                    #expect(log.lines.count == 600)
                    if index == 0 { isDone.store(true, ordering: .releasing) }
                } else if index == 2 {
                    var last: UInt64 = 0
                    while !isDone.load(ordering: .acquiring) {
                        let events = KeyValueTrace.events(after: last).events
                        #expect(zip(events, events.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
                        #expect(events.allSatisfy { ($0.cause ?? 0) < $0.number })
                        last = events.last?.number ?? last
                        if let event = events.last { _ = KeyValueTrace.explain(event) }
                        _ = KeyValueTrace.handlers.count + KeyValueTrace.registrations.count
                    }
                } else {
                    while !isDone.load(ordering: .acquiring) {
                        KeyValueTrace.start(capacity: 100, valueLength: 10)
                        _ = KeyValueTrace.withTrace { KeyValueTrace.events.count }
                        KeyValueTrace.stop()
                    }
                }
            }
            KeyValueTrace.stop()
        }
    }
}
