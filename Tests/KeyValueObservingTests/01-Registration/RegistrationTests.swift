// Registering and removing, beside the cells: section 1 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1 Registration and removal")
struct RegistrationTests {
    private let person = Person()
    private let log = Log()

    // #22 #23 #329
    @Test("1.2 B13 invalidate() may be repeated, and called after the object's death")
    func invalidateIsIdempotent() {
        var person: Person? = Person()
        let tokens = [person?.observe(\.age) { _, _ in }, person?.observe(\.age) { _, _ in }]
        for _ in 0..<2 { tokens[0]?.invalidate() }
        #expect(tokens.map { $0?.isInvalidated } == [true, false])
        person = nil
        #expect(tokens[1]?.isInvalidated == true)
        tokens[1]?.invalidate()
    }

    @Test("1.2 It may be called while it releases the handler, and leaves a newer registration alone")
    func invalidatedByItsHandlersDeath() {
        var tokens: [KeyValueObservation] = []
        var last: AtDeath? = AtDeath { [person, log] in
            tokens.append(person.observe(\.age) { _, _ in log.add("newer") })
            tokens[0].invalidate()
        }
        tokens.append(person.observe(\.age) { [last] _, _ in withExtendedLifetime(last) {} })
        last = nil
        tokens[0].invalidate()
        person.age = 1
        #expect(log.take() == ["newer"])
    }

    @Test("1.3 A change made inside the initial call is delivered once, and after it")
    func changeInsideInitial() {
        let token = person.observe(\.age, options: [.initial, .old, .new]) { [log] person, change in
            log.add(change)
            if person.age == 0 { person.age = 1 }
        }
        #expect(log.take() == ["·→0", "0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("1.3 2.4 What a getter sets when somebody registers is not told, although another observer undoes it")
    func setByGetter() {
        let sheet = Worksheet()
        sheet.a = 9
        var isUndone = false
        let other = sheet.observe(\.a) { sheet, _ in
            if !isUndone {
                isUndone = true
                sheet.a = 9
            }
        }
        let token = sheet.observe(\.limited, options: [.initial, .prior, .old, .new]) { [log] in log.add($1) }
        #expect(isUndone && sheet.a == 5 && log.take() == ["·→5"])
        withExtendedLifetime((other, token)) {}
    }

    /// Key paths that read nothing observable, with the words of their sentences.
    private static let unobservable: [[String]] = [
        [
            "Unobservable cannot be observed at \\Unobservable.plain", "@Observed",
            "Declare plain @Observed",
        ], ["If Appliance declares it"],
        // Where the key path has no name, the class and the caller's line say which.
        ["OpenUnobservable cannot be observed at", "RegistrationTests.swift:"],
        // A stored property that only has the same value as a part of another one is not named.
        ["OpenUnobservable cannot be observed at a property of type Range<Int>", "@Observed if it is stored (range)"],
    ]

    @Test("1.4 A18 D18 A key path that reads nothing observable traps with a sentence that names it", arguments: 0..<4)
    func nothingObservable(number: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
            switch number {
            case 0: _ = Unobservable().observe(\.plain) { _, _ in }
            case 1: _ = Kettle().observe(\.plain) { _, _ in }
            case 2: _ = OpenUnobservable(twin: 1).observe(\.plain) { _, _ in }
            default: _ = OpenUnobservable(twin: 2).observe(\.range.lowerBound) { _, _ in }
            }
        }
        for words in Self.unobservable[number] { #expect(message(of: result).contains(words)) }
        #expect(number < 3 || !message(of: result).contains("OpenUnobservable.plain"))
    }

    // #127
    @Test("1.4 A class may declare that such a key path notifies by hand, or depends on others")
    func declaredInstead() {
        let object = Declares()
        let byHand = object.observe(\.byHand, options: [.initial, .new]) { [log] in log.add($1) }
        let dependent = object.observe(\.dependent, options: [.old, .new]) { [log] in log.add($1) }
        #expect(log.take() == ["·→7"])
        object.hidden = 2
        #expect(log.take() == [], "what is not observed is not seen")
        object.source = 5
        #expect(log.take() == ["1→2"])
        withExtendedLifetime((byHand, dependent)) {}
    }
}

/// Runs code when it dies.
private final class AtDeath {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}

private final class Unobservable: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var plain = 0
}

private class OpenUnobservable: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var plain = 1
    var twin: Int
    var text = ""
    var range = 1..<9

    init(twin: Int) { self.twin = twin }
}

private class Appliance { var plain = 1 }

private class ObservedAppliance: Appliance, KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var power = 0
}

private final class Kettle: ObservedAppliance {}

private final class Declares: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var source = 0
    var hidden = 1
    var byHand: Int { 7 }
    /// Reads nothing that could be seen.
    var dependent: Int { hidden }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Declares.byHand }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Declares.dependent ? [\Declares.source] : []
    }
}
