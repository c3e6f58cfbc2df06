// Names of properties that the macro knows.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingMacros
import TestSupport
import Testing

@Suite("Names of properties declared by macro")
struct NameTests {
    @Test("20.3 Listings name stored and computed properties, also those of classes that are not final")
    func listings() {
        let named = Named()
        let tokens = [
            named.observe(\.plain) { _, _ in }, named.observe(\.watched) { _, _ in },
            named.observe(\.twice) { _, _ in }, named.observe(\.reference) { _, _ in },
            named.observe(\.next?.twice) { _, _ in },
        ]
        #expect(named.observationInfo.map(\.keyPath) == ["plain", "watched", "twice", "reference", "next.twice"])
        withExtendedLifetime(tokens) {}
    }

    @Test("20.3 Changes, tokens and controllers name computed properties, before anything was listed")
    func changes() {
        let named = NamedInChanges()
        let log = Log()
        let token = named.observe(\.twice, options: .new) { _, change in log.add("\(change)") }
        named.plain = 4
        #expect(log.take() == ["setting of twice, → 8"])
        #expect("\(token)" == "KeyValueObservation of twice")
        let controller = KVOController(observer: named)
        controller.observe(named, \.thrice) { _, _, _ in }
        #expect("\(controller)".hasSuffix("at thrice [new, old]"))
    }

    @Test("20.3 8.1 A class that asks for it is reached by name: stored, computed and constant properties")
    func coding() throws {
        let account = Account()
        try account.setValue(2_000_000, forKey: "balance")
        #expect(try account.value(forKey: "rich") as? Bool == true)
        #expect(try account.value(forKey: "isRich") as? Bool == true)
        #expect(try account.value(forKey: "number") as? Int == 12)
        #expect(Account.keyPathsByKey.keys.sorted() == ["balance", "holder", "isOpen", "isRich", "note", "number"])
        #expect(throws: KeyValueCodingError.self) { try account.value(forKey: "keyValueRegistrar") }
    }

    @Test("20.3 A subclass adds to the keys, and setting by name runs didSet and calls observers")
    func subclassKeys() throws {
        let savings = Savings()
        #expect(Set(Savings.keyPathsByKey.keys) == Set(Account.keyPathsByKey.keys).union(["rate"]))
        let log = Log()
        let token = try savings.observe("rate", options: [.old, .new]) { _, change in
            log.add("\(change.oldValue!) \(change.newValue!)")
        }
        try savings.setValue(0.75, forKey: "rate")
        try savings.setValue(5, forKeyPath: "balance")
        token.invalidate()
        #expect(log.take() == ["0.5 0.75"])
        #expect(savings.changes == 1 && savings.balance == 5)
    }

    // In a process of its own, in which no list has been made of the superclass's names.
    @Test("20.3 A computed property of a superclass has its name at an object of a subclass")
    func inherited() async {
        await #expect(processExitsWith: .success) {
            let special = Special()
            let token = special.observe(\.twice) { _, _ in }
            #expect(special.observationInfo.map(\.keyPath) == ["twice"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("20.3 A name that is a keyword has no backticks")
    func wordOfTheLanguage() {
        let special = Special()
        let token = special.observe(\.`default`) { _, _ in }
        #expect(special.observationInfo.map(\.keyPath) == ["default"])
        withExtendedLifetime(token) {}
    }
}

@KeyValueObservable
private class Named {
    var plain = 0
    var watched = 0 { didSet {} }
    weak var reference: Named?
    var next: Named?
    var twice: Int { plain * 2 }
}

@KeyValueObservable
private class NamedInChanges {
    var plain = 0
    var twice: Int { plain * 2 }
    var thrice: Int { plain * 3 }
}

@KeyValueObservable
private class General {
    var number = 1
    var twice: Int { number * 2 }
}

@KeyValueObservable
private final class Special: General {
    var extra = 0
    var `default`: Int { extra }
}
