// Registering and removing: section 1 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1 Registration and removal")
struct RegistrationTests {
    private let person = Person()
    private let log = Log()

    @Test("1.1 A17 n registrations give n notifications, and each token removes its own")
    func registrationsAreIndependent() {
        let first = person.observe(\.age) { _, _ in log.add("first") }
        let second = person.observe(\.age) { _, _ in log.add("second") }
        person.age = 1
        #expect(log.take() == ["first", "second"])
        first.invalidate()
        person.age = 2
        #expect(log.take() == ["second"])
        second.invalidate()
        person.age = 3
        #expect(log.take() == [])
    }

    @Test("1.2 Releasing the last reference to the token ends the registration")
    func releasingEnds() {
        var observation: KeyValueObservation? = person.observe(\.age) { _, _ in log.add("told") }
        person.age = 1
        #expect(log.take() == ["told"])
        _ = observation
        observation = nil
        person.age = 2
        #expect(log.take() == [])
    }

    @Test("1.2 B13 invalidate() may be repeated, and called after the object's death")
    func invalidateIsIdempotent() {
        var person: Person? = Person()
        let observation = person!.observe(\.age) { _, _ in }
        #expect(!observation.isInvalidated)
        observation.invalidate()
        observation.invalidate()
        #expect(observation.isInvalidated)
        let other = person!.observe(\.age) { _, _ in }
        person = nil
        #expect(other.isInvalidated)
        other.invalidate()
    }

    @Test("1.2 Neither the object nor what the handler does not capture is retained")
    func nothingIsRetained() {
        weak var weakPerson: Person?
        let observation: KeyValueObservation
        do {
            let person = Person()
            weakPerson = person
            observation = person.observe(\.age) { _, _ in }
            person.age = 1
        }
        #expect(weakPerson == nil)
        #expect(observation.isInvalidated)
    }

    @Test("1.2 Ending a registration releases its handler, though the token lives")
    func handlerIsReleased() {
        final class Captured {}
        var captured: Captured? = Captured()
        weak let weakCaptured = captured
        let observation = person.observe(\.age) { [captured] _, _ in _ = captured }
        captured = nil
        #expect(weakCaptured != nil)
        observation.invalidate()
        #expect(weakCaptured == nil)
    }

    @Test("1.2 A registration may be ended inside its own handler")
    func invalidateInside() {
        var observation: KeyValueObservation?
        observation = person.observe(\.age) { _, _ in
            log.add("told")
            observation?.invalidate()
        }
        person.age = 1
        person.age = 2
        #expect(log.take() == ["told"])
    }

    @Test("1.3 B11 .initial is called before observe returns, and may end the registration (#68, #69)")
    func endedInsideInitial() {
        let observer = Observer()
        let controller = KVOController(observer: observer)
        controller.observe(person, \.age, options: [.initial, .new]) { _, person, change in
            log.add(change)
            controller.unobserve(person, \.age)
        }
        #expect(log.take() == ["·→0"])
        person.age = 1
        #expect(log.take() == [])
        #expect(person.observationInfo.isEmpty)
    }

    @Test("1.3 A change made inside the initial call is delivered once, and after it")
    func changeInsideInitial() {
        let observation = person.observe(\.age, options: [.initial, .old, .new]) { person, change in
            log.add(change)
            if person.age == 0 { person.age = 1 }
        }
        #expect(log.take() == ["·→0", "0→1"])
        withExtendedLifetime(observation) {}
    }

    @Test(
        "1.3 2.4 What a getter sets when somebody registers is not delivered to them, although another observer undoes it"
    )
    func setByGetter() {
        let gauge = Gauge()
        gauge.level = 9
        var isUndone = false
        let other = gauge.observe(\.level) { gauge, _ in
            if !isUndone {
                isUndone = true
                gauge.level = 9
            }
        }
        let observation = gauge.observe(\.clamped, options: [.initial, .prior, .old, .new]) { log.add($1) }
        #expect(isUndone && gauge.level == 5 && log.take() == ["·→5"])
        withExtendedLifetime((other, observation)) {}
    }

    @Test("1.4 A key path with a nil middle may be registered (#38)")
    func nilMiddle() {
        let observation = person.observe(\.address?.city, options: [.old, .new]) { log.add($1) }
        person.address = Address(city: "Oslo")
        #expect(log.take() == ["nil→Oslo"])
        withExtendedLifetime(observation) {}
    }

