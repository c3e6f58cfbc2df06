// Every declaration of the public contract as a user writes it: declaring, observing, seeing.
import KeyValueObserving
import TestSupport
import Testing

@Suite("The public contract")
struct PublicContractTests {
    class Person: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var age = 0
        @Observed var address: Address?
        @Observed var tags: [String] = []
        @Observed var friends: Set<String> = []
        @Observed var frame = Frame()
        @Observed private(set) var nickname: String?
        var isAdult: Bool { age >= 18 }
        let number = 7

        func rename(_ name: String?) { nickname = name }

        /// The accessors that the wrapper has for the class, called by hand.
        func callAccessors() -> Int {
            Observed<Int>[_enclosingInstance: self, wrapped: \Person.age, storage: \Person._age] = 4
            Observed<Int>[_enclosingInstance: self, wrapped: \Person.age, storage: \Person._age] += 1
            return Observed<Int>[_enclosingInstance: self, wrapped: \Person.age, storage: \Person._age]
        }
    }

    final class Student: Person {
        @Observed var school = ""
    }

    final class Address: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var city: String?
    }

    struct Frame {
        var width = 0
    }

    /// Only what is `Sendable` can be given here.
    static func requireSendable<Value: Sendable & ~Copyable>(_: Value.Type) {}

    let person = Person()
    let log = Log()

    // #131
    @Test("Declaring: the protocol's defaults, for every key path")
    func defaults() {
        func ask<Object: KeyValueObservable>(_: Object.Type, _ keyPath: AnyKeyPath) -> (Bool, Set<AnyKeyPath>) {
            (Object.automaticallyNotifiesObservers(for: keyPath), Object.keyPathsAffectingValue(for: keyPath))
        }
        #expect(ask(Person.self, \Person.age) == (true, []))
        #expect(ask(Student.self, \Student.isAdult) == (true, []))
        let object: any KeyValueObservable = person
        #expect(object === person)
    }

    @Test("Declaring: the wrapper's accessors get, set and modify, and notify")
    func accessors() {
        let token = person.observe(\.age, options: [.old, .new]) { [log] in log.add($1) }
        let (age, view) = (person.callAccessors(), person.mutable(\.age))
        view.value += 1
        #expect(age == 5 && view.value == 6 && Observed(wrappedValue: 3).description == "3")
        #expect(log.take() == ["0→4", "4→5", "5→6"])
        withExtendedLifetime(token) {}
    }

    // #373
    @Test("Observing: a change is made with its kind and key path alone, or with everything")
    func changeInitializer() {
        let little = KeyValueObservedChange<String?>(kind: .setting, keyPath: \Person.nickname)
        #expect(little.kind == .setting && little.keyPath == \Person.nickname && !little.isPrior)
        #expect(little.newValue == nil && little.oldValue == nil && little.indexes == nil)
        let much = KeyValueObservedChange(
            kind: .replacement, newValue: ["b"], oldValue: ["a"], indexes: RangeSet(0..<1), isPrior: true,
            keyPath: \Person.tags)
        #expect(much.newValue == ["b"] && much.oldValue == ["a"] && much.indexes == RangeSet(0..<1) && much.isPrior)
        let nothing = KeyValueObservedChange<String?>(kind: .setting, newValue: .some(nil), keyPath: \Person.nickname)
        #expect(nothing.newValue == .some(nil) && nothing.oldValue == nil)
    }

    @Test("Observing: observe with all its labels, and with none but the handler's")
    func observe() {
        let whole:
            (
                KeyPath<Person, Int>, KeyValueObservingOptions, StaticString, UInt,
                @escaping (Person, KeyValueObservedChange<Int>) -> Void
            ) -> KeyValueObservation = person.observe(_:options:fileID:line:changeHandler:)
        let first: KeyValueObservation = person.observe(\.age) { person, change in
            let (_, _): (Person, KeyValueObservedChange<Int>) = (person, change)
        }
        let second = whole(\.age, [.new], "Contract/File.swift", 12) { _, _ in }
        #expect(person.observationInfo.map(\.line) == [#line - 4, 12])
        #expect(person.observationInfo.map(\.fileID) == [#fileID, "Contract/File.swift"])
        withExtendedLifetime((first, second)) {}
    }

    // #36
    @Test("Observing: a token is Sendable and Hashable, ends once and for all, and ends when it is released")
    func token() {
        Self.requireSendable(KeyValueObservation.self)
        var token: KeyValueObservation? = person.observe(\.age) { [log] in log.add($1) }
        let other = person.observe(\.age) { _, _ in }
        var set: Set<KeyValueObservation> = []
        other.store(in: &set)
        #expect(set == [other] && token != other && !other.isInvalidated)
        other.invalidate()
        other.invalidate()
        #expect(other.isInvalidated && person.observationInfo.count == 1)
        token = nil
        #expect(person.observationInfo.isEmpty && token == nil)
        person.age = 1
        #expect(log.take().isEmpty)
    }
}
