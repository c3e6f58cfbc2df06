// Nothing of a registration outlives it: 1.2 and 1.6.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

/// A way to use the library many times, which must not need more memory each time.
private struct Use {
    let name: String
    /// How often, until caches are full.
    var warmUp = 200
    /// Makes what is used, and returns what uses it once; it is given the number of the time.
    let make: () -> (Int) -> Void

    static var all: [Self] {
        [
            Self(name: "registrations that come, are called and go") {
                let desk = Desk()
                return { number in
                    let tokens = [
                        desk.observe(\.number, options: [.old, .new]) { _, _ in },
                        desk.observe(\.lamp?.number, options: [.old, .new]) { _, _ in },
                        desk.observe(\.large, options: [.old, .new, .prior]) { _, _ in },
                    ]
                    desk.number = number
                    desk.lamp = Desk()
                    withExtendedLifetime(tokens) {}
                }
            },
            Self(name: "key paths that come and go beside many others") {
                let desk = Desk()
                (0..<20).map { number in desk.observe(\.[-1 - number]) { _, _ in } }.store(in: .process)
                return { number in
                    let token = desk.observe(\.["argument \(number) which is not kept in two words"]) { _, _ in }
                    desk.number = number
                    _ = desk.isObserved(\.["another \(number) which is not kept in two words"])
                    token.invalidate()
                }
            },
            Self(name: "the same by hand") {
                let desk = Desk()
                (0..<20).map { number in desk.observe(\.[manual: -1 - number]) { _, _ in } }.store(in: .process)
                return { number in
                    let token = desk.observe(\.[manual: number]) { _, _ in }
                    desk.changeValue(for: \.[manual: number]) {}
                    token.invalidate()
                }
            },
            Self(name: "key paths that a program puts together", warmUp: 4_500) {
                let desk = Desk()
                return { number in
                    var keyPath: KeyPath<Desk, Desk> = \.left
                    for bit in 0..<14 { keyPath = keyPath.appending(path: number >> bit & 1 == 0 ? \.left : \.right) }
                    desk.observe(keyPath.appending(path: \.number)) { _, _ in }.invalidate()
                    desk.changeValue(for: keyPath) {}
                    _ = desk.isObserved((\Desk.lamp).appending(path: \.?.number))
                }
            },
            Self(name: "paths whose objects die in what they led through") {
                let lamp = Desk()
                return { number in
                    var desk: Desk? = Desk()
                    desk?.lamp = lamp
                    let token = desk?.observe(\.lamp?.number, options: [.old, .new]) { _, _ in }
                    if number % 2 == 0 { lamp.number += 1 } else { desk = nil }
                    withExtendedLifetime(token) {}
                }
            },
            Self(name: "objects that a path leads through, whose registrar is another one each time") {
                let desk = Desk()
                desk.observe(\.drawer?.label, options: [.old, .new]) { _, _ in }.store(in: .process)
                desk.observe(\.drawer?.number, options: [.old, .new]) { _, _ in }.store(in: .process)
                return { _ in desk.drawer = Drawer() }
            },
            Self(name: "a path that is led to and fro (#111)") {
                let (desk, lamps) = (Desk(), [Desk(), Desk()])
                desk.observe(\.lamp?.number, options: [.old, .new]) { _, _ in }.store(in: .process)
                return { number in desk.lamp = lamps[number % 2] }
            },
            Self(name: "announced changes of what somebody observes") {
                let desk = Desk()
                desk.observe(\.number, options: [.old, .new]) { _, _ in }.store(in: .process)
                return { _ in desk.changeValue(for: \.number) { desk.number += 1 } }
            },
            Self(name: "computed properties that are observed and announced") {
                let desk = Desk()
                return { _ in
                    let token = desk.observe(\.double) { _, _ in }
                    desk.changeValue(for: \.double) {}
                    token.invalidate()
                }
            },
            Self(name: "objects that die") {
                { _ in
                    let desk = Desk()
                    desk.observe(\.number) { _, _ in }.invalidate()
                    desk.observe(\.lamp) { _, _ in }.invalidate()
                }
            },
            Self(name: "a controller's registrations that end") {
                let (desk, log) = (Desk(), Log())
                let controller = KVOController(observer: log, retainsObserved: false)
                return { number in
                    controller.observe(desk, \.[number]) { _, _, _ in }
                    controller.unobserve(desk, \.[number])
                    controller.observe(desk, \.lamp) { _, _, _ in }
                    controller.unobserve(desk, \.lamp)
                }
            },
        ]
    }
}

