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
                let other = trolley?.observe(\.count) { _, _ in }
                trolley?.count = 1
                trolley?.price = 2
                if isByDeath { trolley = nil }
                token?.invalidate()
                other?.invalidate()
            }
            #expect(Set(events.ofTrolleys.of(.end).map(\.keyPath)) == ["self", "count"])
            // The end of a registration that the tracer does not know would come without an object.
            #expect(events.ends(at: line).map(\.keyPath) == ["self"])
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
