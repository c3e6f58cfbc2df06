// Errors that nobody can be thrown: semantics 1.4. The handler is one for the whole process, so each test that sets it
// has a process of its own.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Diagnostics")
struct KeyValueDiagnosticsTests {
    @Test(
        "1.4 #39 A key that is unknown when the middle appears is reported once for each change, and its value is nil")
    func reported() async {
        await #expect(processExitsWith: .success) {
            let (customer, log) = (Customer(), Log())
            let reports = Questions()
            KeyValueDiagnostics.handler = { reports.add($0.summary) }

            let tokens = [
                try customer.observe("home.cityy", options: [.old, .new, .initial, .prior]) { log.add($1) },
                try customer.observe("home.cityy", options: .new) { log.add($1, as: "second") },
            ]
            #expect(log.take() == ["·→nil"])
            #expect(reports.take() == [])
            let place = Place("Oslo")
            customer.home = place
            #expect(log.take() == ["prior nil→·", "nil→nil", "second ·→nil"])
            #expect(reports.take() == ["undefinedKey cityy of Place (city)"])
            // It is not read, so it does not notify.
            place.city = "Rome"
            #expect(reports.take() == [])
            customer.home = nil
            #expect(reports.take() == [])
            customer.home = Place()
            #expect(reports.take() == ["undefinedKey cityy of Place (city)"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("1.4 A collection that appears on the way is reported, too (1.5)")
    func collection() async {
        await #expect(processExitsWith: .success) {
            let (customer, log) = (Customer(), Log())
            let reports = Questions()
            KeyValueDiagnostics.handler = { reports.add($0.summary) }

            let token = try customer.observe("anything.cities", options: .new) { log.add($1) }
            customer.anything = [Place("Oslo")]
            #expect(log.take() == ["·→nil"])
            #expect(reports.take() == ["undefinedKey cities of Array<Place>"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.4 Small print: the handler can be read and replaced, and the one set last is called")
    func replaced() async {
        await #expect(processExitsWith: .success) {
            let (customer, reports) = (Customer(), Questions())
            KeyValueDiagnostics.handler = { reports.add("first \($0.key)") }
            let first: @Sendable (KeyValueCodingError) -> Void = KeyValueDiagnostics.handler
            KeyValueDiagnostics.handler = { error in
                reports.add("second \(error.key)")
                first(error)
            }
            let token = try customer.observe("home.cityy") { _, _ in }
            customer.home = Place()
            #expect(reports.take() == ["second cityy", "first cityy"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.4 What the handler reads is not followed, and it may observe")
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
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.hasSuffix("KeyValueObserving: Place has no key \"cityy\". Did you mean \"city\"?\n"))
    }
}
