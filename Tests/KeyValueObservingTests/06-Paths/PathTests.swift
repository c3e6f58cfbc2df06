// Paths through objects, optionals and structs: section 6 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("6 Paths")
struct PathTests {
    private let person = Person()
    private let log = Log()

    // #91 #100
    @Test("6.1 C13 The leaf, or any object on the way, is one delivery with the whole path's values and the root")
    func leafAndMiddle() {
        let observation = person.observe(\.friend?.friend?.name, options: [.old, .new]) { root, change in
            #expect(root === person && change.keyPath == \Person.friend?.friend?.name)
            log.add(change)
        }
        let (middle, leaf) = (Person(), Person())
        leaf.name = "leaf"
        person.friend = middle
        middle.friend = leaf
        leaf.name = "changed"
        person.friend = nil
        #expect(log.take() == ["nil→nil", "nil→leaf", "leaf→changed", "changed→nil"])
        withExtendedLifetime(observation) {}
    }

    @Test(
        "P1 7.5 Who registers while a path is led elsewhere is not told what is done to the elements of its former end")
    func registeringWhileLedElsewhere() {
        let (sheet, first, second) = (Worksheet(), Worksheet(), Worksheet())
        (sheet.next, first.items, second.items) = (first, ["a"], ["x"])
        func observe(_ name: String) -> KeyValueObservation {
            sheet.observe(\.next?.items, options: [.old, .new]) { _, change in
                let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
                log.add("\(name) \(change.kind) \(old ?? [])→\(new ?? [])")
            }
        }
        let early = observe("early")
        sheet.willChangeValue(for: \.next)
        sheet.next = second
        let late = observe("late")
        first.mutable(\.items).append("b")
        #expect(log.take() == [])
        sheet.didChangeValue(for: \.next)
        second.mutable(\.items).append("y")
        #expect(
            log.take() == [
                #"early setting ["a"]→["x"]"#, #"early insertion []→["y"]"#, #"late setting ["x"]→["x", "y"]"#,
            ])
        withExtendedLifetime((early, late)) {}
    }

    @Test("6.1 .prior on a path: old before the store, both after it")
    func priorOnPath() {
        person.address = Address(city: "Oslo")
        let observation = person.observe(\.address?.city, options: [.old, .new, .prior]) { log.add($1) }
        person.address?.city = "Bergen"
        person.address = nil
        #expect(log.take() == ["prior Oslo→·", "Oslo→Bergen", "prior Bergen→·", "Bergen→nil"])
        withExtendedLifetime(observation) {}
    }

    @Test("6.2 A replaced object is let go: nothing of it is delivered, nothing is left on it")
    func replacedObject() {
        let (first, second) = (Address(city: "a"), Address(city: "b"))
        person.address = first
        let observation = person.observe(\.address?.city, options: .new) { log.add($1) }
        person.address = second
        first.city = "nobody hears this"
        second.city = "c"
        #expect(log.take() == ["·→b", "·→c"])
        withExtendedLifetime(observation) {}
    }

    @Test("6.2 Toggling 10,000 times leaves one hook: one delivery (#111)")
    func toggling() {
        let address = Address(city: "a")
        var count = 0
        let observation = person.observe(\.address?.city) { _, _ in count += 1 }
        for round in 0..<10_000 { person.address = round.isMultiple(of: 2) ? address : nil }
        person.address = address
        #expect(count == 10_001)
        address.city = "b"
        #expect(count == 10_002)
        withExtendedLifetime(observation) {}
    }

    @Test("6.3 nil to an object whose leaf is nil still delivers (#89)")
    func nilLeaf() {
        let observation = person.observe(\.address?.zip, options: [.old, .new]) { log.add($1) }
        person.address = Address()
        person.address?.zip = 12
        person.address?.zip = nil
        person.address = nil
        #expect(log.take() == ["nil→nil", "nil→12", "12→nil", "nil→nil"])
        withExtendedLifetime(observation) {}
    }

    @Test("6.1 A value that is unwrapped at the end of a path is delivered, and a missing one ends the program")
    func unwrappedLeaf() async {
        let address = Address()
        address.zip = 1
        let observation = address.observe(\.zip!, options: [.old, .new]) { log.add($1) }
        address.zip = 2
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(observation) {}
        await #expect(processExitsWith: .failure) {
            let address = Address()
            address.zip = 1
            let observation = address.observe(\.zip!, options: .new) { _, _ in }
            address.zip = nil
            withExtendedLifetime(observation) {}
        }
    }

    @Test("6.4 Two registrations that end at the same leaf each get theirs; one that reaches it twice gets one")
    func sameLeaf() {
        let shared = Person()
        (person.friend, shared.friend) = (shared, shared)
        let tokens = [
            person.observe(\.friend?.name) { _, _ in log.add("short") },
            person.observe(\.friend?.friend?.name) { _, _ in log.add("long") },
        ]
        shared.name = "x"
        #expect(log.take() == ["short", "long"])
        shared.friend = nil
        #expect(log.take() == ["long"])
        withExtendedLifetime(tokens) {}
    }

    // #110 #114
    @Test("6.5 A weak reference on the way that becomes nil delivers nothing by itself")
    func weakMiddle() {
        let holder = WeakHolder()
        var target: Address? = Address(city: "a")
        holder.address = target
        let observation = holder.observe(\.address?.city, options: [.old, .new]) { log.add($1) }
        target?.city = "b"
        #expect(log.take() == ["a→b"])
        target = nil
        #expect(log.take() == [])
        #expect(holder.address == nil)
        let other = Address(city: "c")
        holder.address = other
        #expect(log.take() == ["b→c"])
        withExtendedLifetime(observation) {}
    }

    @Test("6.7 A path through a struct delivers when its property is set, changed part or not")
    func structPart() {
        let width = person.observe(\.frame.width, options: [.old, .new]) { log.add($1) }
        person.frame.width = 3
        person.frame.height = 4
        person.frame = Frame(width: 5, height: 5)
        #expect(log.take() == ["0→3", "3→3", "3→5"])
        withExtendedLifetime(width) {}
    }

    // #5 #104
    @Test("6.1 A class without a registration of its own costs nothing when the path ends")
    func nothingIsLeftOnTheWay() {
        let address = Address()
        person.address = address
        let observation = person.observe(\.address?.city) { _, _ in log.add("told") }
        #expect(address.observationInfo.isEmpty, "registrations are listed where they were made")
        observation.invalidate()
        address.city = "x"
        person.address = nil
        #expect(log.take() == [])
    }
}

private struct Weak<Object: AnyObject> {
    weak var object: Object?
}

private final class WeakHolder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private var box = Weak<Address>()
    var address: Address? {
        get { box.object }
        set { box.object = newValue }
    }
}
