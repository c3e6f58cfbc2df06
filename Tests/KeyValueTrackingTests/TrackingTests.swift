// What Swift's Observation sees of observed properties.
import KeyValueCoding
import KeyValueObserving
import KeyValueTracking
import Synchronization
import TestSupport
import Testing

#if os(Linux)
@_spi(SwiftUI) import Observation
#else
import Observation
#endif

private class Person: KeyValueTrackable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var name = "Ann"
    @Observed var age = 30
    @Observed var tags: [String] = ["a"]
    private var raw = 0

    var isAdult: Bool { age >= 18 }

    /// Changes a property without a report.
    func bear() { _age = Observed(wrappedValue: 0) }

    var degrees: Int {
        get {
            accessValue(for: \.degrees)
            return raw
        }
        set { changeValue(for: \.degrees) { raw = newValue } }
    }
}

private final class Door: KeyValueTrackable, KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var width = 90

    static var keyPathsByKey: [String: AnyKeyPath] { ["width": \Door.width] }
}

private final class Employee: Person {
    /// Announces a property that the superclass declares, by the key path that this class writes.
    func heat() { changeValue(for: \.degrees) {} }
}

private class Resident: KeyValueTrackable {
    let keyValueRegistrar = KeyValueRegistrar()
    let observationRegistrar = ObservationRegistrar()
    @Observed var age = 0
    @Observed var name = "Ann"
}

/// No other test reads its properties first.
private final class Newcomer: Resident {}

private final class Guest: Resident {
    var prefix = ""

    override var name: String {
        get { prefix + super.name }
        set { super.name = newValue }
    }
}

/// A class that does not opt in.
private final class Untracked: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 30
}

/// How often what a closure reads was reported to change, at most once for each call.
private func changes(of read: () -> Void, when change: () -> Void) -> Int {
    let count = Atomic(0)
    withObservationTracking(read) { count.add(1, ordering: .relaxed) }
    change()
    return count.load(ordering: .relaxed)
}

@Suite("Observation tracks observed properties of classes that opt in")
struct TrackingTests {
    private let kept = Kept()
    @Test("A property that is read is tracked, and a set of it fires")
    func set() {
        let person = Person()
        #expect(changes(of: { _ = person.age }, when: { person.age = 31 }) == 1)
        #expect(changes(of: { _ = person.age }, when: { person.name = "Bob" }) == 0)
        #expect(changes(of: {}, when: { person.age = 32 }) == 0)
    }

    @Test("The change is reported before it is made, so that the old value can still be read")
    func order() {
        let person = Person()
        let seen = Mutex<[Int]>([])
        nonisolated(unsafe) let same = person
        withObservationTracking {
            _ = person.age
        } onChange: {
            let age = unsafe same.age
            seen.withLock { $0.append(age) }
        }
        person.observe(\.age, options: .new) { _, change in
            seen.withLock { $0.append(change.newValue ?? -1) }
        }.store(in: kept)
        person.age = 31
        #expect(seen.withLock { $0 } == [30, 31])
    }

    #if os(Linux)
    @Test("The end of a change is reported after the observers were called, for each way to change a property")
    func end() {
        let person = Person()
        let seen = Mutex<[String]>([])
        person.observe(\.tags) { _, _ in seen.withLock { $0.append("observer") } }.store(in: kept)
        for change in [
            { person.tags = ["b"] }, { person.tags.append("c") }, { person.mutable(\.tags).append("d") },
            { person.mutable(\.tags).value = [] },
        ] {
            withObservationTracking {
                _ = person.tags
            } didSet: { tracking in
                tracking.cancel()
                seen.withLock { $0.append("end") }
            }
            change()
        }
        #expect(seen.withLock { $0 } == ["observer", "end", "observer", "end", "observer", "end", "observer", "end"])
    }
    #endif

    @Test("A change in place fires, with or without observers of the property")
    func inPlace() {
        let person = Person()
        #expect(changes(of: { _ = person.age }, when: { person.age += 1 }) == 1)
        #expect(changes(of: { _ = person.tags.count }, when: { person.tags.append("b") }) == 1)
        // It is a read, too.
        #expect(changes(of: { person.tags.append("b") }, when: { person.tags = [] }) == 1)
        person.observe(\.age) { _, _ in }.store(in: kept)
        #expect(changes(of: { _ = person.age }, when: { person.age += 1 }) == 1)
    }

    @Test("A computed property is tracked by what it reads")
    func computed() {
        let person = Person()
        #expect(changes(of: { _ = person.isAdult }, when: { person.age = 5 }) == 1)
        #expect(changes(of: { _ = person.isAdult }, when: { person.name = "Bob" }) == 0)
    }

