// Registrations that end: 19.1.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.1 Ends")
    struct EndTests {
        private let cart = Cart()

        @Test("19.1 16.3 The end of a registration at all properties is one event", arguments: [false, true])
        func endOfAnyProperty(isByDeath: Bool) {
            let line: UInt = #line + 3
            let events = traced {
                var trolley: Trolley? = Trolley()
                let token = trolley?.observeAnyProperty { _, _ in }
                trolley?.count = 1
                trolley?.price = 2
                if isByDeath { trolley = nil }
                token?.invalidate()
            }
            #expect(events.ofTrolleys.of(.end).map(\.keyPath) == ["self"])
            // The end of a registration that the tracer does not know would come without an object.
            #expect(events.ends(at: line).map(\.keyPath) == ["self"])
        }

        @Test(
            "19.1 1.2 All registrations of an object that dies have ended before what their handlers hold is released")
        func endsByDeath() {
            let log = Log()
            let events = traced {
                var trolley: Trolley? = Trolley()
                var tokens: [KeyValueObservation?] = []
                for keyPath in [\Trolley.count, \Trolley.price] {
                    let last = AtDeath { log.add("\(KeyValueTrace.events.ofTrolleys.of(.end).count)") }
                    tokens.append(trolley?.observe(keyPath) { _, _ in withExtendedLifetime(last) {} })
                }
                trolley = nil
                withExtendedLifetime(tokens) {}
            }
            #expect(Set(events.ofTrolleys.of(.end).map(\.keyPath)) == ["count", "price"])
            #expect(log.lines == ["2", "2"])
        }

        @Test("19.1 The death of an object ends its registrations")
        func death() {
            var identity: ObjectIdentifier?
            var tokens: [KeyValueObservation] = []
            let (_, events) = KeyValueTrace.withTrace {
                let dying = Cart()
                identity = ObjectIdentifier(dying)
                tokens = [dying.observe(\.count) { _, _ in }, dying.observe(\.total) { _, _ in }]
            }
            let ends = events.of(.end).filter { $0.object?.identity == identity }
            #expect(ends.map(\.keyPath).sorted { $0! < $1! } == ["count", "total"])
            withExtendedLifetime(tokens) {}
        }

        @Test("19.1 The end of a registration from before the start that was never called is an event")
        func endOfUnknown() {
            let line: UInt = #line + 1
            let token = cart.observe(\.count) { _, _ in }
            let events = traced { token.invalidate() }
            #expect(events.ends(at: line).map(\.keyPath) == ["count"])
        }
    }
}

/// Only objects that are gone when their events are looked at; other suites may run at the same time.
private final class Trolley: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var price = 0
}

extension [KeyValueTrace.Event] {
    fileprivate var ofTrolleys: Self { filter { $0.object?.typeName == "Trolley" } }

    /// Those of the ends of registrations that were made at a line of this file.
    fileprivate func ends(at line: UInt) -> Self {
        of(.end).filter { $0.line == line && $0.fileID?.hasSuffix("/EndTests.swift") == true }
    }
}

/// Runs code when it dies.
private final class AtDeath {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}
