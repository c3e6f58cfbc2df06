// What must not be left of registrations, changes and paths: 1.2, 1.6 and 3.5.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.6 Nothing is left")
struct LeftoverDetailTests {
    @Test("1.6 Registrations that come, are called, and go leave no memory", .timeLimit(.minutes(10)))
    func registrations() async {
        await #expect(processExitsWith: .success) {
            let desk = Desk()
            func use() {
                for number in 0..<5_000 {
                    let tokens = [
                        desk.observe(\.number, options: [.old, .new]) { _, _ in },
                        desk.observe(\.lamp?.number, options: [.old, .new]) { _, _ in },
                        desk.observe(\.large, options: [.old, .new, .prior]) { _, _ in },
                    ]
                    desk.number = number
                    desk.lamp = Spotlight()
                    desk.seed = number
                    withExtendedLifetime(tokens) {}
                }
            }
            use()
            // Less than two words for each time.
            #expect(bytesKept(by: use) < 60_000)
        }
    }

    @Test(
        "1.6 Key paths that come and go beside many others leave no memory",
        .timeLimit(.minutes(10)), arguments: [false, true])
    func keyPaths(isManual: Bool) async {
        await #expect(processExitsWith: .success) { [isManual] in
            let desk = Desk()
            func observe(_ number: Int) -> KeyValueObservation {
                isManual ? desk.observe(\.[manual: number]) { _, _ in } : desk.observe(\.[number]) { _, _ in }
            }
            let others = (0..<20).map { observe(-1 - $0) }
            func use(_ numbers: Range<Int>) {
                for number in numbers {
                    let token = observe(number)
                    desk.number = number
                    withExtendedLifetime(token) {}
                }
            }
            use(0..<5_000)
            #expect(bytesKept { use(5_000..<10_000) } < 60_000)
            withExtendedLifetime(others) {}
        }
    }

    @Test(
        "1.6 Registrations that one line makes have in common what is the same for all, and take less memory",
        .timeLimit(.minutes(10)), arguments: [false, true])
    func oneLine(isThroughController: Bool) async {
        await #expect(processExitsWith: .success) { [isThroughController] in
            var kept: [[Int]] = []
            // A sanitizer's allocator does not say how much memory is taken.
            guard bytesKept(by: { kept = (0..<10_000).map { [$0] } }) > 100_000 else { return }
            withExtendedLifetime(kept) {}
            let (desk, number) = (Desk(), \Desk.number)
            let controller = KVOController(observer: desk, duplicates: .allow)
            var tokens: [KeyValueObservation] = []
            func observe(_ number: KeyPath<Desk, Int>, at line: UInt) {
                if isThroughController {
                    controller.observe(desk, number, fileID: "Desk.swift", line: line) { _, _, _ in }
                } else {
                    tokens.append(desk.observe(number, fileID: "Desk.swift", line: line) { _, _ in })
                }
            }
            /// How much memory many registrations take that are made at so many lines in turn.
            func bytes(_ lines: Int) -> Int {
                controller.unobserveAll()
                tokens = []
                return bytesKept { for turn in 0..<4_096 { observe(number, at: UInt(turn % lines)) } }
            }
            _ = bytes(1)
            #expect(bytes(1) + 4_096 * 48 <= bytes(2))
        }
    }

    @Test(
        "1.6 A key path that is put together anew each time leaves no memory",
        .timeLimit(.minutes(10)))
    func sameKeyPathAnew() async {
        await #expect(processExitsWith: .success) {
            let desk = Desk()
            let token = desk.observe(\.number) { _, _ in }
            func use() {
                for _ in 0..<5_000 { _ = desk.isObserved((\Desk.lamp).appending(path: \.?.number)) }
            }
            use()
            #expect(bytesKept(by: use) < 60_000)
            withExtendedLifetime(token) {}
        }
    }

    @Test(
        "1.6 So it is where thousands of different ones are put together",
        .timeLimit(.minutes(10)))
    func thousandsOfKeyPaths() async {
        await #expect(processExitsWith: .success) {
            let fork = Fork()
            let token = fork.observe(\.number) { _, _ in }
            func use(_ numbers: Range<Int>) {
                for number in numbers {
                    var keyPath: KeyPath<Fork, Fork> = \.left
                    for bit in 0..<13 { keyPath = keyPath.appending(path: number >> bit & 1 == 0 ? \.left : \.right) }
                    _ = fork.isObserved(keyPath)
                }
            }
            use(0..<4_500)
            #expect(bytesKept { use(4_500..<8_000) } < 60_000)
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.6 Paths whose objects die leave no memory in what they led through", .timeLimit(.minutes(10)))
    func deadRoots() async {
        await #expect(processExitsWith: .success) {
            let lamp = Spotlight()
            func use() {
                for _ in 0..<5_000 {
                    let desk = Desk()
                    desk.lamp = lamp
                    let token = desk.observe(\.lamp?.number, options: [.old, .new]) { _, _ in }
                    lamp.number += 1
                    withExtendedLifetime(token) {}
                }
                for _ in 0..<5_000 {
                    var desk: Desk? = Desk()
                    desk?.lamp = lamp
                    let token = desk?.observe(\.lamp?.number) { _, _ in }
                    desk = nil
                    withExtendedLifetime(token) {}
                }
            }
            use()
            #expect(bytesKept(by: use) < 100_000)
        }
    }

    @Test(
        "1.6 Objects whose registrar is another one each time leave no memory of the paths through them",
        .timeLimit(.minutes(10)), arguments: [false, true])
    func forgetful(isManual: Bool) async {
        await #expect(processExitsWith: .success) { [isManual] in
            let desk = Desk()
            desk.drawer = Drawer()
            let token =
                isManual
                ? desk.observe(\.drawer?.label, options: [.old, .new]) { _, _ in }
                : desk.observe(\.drawer?.number, options: [.old, .new]) { _, _ in }
            func use() {
                for _ in 0..<2_000 { desk.drawer = Drawer() }
            }
            use()
            #expect(bytesKept(by: use) < 60_000)
            withExtendedLifetime(token) {}
        }
    }

    @Test("1.6 Announced changes of what somebody observes leave no memory", .timeLimit(.minutes(10)))
    func announced() async {
        await #expect(processExitsWith: .success) {
            let desks = (0..<2_000).map { _ in Desk() }
            let tokens = desks.map { $0.observe(\.number, options: [.old, .new]) { _, _ in } }
            func access(_ number: inout Int) { number += 1 }
            for desk in desks { access(&desk.number) }
            let kept = bytesKept { for desk in desks { desk.changeValue(for: \.number) {} } }
            #expect(kept < 60_000)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("1.2 What a handler holds goes with its registration, also where others observe the same path")
    func handlerOfOneOfTwo() {
        let desk = Desk()
        desk.lamp = Spotlight()
        var lamp: Spotlight? = Spotlight()
        weak let weakLamp = lamp
        let other = desk.observe(\.lamp?.number, options: [.old, .new]) { _, _ in }
        let token = desk.observe(\.lamp?.number, options: [.old, .new]) { [lamp] _, _ in
            withExtendedLifetime(lamp) {}
        }
        lamp = nil
        // Who is notified is known from here on.
        desk.lamp?.number = 1
        token.invalidate()
        #expect(weakLamp == nil)
        withExtendedLifetime(other) {}
    }

    @Test("3.5 A change that never ends keeps nothing of what a path led to")
    func oldValueOfPath() {
        let desk = Desk()
        desk.silent = Spotlight()
        weak let weakLamp = desk.silent
        let token = desk.observe(\.shown, options: [.old, .new]) { _, _ in }
        desk.willChangeValue(for: \.number)
        desk.silent = nil
        #expect(weakLamp == nil)
        withExtendedLifetime(token) {}
    }
}

private final class Spotlight: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
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

/// Leads to itself in two ways.
private final class Fork: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    var left: Fork { self }
    var right: Fork { self }
}

private final class Desk: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var drawer: Drawer?
    @Observed var number = 0
    @Observed var lamp: Spotlight?
    @Observed var seed = 0
    /// Takes eight words.
    var large: InlineArray<8, Int> { InlineArray(repeating: seed) }
    var silent: Spotlight?
    var shown: Spotlight? { number >= 0 ? silent : nil }

    subscript(offset: Int) -> Int { number + offset }

    subscript(manual index: Int) -> Int {
        accessValue(for: \.[manual: index])
        return index
    }
}
