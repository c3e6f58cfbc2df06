// Nothing of a registration outlives it: 1.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.6 What stays")
struct LeftoverTests {
    private let log = Log()

    @Test("1.6 Arguments of key paths are let go with the registration", arguments: Use.allCases)
    func arguments(use: Use) {
        weak var weakKey: Page.Key?
        do {
            let (page, key) = (Page(), Page.Key())
            weakKey = key
            switch use {
            case .observed: page.observe(\.[key]) { _, _ in }.invalidate()
            case .changed:
                let token = page.observe(\.[key], options: [.old, .new]) { _, _ in }
                page.total = 1
                withExtendedLifetime(token) {}
            case .observedByHand:
                let token = page.observe(\.[byHand: key], options: [.old, .new]) { _, _ in }
                page.willChangeValue(for: \.[byHand: key])
                page.didChangeValue(for: \.[byHand: key])
                withExtendedLifetime(token) {}
            case .inPath:
                let book = Shelves()
                book.page = page
                let token = book.observe(\.page?[key]) { _, _ in }
                _ = book.observationInfo
                withExtendedLifetime(token) {}
            case .asked: _ = page.isObserved(\.[key])
            case .listed:
                let token = page.observe(\.[key]) { _, _ in }
                _ = (page.observationInfo, page.isObserved(\.[key]))
                withExtendedLifetime(token) {}
            case .controller:
                let controller = KVOController(observer: log)
                controller.observe(page, \.[key]) { _, _, _ in }
                _ = controller.debugDescription
                controller.unobserve(page, \.[key])
            case .unobserved: KVOController(observer: log).unobserve(page, \.[key])
            case .announced:
                let token = page.observe(\.total) { _, _ in }
                page.willChangeValue(for: \.[key])
                page.didChangeValue(for: \.[key])
                withExtendedLifetime(token) {}
            }
        }
        #expect(weakKey == nil)
    }

    enum Use: CaseIterable, Sendable {
        case observed, changed, observedByHand, inPath, asked, listed, controller, unobserved, announced
    }

    @Test("1.6 An argument is let go when its registration ends, though the object lives")
    func argumentsWhileTheObjectLives() {
        let page = Page()
        weak var weakKey: Page.Key?
        do {
            let key = Page.Key()
            weakKey = key
            let token = page.observe(\.[key]) { _, _ in }
            #expect(page.isObserved(\.[key]))
            token.invalidate()
        }
        #expect(weakKey == nil && page.observationInfo.isEmpty)
    }

    @Test("1.6 A token that ended does not keep the argument", arguments: [false, true])
    func argumentsWhileTheTokenLives(isDead: Bool) {
        weak var weakKey: Page.Key?
        let token: KeyValueObservation
        var page: Page? = Page()
        do {
            let key = Page.Key()
            weakKey = key
            token = page!.observe(\.[key]) { _, _ in }
        }
        if isDead { page = nil } else { token.invalidate() }
        #expect(weakKey == nil)
        withExtendedLifetime((token, page)) {}
    }

