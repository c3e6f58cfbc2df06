// The same in transactions, and for properties that notify manually.
import KeyValueObserving
import TestSupport
import Testing

extension OverlapDetailTests {

    @Test("1.6 10.2 A registration that ends in a transaction leaves no argument to the rest of it")
    func argumentInATransaction() {
        weak var weakTag: Pair.Tag?
        let pair = Pair()
        withKeyValueTransaction {
            do {
                let tag = Pair.Tag()
                weakTag = tag
                let token = pair.observe(\.[tag], options: [.old, .new]) { _, _ in }
                pair.left = 1
                token.invalidate()
            }
            #expect(weakTag == nil)
        }
    }

    @Test("3.6 10.3 Who registers in a transaction while a change is being announced is not notified of that change")
    func registeredInAPrior() {
        let (pair, log) = (Pair(), Log())
        var late: KeyValueObservation?
        let tokens = [
            pair.observe(\.sum, options: [.old, .new]) { log.add($1) },
            pair.observe(\.right, options: .prior) { pair, change in
                guard change.isPrior else { return }
                late = pair.observe(\.sum, options: [.old, .new]) { log.add($1, as: "late") }
            },
        ]
        withKeyValueTransaction {
            pair.left = 1
            pair.right = 2
        }
        #expect(log.take() == ["0→3"])
        withExtendedLifetime((tokens, late)) {}
    }

    @Test("10.2 10.3 A change of elements of a manual property is delivered to who registered in the transaction")
    func elementsAfterARegistration() {
        let (roster, log) = (Roster(), Log())
        var tokens = [roster.observe(\.list, options: [.old, .new]) { log.add($1) }]
        withKeyValueTransaction {
            roster.list = [0]
            tokens.append(roster.observe(\.list, options: [.old, .new]) { log.add($1, as: "late") })
            roster.mutable(\.list).append(1)
        }
        #expect(log.take() == ["[]→[0]", "insertion ·→[1]", "late insertion ·→[1]"])
        withExtendedLifetime(tokens) {}
    }
}

private final class Pair: KeyValueObservable {
    final class Tag: Hashable {
        static func == (left: Tag, right: Tag) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var left = 0
    @Observed var right = 0
    var sum: Int { left + right }

    subscript(tag: Tag) -> Int { left }

    subscript(byHand tag: Tag) -> Int {
        accessValue(for: \.[byHand: tag])
        return 0
    }
}

private final class Roster: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private var numbers: [Int] = []
    var list: [Int] {
        get {
            accessValue(for: \.list)
            return numbers
        }
        set {
            changeValue(for: \.list) { numbers = newValue }
        }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Roster.list }
}

/// Its second getter turns it, once.
private final class Dial: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var quiet = 0
    var isTurning = false
    var first: Int { quiet * 10 }
    var second: Int {
        if isTurning {
            isTurning = false
            quiet.change { $0 = 1 }
        }
        return quiet * 100
    }

    subscript(factor: Int) -> Int { quiet * factor }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Dial.quiet }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
