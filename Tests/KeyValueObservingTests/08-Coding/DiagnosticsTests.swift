// Errors that nobody can be thrown: 1.4. The handler is one for the whole process, so each test has a process of its own.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.4 Diagnostics")
struct DiagnosticsTests {
    @Test("1.4 1.5 #39 A key that is unknown when the middle appears is reported once for each change, and is nil")
    func reported() async {
        await #expect(processExitsWith: .success) {
            let (customer, log, reports) = (Customer(), Log(), Questions())
            KeyValueDiagnostics.handler = { reports.add("first \($0.key)") }
            let first: @Sendable (KeyValueCodingError) -> Void = KeyValueDiagnostics.handler
            KeyValueDiagnostics.handler = { error in
                reports.add(error.summary)
                first(error)
            }
            let tokens = [
                try customer.observe("anything.cityy", options: [.old, .new, .initial, .prior]) { log.add($1) },
                try customer.observe("anything.cityy", options: .new) { log.add($1, as: "second") },
            ]
            #expect(log.take() == ["·→nil"] && reports.take() == [])
            let place = Place("Oslo")
            customer.anything = place
            #expect(log.take() == ["prior nil→·", "nil→nil", "second ·→nil"])
            #expect(reports.take() == ["undefinedKey cityy of Place (city)", "first cityy"])
            // It is not read, so it does not notify.
            place.city = "Rome"
            customer.anything = nil
            #expect(reports.take() == [])
            customer.anything = [Place()]
            #expect(reports.take().first == "undefinedKey cityy of Array<Place>")
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("1.4 What the handler reads is not followed")
    func handlerReads() async {
        await #expect(processExitsWith: .success) {
            let (customer, log) = (Customer(), Log())
            let other = Unchecked(value: Customer())
            KeyValueDiagnostics.handler = { _ in _ = other.value.age }
            let token = try customer.observe("anything.cityy") { log.add($1) }
            customer.anything = Place()
            _ = log.take()
            other.value.age = 5
            #expect(log.take() == [])
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.4 By default one line is printed to standard error")
    func printed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let customer = Customer()
            let token = try customer.observe("home.cityy") { _, _ in }
            customer.home = Place()
            withExtendedLifetime(token) {}
        }
        #expect(
            message(of: result).hasSuffix("KeyValueObserving: Place has no key \"cityy\". Did you mean \"city\"?\n"))
    }
}
