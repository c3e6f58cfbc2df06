// Paths through objects, optionals and structs: section 6 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("6 Paths")
struct PathTests {
    private let kept = Kept()
    private let person = Person()
    private let log = Log()

    // #91 #100
    @Test("6.1 C13 The leaf, or any object on the way, is one delivery with the whole path's values and the root")
    func leafAndMiddle() {
        person.observe(\.friend?.friend?.name, options: [.old, .new]) { root, change in
            #expect(root === person && change.keyPath == \Person.friend?.friend?.name)
            log.add(change)
        }.store(in: kept)
        let (middle, leaf) = (Person(), Person())
        leaf.name = "leaf"
        person.friend = middle
        middle.friend = leaf
        leaf.name = "changed"
        person.friend = nil
        #expect(log.take() == ["nil→nil", "nil→leaf", "leaf→changed", "changed→nil"])
    }

    @Test("6.2 Toggling 10,000 times leaves one hook: one delivery, and none of what was replaced (#111)")
    func toggling() {
        let address = Address(city: "a")
        var count = 0
        person.observe(\.address?.city) { _, _ in count += 1 }.store(in: kept)
        for round in 0..<10_000 { person.address = round.isMultiple(of: 2) ? address : nil }
        person.address = address
        #expect(count == 10_001)
        address.city = "b"
        #expect(count == 10_002)
        person.address = Address()
        address.city = "nobody hears this"
        #expect(count == 10_003)
    }

    @Test("6.3 nil to an object whose leaf is nil still delivers (#89)")
    func nilLeaf() {
        person.observe(\.address?.zip, options: [.old, .new]) { log.add($1) }.store(in: kept)
        person.address = Address()
        person.address?.zip = 12
        person.address?.zip = nil
        person.address = nil
        #expect(log.take() == ["nil→nil", "nil→12", "12→nil", "nil→nil"])
    }

    @Test("6.1 A value that is unwrapped at the end of a path is delivered, and a missing one ends the program")
    func unwrappedLeaf() async {
        let address = Address()
        address.zip = 1
        let observation = address.observe(\.zip!, options: [.old, .new]) { log.add($1) }
        address.zip = 2
        #expect(log.take() == ["1→2"])
        withExtendedLifetime(observation) {}
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let address = Address()
            address.zip = 1
            let observation = address.observe(\.zip!, options: .new) { _, _ in }
            address.zip = nil
            withExtendedLifetime(observation) {}
        }
        #expect(words("unwrapped nil optional", missingIn: message(of: result)) == [])
    }

    @Test("6.4 Two registrations that end at the same leaf each get theirs; one that reaches it twice gets one")
    func sameLeaf() {
        let shared = Person()
        (person.friend, shared.friend) = (shared, shared)
        [
            person.observe(\.friend?.name) { _, _ in log.add("short") },
            person.observe(\.friend?.friend?.name) { _, _ in log.add("long") },
        ].store(in: kept)
        shared.name = "x"
        #expect(log.take() == ["short", "long"])
        shared.friend = nil
        #expect(log.take() == ["long"])
    }

    // #110 #114
    @Test("6.1 6.2 A property that was the end of a path, and is on its way now, gives its object's value")
    func formerEnd() {
        let (root, a, b, c, d) = (Ring("root"), Ring("a"), Ring("b"), Ring("c"), Ring("d"))
        (root.next, a.next, b.next, c.next, d.next) = (a, b, c, d, a)
        let log = Log()
        let token = root.observe(\.next?.next?.next) { _, change in
            log.add("\((change.oldValue ?? nil)?.name ?? "nil")→\((change.newValue ?? nil)?.name ?? "nil")")
        }
        b.next = d
        root.next = b
        #expect(log.take() == ["c→d", "d→a"])
        b.next = c
        #expect(log.take() == ["a→d"])
        withExtendedLifetime(token) {}
        for node in [root, a, b, c, d] { node.next = nil }
    }

    @Test("6.5 A weak reference on the way that becomes nil delivers nothing by itself")
    func weakMiddle() {
        let holder = WeakHolder()
        var target: Address? = Address(city: "a")
        holder.address = target
        holder.observe(\.address?.city, options: [.old, .new]) { log.add($1) }.store(in: kept)
        target?.city = "b"
        #expect(log.take() == ["a→b"])
        target = nil
        #expect(log.take() == [])
        #expect(holder.address == nil)
        let other = Address(city: "c")
        holder.address = other
        #expect(log.take() == ["b→c"])
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

    @Test("6.1 A value behind an optional is delivered whatever its size, and a nil in it is not the path's")
    func valuesBehindOptional() {
        let (holder, values) = (ValueHolder(), Values())
        holder.values = values
        [
            holder.observe(\.values?.flag, options: [.old, .new]) { log.add($1) },
            holder.observe(\.values?.number, options: [.old, .new]) { log.add($1) },
            holder.observe(\.values?.text, options: [.old, .new]) { log.add($1) },
            holder.observe(\.values?.large, options: [.old, .new]) {
                log.add("\($1.oldValue??.last ?? -1)→\($1.newValue??.last ?? -1)")
            },
            holder.observe(\.values?.items, options: [.old, .new]) { log.add($1) },
        ].store(in: kept)
        values.flag = true
        values.number = 300
        values.text = "a text that is too long to lie in the string itself"
        values.large = Large(last: 9)
        values.mutable(\.items).append(1)
        values.mutable(\.items).remove(at: 0)
        #expect(
            log.take() == [
                "false→true", "0→300", "→a text that is too long to lie in the string itself", "0→9",
            ]
                + (RuntimeAssumption.keyPathComponents.holds
                    ? ["insertion ·→[1]", "removal [1]→·"] : ["[]→[1]", "[1]→[]"]))
    }

    @Test("6.2 An object of another class on the way is read as one of its own")
    func otherClasses() {
        let holder = ValueHolder()
        holder.observe(\.values?.number, options: [.old, .new]) { log.add($1) }.store(in: kept)
        let (plain, shifted) = (Values(), ShiftedValues())
        for values in [plain, shifted, plain, shifted] { holder.values = values }
        shifted.number = 1
        shifted.shift = 20
        plain.number = 5
        #expect(log.take() == ["nil→0", "0→10", "10→0", "0→10", "10→11", "11→21"])
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

private struct Large: Equatable {
    var words = (1, 2, 3, 4, 5, 6)
    var last = 0

    init(last: Int = 0) { self.last = last }

    static func == (left: Large, right: Large) -> Bool { left.last == right.last }
}

private class Values: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var flag = false
    @Observed var number = 0
    @Observed var text = ""
    @Observed var large = Large()
    @Observed var items: [Int] = []
}

private final class ShiftedValues: Values {
    @Observed var shift = 10
    override var number: Int {
        get { super.number + shift }
        set { super.number = newValue }
    }
}

private final class ValueHolder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var values: Values?
}

/// May lead back to itself.
private final class Ring: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var next: Ring?

    init(_ name: String) { self.name = name }
}