    @Test("1.6 Any number of distinct key paths that come and go leave no memory", .timeLimit(.minutes(10)))
    func memoryOfKeyPaths() async {
        await #expect(processExitsWith: .success) {
            let page = Page()
            func use(_ numbers: Range<Int>) {
                for number in numbers {
                    let token = page.observe(\.["argument \(number) which is not kept in two words"]) { _, _ in }
                    page.total += 1
                    _ = page.isObserved(\.["another \(number) which is not kept in two words"])
                    withExtendedLifetime(token) {}
                }
            }
            use(0..<1_000)
            #expect(bytesKept { use(1_000..<6_000) } < 100_000)
        }
    }

    @Test("1.6 So do those without arguments, which a program puts together", .timeLimit(.minutes(10)))
    func memoryOfComposedKeyPaths() async {
        await #expect(processExitsWith: .success) {
            let page = Page()
            let sides: [KeyPath<Page, Page>] = [\.left, \.right]
            func use(_ numbers: Range<Int>) {
                for number in numbers {
                    let steps = (0..<14).map { sides[number >> $0 & 1] }
                    let keyPath = steps.dropFirst().reduce(steps[0]) { $0.appending(path: $1) }
                    page.observe(keyPath.appending(path: \.total)) { _, _ in }.invalidate()
                    page.changeValue(for: keyPath) {}
                }
            }
            use(0..<4_500)
            #expect(bytesKept { use(4_500..<6_500) } < 100_000)
        }
    }

    @Test("1.6 A token does not keep the memory of a dead object", arguments: Kind.allCases)
    func memoryOfDeadObjects(kind: Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            let before = allocatedBytes()
            let tokens = (0..<200).map { _ in
                let heavy = Heavy()
                heavy.other = Person()
                switch kind {
                case .property: return heavy.observe(\.number) { _, _ in }
                case .computed: return heavy.observe(\.doubled) { _, _ in }
                case .path: return heavy.observe(\.other?.name, options: [.old, .new]) { _, _ in }
                case .namedArgument: return heavy.observe(\.[1]) { _, _ in }
                case .openChange:
                    let token = heavy.observe(\.number) { _, _ in }
                    heavy.willChangeValue(for: \.number)
                    return token
                }
            }
            // 200 objects of 80,000 bytes; their tokens are far smaller.
            #expect(allocatedBytes() - before < 2_000_000)
            withExtendedLifetime(tokens) {}
        }
    }

    enum Kind: CaseIterable, Codable, Sendable { case property, computed, path, namedArgument, openChange }

    @Test("1.6 A getter that reads one property 100,000 times costs no memory for each read", .timeLimit(.minutes(10)))
    func memoryOfReads() async {
        await #expect(processExitsWith: .success) {
            let page = Page()
            page.reads = 10
            let small = page.observe(\.sumOfReads, options: [.old, .new]) { _, _ in }
            let before = allocatedBytes()
            page.reads = 100_000
            let token = page.observe(\.sumOfReads, options: [.old, .new]) { _, _ in }
            page.total += 1
            #expect(allocatedBytes() - before < 1_000_000)
            withExtendedLifetime((small, token)) {}
        }
    }

    @Test("1.6 6.2 A path that is led elsewhere 10,000 times leaves no memory and no hook (#111)")
    func memoryOfToggles() async {
        await #expect(processExitsWith: .success) {
            let (person, log) = (Person(), Log())
            let (first, second) = (Address(city: "a"), Address(city: "b"))
            let token = person.observe(\.address?.city, options: [.old, .new]) { log.add($1) }
            func toggle() {
                for _ in 0..<10_000 {
                    person.address = first
                    person.address = second
                }
                _ = log.take()
            }
            toggle()
            // Less than one word for each time it is led elsewhere; buffers of the C library come and go.
            #expect(bytesKept(by: toggle) < 100_000)
            first.city = "nobody hears this"
            #expect(log.take() == [])
            second.city = "c"
            #expect(log.take() == ["b→c"])
            #expect(first.observationInfo.isEmpty)
            token.invalidate()
        }
    }
}

private final class Page: KeyValueObservable {
    final class Key: Hashable {
        static func == (left: Key, right: Key) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var total = 0
    @Observed var reads = 0

    subscript(key: Key) -> Int { total }
    subscript(name: String) -> Int { total }

    subscript(byHand key: Key) -> Int {
        accessValue(for: \.[byHand: key])
        return 0
    }

    var left: Page { total >= 0 ? self : Page() }
    var right: Page { total >= 0 ? self : Page() }

    var sumOfReads: Int { (0..<reads).reduce(0) { sum, _ in sum &+ total } }
}

private final class Shelves: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var page: Page?
}

/// Takes 80,000 bytes.
private final class Heavy: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 1
    @Observed var other: Person?
    let ballast = InlineArray<10_000, Int>(repeating: 1)
    var doubled: Int { number * 2 }

    subscript(factor: Int) -> Int { number * factor }
}