@Suite("1.6 What stays")
struct LeftoverTests {
    private let kept = Kept()

    @Test(
        "1.6 9.4 What is used again and again leaves no memory", .enabled(if: allocatedBytes() > 0),
        .timeLimit(.minutes(10))) func memory() async
    {
        await #expect(processExitsWith: .success) {
            for use in Use.all {
                let once = use.make()
                for number in 0..<use.warmUp { once(number) }
                let kept = bytesKept { for number in use.warmUp..<use.warmUp + 200 { once(number) } }
                // Less than four words for each time.
                #expect(kept < 200 * 32, "\(use.name): \(kept) bytes")
            }
        }
    }

    // #328
    @Test("1.6 9.4 Controllers and tokens do not keep the memory of dead objects", .enabled(if: allocatedBytes() > 0))
    func memoryOfDead() async {
        await #expect(processExitsWith: .success) {
            let log = Log()
            let controller = KVOController(observer: log, retainsObserved: false)
            func cycle() {
                // They live at the same time, so that each has an address of its own.
                let desks = (0..<100).map { _ in Desk() }
                for desk in desks { controller.observe(desk, \.number) { _, _, _ in } }
            }
            cycle()
            var filler: [[Int]] = []
            let before = allocatedBytes()
            for round in 0..<200 {
                filler.append(Array(repeating: round, count: 100))
                cycle()
            }
            #expect(allocatedBytes() - before < 500_000)
            withExtendedLifetime(filler) {}
            let start = allocatedBytes()
            (0..<1_000).map { number in
                let heavy = Heavy()
                heavy.lamp = Desk()
                switch number % 5 {
                case 0: return heavy.observe(\.number) { _, _ in }
                case 1: return heavy.observe(\.left) { _, _ in }
                case 2: return heavy.observe(\.lamp?.number, options: [.old, .new]) { _, _ in }
                case 3: return heavy.observe(\.[1]) { _, _ in }
                default:
                    let token = heavy.observe(\.number) { _, _ in }
                    heavy.willChangeValue(for: \.number)
                    return token
                }
            }.store(in: .process)
            // 1,000 objects of 80,000 bytes; their tokens are far smaller.
            #expect(allocatedBytes() - start < 2_000_000)
        }
    }

    @Test(
        "1.6 Registrations of one line share what is the same for all; a getter that reads 100,000 times costs nothing",
        .enabled(if: allocatedBytes() > 0), .timeLimit(.minutes(10))) func sharedMemory() async
    {
        await #expect(processExitsWith: .success) {
            let desk = Desk()
            var tokens: [KeyValueObservation] = []
            /// How much memory many registrations take that are made at so many lines in turn.
            func bytes(_ lines: Int) -> Int {
                tokens = []
                return bytesKept {
                    for turn in 0..<4_096 {
                        tokens.append(
                            desk.observe(\.number, fileID: "Desk.swift", line: UInt(turn % lines)) { _, _ in })
                    }
                }
            }
            _ = bytes(1)
            let one = bytes(1)
            // A sanitizer's allocator does not say how much memory is taken.
            if one > 100_000 { #expect(one + 4_096 * 48 <= bytes(2)) }
            tokens = [desk.observe(\.sumOfReads) { _, _ in }]
            let kept = bytesKept { (desk.reads, desk.number) = (100_000, desk.number + 1) }
            #expect(kept < 100_000)
        }
    }

    @Test("1.6 16.1 A registration does not keep a delivered object alive, even after comparing it")
    func toldInstance() {
        let holder = Holder()
        holder.observe(\.item, options: [.old, .new, .distinct]) { _, _ in }.store(in: kept)
        weak var item: NSObject?
        do {
            let new = NSObject()
            item = new
            for _ in 0..<2 { holder.item = new }
        }
        #expect(item != nil)
        holder.clearSilently()
        #expect(item == nil)
    }

    // MARK: Arguments of key paths

    @Test("1.6 Arguments of key paths are released with the registration", arguments: 0..<8)
    func arguments(use: Int) {
        let (desk, root, log) = (Desk(), Desk(), Log())
        root.lamp = desk
        weak var weakKey: Desk.Key?
        var token: KeyValueObservation?
        do {
            let key = Desk.Key()
            weakKey = key
            switch use {
            case 0: _ = desk.isObserved(\.[key])
            case 1: KVOController(observer: log).unobserve(desk, \.[key])
            case 2:
                let controller = KVOController(observer: log)
                controller.observe(desk, \.[key]) { _, _, _ in }
                _ = controller.debugDescription
                controller.unobserve(desk, \.[key])
            case 3: token = root.observe(\.lamp?[key]) { _, _ in }
            case 4:
                token = desk.observe(\.number) { _, _ in }
                desk.changeValue(for: \.[key]) {}
            case 5:
                desk.observe(\.[byHand: key], options: [.old, .new]) { _, _ in }.invalidate()
                desk.changeValue(for: \.[byHand: key]) {}
            case 6: token = desk.observe(\.[byHand: key], options: [.old, .new]) { _, _ in }
            default: token = desk.observe(\.[key], options: [.old, .new]) { _, _ in }
            }
            desk.number = 1
            _ = (desk.observationInfo, root.observationInfo)
        }
        token?.invalidate()
        #expect(weakKey == nil)
        // A token that ended does not keep it.
        withExtendedLifetime(token) {}
    }

    @Test("1.6 9.4 So they are when the object dies, though its token lives", arguments: [false, true])
    func argumentsOfDead(isByHand: Bool) {
        var desk: Desk? = Desk()
        weak var weakKey: Desk.Key?
        let token: KeyValueObservation?
        do {
            let key = Desk.Key()
            weakKey = key
            token = isByHand ? desk?.observe(\.[byHand: key]) { _, _ in } : desk?.observe(\.[key]) { _, _ in }
        }
        #expect(weakKey != nil)
        desk = nil
        #expect(weakKey == nil)
        withExtendedLifetime(token) {}
    }

    @Test("1.6 3.5 A token that has ended keeps no value, and a change that never ends nothing of what a path led to")
    func values() {
        let (desk, lamp) = (Desk(), Desk())
        desk.lamp = lamp
        lamp.contents = [Desk()]
        weak let weakDesk = lamp.contents.first
        let token = desk.observe(\.lamp?.contents, options: .old) { _, _ in }
        token.store(in: kept)
        token.invalidate()
        lamp.contents = []
        #expect(weakDesk == nil)
        desk.silent = Desk()
        weak let weakLamp = desk.silent
        desk.observe(\.shown, options: [.old, .new]) { _, _ in }.store(in: kept)
        desk.willChangeValue(for: \.number)
        desk.silent = nil
        #expect(weakLamp == nil)
    }
}

