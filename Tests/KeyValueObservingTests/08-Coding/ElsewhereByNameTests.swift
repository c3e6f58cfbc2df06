// Key paths that are strings, delivered elsewhere: 8.2 and 1.4 with 11.1, 12.1 and 16.1.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

/// Cannot be compared.
private struct Opaque: Sendable {
    let number: Int
}

@Suite("8 11 12 Elsewhere, by name")
struct ElsewhereByNameTests {
    private let customer = Customer()
    private let recorder = Recorder()

    private func error(_ body: () throws -> Void) -> KeyValueCodingError? {
        #expect(throws: KeyValueCodingError.self, performing: body)
    }

    @Test("8.2 11.1 An actor gets the changes of a property that is named, with values of its type")
    func onActor() async throws {
        let token = try customer.observe("age", as: Int.self, options: [.old, .new], on: recorder) { recorder, change in
            recorder.add("\(change.keyPathString ?? "") \(text(of: change))")
        }
        try customer.setValue(1, forKey: "age")
        customer.age = 2
        #expect(await recorder.lines(2) == ["age 0→1", "age 1→2"])
        let info = customer.observationInfo.map { "\($0.keyPath) \($0.observer ?? "")" }
        #expect(info == ["age handler in actor Recorder"] && customer.isObserved(\.age))
        token.invalidate()
        #expect(customer.observationInfo.isEmpty)
    }

    @Test("8.2 11.1 So does the main actor; where nil may be on the way, values are optionals")
    func onMainActor() async throws {
        let log = CallLog()
        let token = try customer.observeOnMainActor("home.city", as: String?.self, options: [.initial, .old, .new]) {
            MainActor.assertIsolated()
            log.add(text(of: $0))
        }
        customer.home = Place("Oslo")
        customer.home?.city = "Rome"
        customer.home = nil
        #expect(await log.lines(4) == ["·→nil", "nil→Oslo", "Oslo→Rome", "Rome→nil"])
        withExtendedLifetime(token) {}
    }

    @Test("8.2 12.1 So does a sequence of changes, and one of values")
    func sequences() async throws {
        var changes = try customer.changes(ofKeyPath: "nickname", as: String?.self).makeAsyncIterator()
        var values = try customer.values(ofKeyPath: "tags", as: [String].self).makeAsyncIterator()
        customer.nickname = "Bob"
        try customer.mutableArrayValue(forKey: "tags").append("a")
        #expect(await changes.next().map(text(of:)) == "nil→Bob")
        #expect(await values.next() == [])
        #expect(await values.next() == ["a"])
    }

    @Test("8.6 12.1 What is evaluated by name is asked for as an optional")
    func operators() async throws {
        var values = try customer.values(ofKeyPath: "friends.@count", as: Int?.self).makeAsyncIterator()
        customer.friends.append(Customer())
        #expect(await values.next() == 0)
        #expect(await values.next() == 1)
        #expect(
            error { _ = try customer.values(ofKeyPath: "friends.@count", as: Int.self) }?.description
                == "Customer may have nil at \"friends.@count\", and values of type Int were asked for. Ask for Int?.")
    }

    @Test("1.4 A wrong key, a wrong type, and what cannot be observed are errors at once, in each form")
    func errors() async throws {
        let forms: [(String) throws -> Void] = [
            { _ = try customer.observe($0, as: Int.self, on: recorder) { _, _ in } },
            { _ = try customer.observeOnMainActor($0, as: Int.self) { _ in } },
            { _ = try customer.changes(ofKeyPath: $0, as: Int.self) },
            { _ = try customer.values(ofKeyPath: $0, as: Int.self) },
        ]
        for form in forms {
            #expect(error { try form("agee") }?.description == "Customer has no key \"agee\". Did you mean \"age\"?")
            #expect(error { try form("constant") }?.code == .notObservable)
            #expect(
                error { try form("name") }?.description
                    == "Customer has a String at \"name\", and values of type Int were asked for.")
            #expect(
                error { try form("points") }?.description
                    == "Customer may have nil at \"points\", and values of type Int were asked for. Ask for Int?.")
            #expect(error { try form("friends.name") }?.code == .undefinedKey)
        }
        #expect(customer.observationInfo.isEmpty)
    }

    @Test("1.4 A value of another type that is there now is an error at once; an optional takes what is none")
    func valueOfAnotherType() async throws {
        customer.anything = "text"
        let found = error { _ = try customer.changes(ofKeyPath: "anything", as: Int?.self) }
        #expect(
            found?.description
                == "Customer gives \"text\" of type String at \"anything\", and values of type Optional<Int> were asked for."
        )
        let token = try customer.observe("age", as: Int?.self, options: .new, on: recorder) { $0.add($1) }
        customer.age = 1
        #expect(await recorder.lines(1) == ["·→1"])
        withExtendedLifetime(token) {}
    }

    @Test("1.4 A value of another type that turns up later is nil, and is reported")
    func laterValueOfAnotherType() async {
        await #expect(processExitsWith: .success) {
            let (customer, reports) = (Customer(), Questions())
            KeyValueDiagnostics.handler = { reports.add($0.description) }
            customer.anything = 1
            var changes = try customer.changes(ofKeyPath: "anything", as: Int?.self).makeAsyncIterator()
            customer.anything = "text"
            customer.anything = 2
            #expect(await changes.next().map(text(of:)) == "1→nil")
            #expect(await changes.next().map(text(of:)) == "nil→2")
            #expect(reports.take().contains { $0.contains("\"text\" of type String at \"anything\"") })
        }
    }

    @Test("16.1 .distinct compares the values; a type that cannot be compared is an error")
    func distinct() async throws {
        let token = try customer.observe("anything", as: Int?.self, options: [.new, .distinct], on: recorder) {
            $0.add($1)
        }
        for value in [1, 1, nil, nil, 2] { customer.anything = value }
        #expect(await recorder.lines(3) == ["·→1", "·→nil", "·→2"])
        customer.anything = Opaque(number: 1)
        #expect(
            error { _ = try customer.changes(ofKeyPath: "anything", as: Opaque?.self, options: .distinct) }?.code
                == .typeMismatch)
        withExtendedLifetime(token) {}
    }

    @Test("11.3 .prior traps with the key path as it was given")
    func prior() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Customer().observe("age", as: Int.self, options: .prior, on: Recorder()) { _, _ in }
        }
        #expect(words("age of Customer", ".prior", "Recorder", missingIn: message(of: result)) == [])
    }
}
