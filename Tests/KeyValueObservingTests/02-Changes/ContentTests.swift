// What a change contains: section 2 of the contract.
import KeyValueObserving
import TestSupport
import Testing

@Suite("2 What a change contains")
struct ContentTests {
    private let kept = Kept()
    private let person = Person()
    private let log = Log()

    // #1 #42 #43 #45 #50 #51 #60 #63 #81 #374 C5
    @Test("2.1 A7 Each of the 16 sets of options delivers what it says, for a first, a later and an equal set")
    func allOptions() {
        for rawValue in UInt(0)..<16 {
            let options = KeyValueObservingOptions(rawValue: rawValue)
            let person = Person()
            let observation = person.observe(\.age, options: options) { log.add($1) }
            func value(_ value: Int, if option: KeyValueObservingOptions) -> String {
                options.contains(option) ? "\(value)" : "·"
            }
            #expect(log.take() == (options.contains(.initial) ? ["·→\(value(0, if: .new))"] : []))
            var current = 0
            for next in [5, 7, 7] {
                person.age = next
                let prior = options.contains(.prior) ? ["prior \(value(current, if: .old))→·"] : []
                #expect(log.take() == prior + ["\(value(current, if: .old))→\(value(next, if: .new))"])
                current = next
            }
            withExtendedLifetime(observation) {}
        }
    }

    // #60 #376
    @Test("2.1 With options [] a plain property is not read, so nothing retains its value", arguments: [false, true])
    func nothingIsReadUnasked(asksForNew: Bool) {
        let shelf = Shelf()
        weak var item: Shelf.Item?
        var isHeld: Bool?
        shelf.observe(\.items, options: asksForNew ? .new : []) { shelf, _ in
            shelf.clearSilently()
            isHeld = item != nil
        }.store(in: kept)
        shelf.items.append(made { item = $0 })
        #expect(isHeld == asksForNew)
    }

    // #14 #55 #57 #67
    @Test("2.2 2.5 C15 Absent is nil; present and nil is .some(nil)")
    func absentAndNil() throws {
        var changes: [KeyValueObservedChange<Address?>] = []
        person.observe(\.address, options: [.old, .new, .prior]) { changes.append($1) }.store(in: kept)
        person.address = nil
        try #require(changes.count == 2)
        #expect(changes[0].isPrior && changes[0].newValue == nil)
        let oldBefore = try #require(changes[0].oldValue)
        #expect(oldBefore == nil)
        let (old, new) = (try #require(changes[1].oldValue), try #require(changes[1].newValue))
        #expect(old == nil && new == nil)
    }

    // #14 C1
    @Test("2.3 C4 Old is the value before the store, new what the getter returns after it")
    func oldAndNewThroughAnOverride() {
        let clamped = Clamped()
        let direct = (clamped as Person).observe(\.age, options: [.old, .new]) { log.add($1, as: "base") }
        let derived = clamped.observe(\.age, options: [.old, .new]) { log.add($1, as: "derived") }
        clamped.age = 500
        #expect(log.take() == ["base 0→100", "derived 0→100"])
        clamped.age = -1
        #expect(log.take() == ["base 100→0", "derived 100→0"])
        withExtendedLifetime((direct, derived)) {}
    }

    @Test("2.3 New is one snapshot: every observer of a change sees the same")
    func oneSnapshot() {
        let object = FreshObjects()
        var seen: [ObjectIdentifier] = []
        let first = object.observe(\.fresh, options: .new) { seen.append(ObjectIdentifier($1.newValue!)) }
        let second = object.observe(\.fresh, options: .new) { seen.append(ObjectIdentifier($1.newValue!)) }
        object.seed = 1
        #expect(seen.count == 2 && seen[0] == seen[1])
        withExtendedLifetime((first, second)) {}
    }

    @Test("2.4 A prior delivery comes before the store, the other after it (#85)")
    func priorIsBeforeTheStore() {
        var live: [Int] = []
        person.observe(\.age, options: .prior) { person, _ in live.append(person.age) }.store(in: kept)
        person.age = 1
        #expect(live == [0, 1])
    }

    @Test("2.6 A mutation in place is one change, delivered after the access, even if it throws")
    func inPlace() {
        func change(_ value: inout Int) throws {
            value = 8
            throw CancellationError()
        }
        let tags = person.observe(\.tags, options: [.old, .new, .prior]) { log.add($1) }
        let frame = person.observe(\.frame, options: [.old, .new]) {
            log.add("\($1.oldValue!.width)→\($1.newValue!.width) live \($0.frame.width)")
        }
        person.tags.append("x")
        person.frame.width += 4
        #expect(throws: CancellationError.self) { try change(&person.frame.width) }
        // The change is not left open.
        person.frame.width = 9
        #expect(log.take() == ["prior []→·", #"[]→["x"]"#, "0→4 live 4", "4→8 live 8", "8→9 live 9"])
        withExtendedLifetime((tags, frame)) {}
    }

    @Test(
        "2.6 Array storage is copied only if .old was asked for",
        arguments: [[], .new, .old] as [KeyValueObservingOptions])
    func storageIsNotCopied(options: KeyValueObservingOptions) {
        let object = Bytes()
        object.bytes.reserveCapacity(100)
        object.observe(\.bytes, options: options) { _, _ in }.store(in: kept)
        func address() -> UInt { unsafe object.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        object.bytes.append(1)
        let before = address()
        object.bytes.append(2)
        #expect((address() == before) == !options.contains(.old))
    }
}

/// Overrides the getter of a property that it inherits.
private final class Clamped: Person {
    override var age: Int {
        get { min(max(super.age, 0), 100) }
        set { super.age = newValue }
    }
}

private func made(_ note: (Shelf.Item) -> Void) -> Shelf.Item {
    let item = Shelf.Item()
    note(item)
    return item
}

/// Returns another object each time it is asked.
private final class FreshObjects: KeyValueObservable {
    final class Fresh {}

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var seed = 0
    var fresh: Fresh {
        _ = seed
        return Fresh()
    }
}

private final class Bytes: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var bytes: [UInt8] = []
}