    @Test("1.4 A18 D18 A key path that reads nothing observable traps with a sentence")
    func nothingObservable() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Unobservable().observe(\.plain) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Unobservable cannot be observed at \\Unobservable.plain"))
        #expect(message.contains("@Observed") && message.contains("Declare the property @Observed"))
    }

    @Test("1.4 It names the class that declares the property, if that is one which cannot be observed itself")
    func nothingObservableInForeignClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Kettle().observe(\.plain) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("If Appliance declares it"), "\(message)")
    }

    @Test("1.4 The sentence names the class and the caller's line where the key path has no name")
    func nameOfNothingObservable() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = OpenUnobservable(twin: 1).observe(\.plain) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            message.contains("OpenUnobservable cannot be observed at") && message.contains("RegistrationTests.swift:"))
    }

    @Test(
        "1.4 The sentence does not name a stored property that only has the same value as a part of another one")
    func nameOfPart() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = OpenUnobservable(twin: 2).observe(\.range.lowerBound) { _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("OpenUnobservable cannot be observed at \\OpenUnobservable.<computed Range<Int>>"))
        #expect(!message.contains("OpenUnobservable.plain"))
    }

    @Test("1.4 A class may declare that such a key path notifies by hand, or depends on others")
    func declaredInstead() {
        let object = Declares()
        let byHand = object.observe(\.byHand, options: [.initial, .new]) { log.add($1) }
        let dependent = object.observe(\.dependent, options: [.old, .new]) { log.add($1) }
        #expect(log.take() == ["·→7"])
        object.hidden = 2
        #expect(log.take() == [], "what is not observed is not seen")
        object.source = 5
        #expect(log.take() == ["1→2"])
        withExtendedLifetime((byHand, dependent)) {}
    }

    @Test(
        "1.6 B15 After the last removal the object is as if it had never been observed (#36)")
    func nothingIsLeft() {
        #expect(person.observationInfo.isEmpty)
        person.address = Address()
        let first = person.observe(\.age) { _, _ in }
        let second = person.observe(\.address?.city) { _, _ in }
        #expect(person.observationInfo.map(\.keyPath) == ["age", "address.city"])
        first.invalidate()
        second.invalidate()
        #expect(person.observationInfo.isEmpty)
        #expect(!person.isObserved(\.age) && !person.isObserved(\.address?.city))
    }

    @Test("1.6 D5 Observing changes neither class, identity, equality nor description")
    func classIsUnchanged() {
        let person = Named(name: "a")
        let before = (type: ObjectIdentifier(type(of: person)), identity: ObjectIdentifier(person))
        let (description, hash) = ("\(person)", person.hashValue)
        func check() {
            #expect(ObjectIdentifier(type(of: person)) == before.type)
            #expect(ObjectIdentifier(person) == before.identity)
            #expect("\(person)" == description && person.hashValue == hash && person == Named(name: "a"))
        }
        let observation = person.observe(\.name) { _, _ in check() }
        check()
        person.name = "a"
        observation.invalidate()
        check()
    }

    @Test("1.7 A12 B1 Controllers keep these rules too: idempotent removal, nothing left")
    func controllers() {
        person.kvoController.observe(person, \.age) { _, _, _ in log.add("told") }
        person.kvoController.unobserve(person, \.name)
        person.age = 1
        person.kvoController.unobserve(person)
        person.kvoController.unobserve(person)
        person.age = 2
        #expect(log.take() == ["told"])
        #expect(person.observationInfo.isEmpty)
    }
}

private final class Observer {}

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

    init(twin: Int) {
        self.twin = twin
    }
}

private class Appliance {
    var plain = 1
}

private class ObservedAppliance: Appliance, KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var power = 0
}

private final class Kettle: ObservedAppliance {}

private final class Gauge: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
    /// Changes what it reads.
    var clamped: Int {
        if level > 5 { level = 5 }
        return level
    }
}

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

private final class Named: KeyValueObservable, Hashable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var name: String

    init(name: String) {
        self.name = name
    }

    var description: String { "Named \(name)" }

    static func == (left: Named, right: Named) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