    @Test("Views are tracked, and changes through views fire: of elements, of the whole, and in place")
    func views() {
        let person = Person()
        let tags = person.mutable(\.tags)
        #expect(changes(of: { _ = tags.count }, when: { person.tags = [] }) == 1)
        #expect(changes(of: { _ = tags.value }, when: { person.tags = [] }) == 1)
        #expect(changes(of: { _ = person.tags }, when: { tags.append("c") }) == 1)
        #expect(person.tags == ["c"])
        #expect(changes(of: { _ = person.tags }, when: { tags.value = ["d"] }) == 1)
        #expect(changes(of: { _ = person.tags }, when: { tags.value += ["e"] }) == 1)
        person.observe(\.tags, options: .new) { _, change in #expect(change.kind == .insertion) }.store(in: kept)
        #expect(changes(of: { _ = person.tags }, when: { tags.insert("f", at: 0) }) == 1)
        #expect(person.tags == ["f", "d", "e"])
    }

    @Test("A manual property is tracked where it reports its reads, and fires where it announces its changes")
    func manual() {
        let person = Person()
        #expect(changes(of: { _ = person.degrees }, when: { person.degrees = 7 }) == 1)
        #expect(changes(of: { _ = person.degrees }, when: { person.age = 7 }) == 0)
        #expect(changes(of: { _ = person.age }, when: { person.changeValue(for: \.name) {} }) == 0)
    }

    @Test("4.1 An observed property fires where its changes are announced, whichever class writes its key path")
    func announcedManually() {
        announceManually(in: Person())
        announceManually(in: Employee())
    }

    private func announceManually<Object: Person>(in person: Object) {
        let birth: () -> Void = {
            person.willChangeValue(for: \.age)
            person.bear()
            person.didChangeValue(for: \.age)
        }
        let insertion: () -> Void = {
            person.willChangeValue(for: \.tags)
            person.didChangeValue(for: \.tags)
        }
        #expect(changes(of: { _ = person.age }, when: { person.bear() }) == 0)
        #expect(changes(of: { _ = person.age }, when: birth) == 1)
        #expect(changes(of: { _ = person.isAdult }, when: birth) == 1)
        #expect(changes(of: { _ = person.tags }, when: insertion) == 1)
    }

    @Test("4.1 A manual property is the same one in all subclasses, whichever of them announces its changes")
    func manualInSubclass() {
        let employee = Employee()
        #expect(changes(of: { _ = employee.degrees }, when: { employee.degrees = 7 }) == 1)
        #expect(changes(of: { _ = employee.degrees }, when: { employee.heat() }) == 1)
        #expect(changes(of: { _ = employee.age }, when: { employee.heat() }) == 0)
        let change: () -> Void = {
            employee.willChangeValue(for: \.degrees)
            employee.didChangeValue(for: \.degrees)
        }
        #expect(changes(of: { _ = (employee as Person).degrees }, when: change) == 1)
    }

    @Test(
        "3.5 The first announcement may stand inside an access to the property",
        .enabled(if: RuntimeAssumption.keyPathComponents.holds),
        arguments: [false, true])
    func announcedInsideAnAccess(isSubclass: Bool) async {
        await #expect(processExitsWith: .success) { [isSubclass] in
            let newcomer = Newcomer()
            func access(_ age: inout Int) {
                if isSubclass {
                    newcomer.changeValue(for: \.age) { age += 1 }
                } else {
                    (newcomer as Resident).changeValue(for: \.age) { age += 1 }
                }
            }
            access(&newcomer.age)
            #expect(newcomer.age == 1)
            let change: () -> Void = { newcomer.changeValue(for: \.age) {} }
            #expect(changes(of: { _ = newcomer.age }, when: change) == 1)
        }
    }

    @Test("4.1 A manual change of a property that the object's class overrides fires")
    func overridden() {
        let guest = Guest()
        for _ in 1...2 {
            let change: () -> Void = { guest.changeValue(for: \.name) { guest.prefix += "x" } }
            #expect(changes(of: { _ = guest.name }, when: change) == 1)
            #expect(changes(of: { _ = (guest as Resident).name }, when: change) == 1)
        }
    }

    @Test("A set by name fires")
    func byName() throws {
        let door = Door()
        #expect(changes(of: { _ = door.width }, when: { try? door.setValue(5, forKey: "width") }) == 1)
        #expect(door.width == 5)
    }

    @Test("A class that does not opt in is not tracked")
    func optingIn() {
        let untracked = Untracked()
        #expect(!Untracked._reportsPropertyAccesses)
        #expect(changes(of: { _ = untracked.age }, when: { untracked.age = 2 }) == 0)
    }

    @Test("Observations delivers each state that is reached between its turns")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @MainActor
    func observations() async {
        let person = Person()
        var iterator = Observations { person.age }.makeAsyncIterator()
        #expect(await iterator.next() == 30)
        let task = Task { @MainActor in person.age = 31 }
        #expect(await iterator.next() == 31)
        await task.value
    }

    @Test("An object that Observation tracks is released as any other")
    func lifetime() {
        weak var weakPerson: Person?
        do {
            let person = Person()
            weakPerson = person
            withObservationTracking {
                _ = person.age
            } onChange: {
            }
        }
        #expect(weakPerson == nil)
    }
}