/// Cannot be observed itself, for its registrar is another one each time.
private final class Drawer: KeyValueObservable {
    var keyValueRegistrar: KeyValueRegistrar { KeyValueRegistrar() }
    @Observed var number = 0
    var label: Int {
        accessValue(for: \.label)
        return 0
    }
}

private class Desk: KeyValueObservable {
    final class Key: Hashable {
        static func == (left: Key, right: Key) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var reads = 0
    @Observed var lamp: Desk?
    @Observed var drawer: Drawer?
    @Observed var contents: [Desk] = []
    var silent: Desk?
    var double: Int { number * 2 }
    var shown: Desk? { number >= 0 ? silent : nil }
    /// Takes eight words.
    var large: InlineArray<8, Int> { InlineArray(repeating: number) }
    var left: Desk { number >= 0 ? self : Desk() }
    var right: Desk { number >= 0 ? self : Desk() }
    var sumOfReads: Int { (0..<reads).reduce(0) { sum, _ in sum &+ number } }

    subscript(key: Key) -> Int { number }
    subscript(name: String) -> Int { number }
    subscript(offset: Int) -> Int { number + offset }

    subscript(byHand key: Key) -> Int {
        accessValue(for: \.[byHand: key])
        return 0
    }

    subscript(manual index: Int) -> Int {
        accessValue(for: \.[manual: index])
        return index
    }
}

/// Takes 80,000 bytes.
private final class Heavy: Desk { let ballast = InlineArray<10_000, Int>(repeating: 1) }

/// Can release an object without notifying observers.
private final class Holder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var item: NSObject?

    func clearSilently() { _item = Observed(wrappedValue: nil) }
}
