// Errors that no caller can catch: 1.4. The handler is one for the whole process, so each test has a process of its
// own.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.4 Diagnostics")
struct DiagnosticsTests {
    @Test("1.4 1.5 #39 A key that a new middle lacks is reported once, and nil; what the handler reads is not followed")
    func reported() async {
        await #expect(processExitsWith: .success) {
            let (customer, log, reports) = (Customer(), Log(), Questions())
            KeyValueDiagnostics.codingErrorHandler = { reports.add("first \($0.key)") }
            let first: @Sendable (KeyValueCodingError) -> Void = KeyValueDiagnostics.codingErrorHandler
            KeyValueDiagnostics.codingErrorHandler = { error in
                reports.add(error.summary)
                first(error)
            }
            let options: KeyValueObservingOptions = [.old, .new, .initial, .prior]
            try customer.observe("anything.cityy", options: options) { log.add($1) }.store(in: .process)
            try customer.observe("anything.cityy", options: .new) { log.add($1, as: "second") }.store(in: .process)
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
            let other = Unchecked(value: Customer())
            KeyValueDiagnostics.codingErrorHandler = { _ in _ = other.value.age }
            customer.anything = Place()
            _ = log.take()
            other.value.age = 5
            #expect(log.take() == [])
        }
    }

    @Test("1.4 By default one line is printed to standard error")
    func printed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let customer = Customer()
            try customer.observe("home.cityy") { _, _ in }.store(in: .process)
            customer.home = Place()
        }
        #expect(
            message(of: result).hasSuffix("KeyValueObserving: Place has no key \"cityy\". Did you mean \"city\"?\n"))
    }
}
