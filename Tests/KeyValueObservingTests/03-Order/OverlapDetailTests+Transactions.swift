// The same in transactions, and for properties that notify manually.
import KeyValueObserving
import TestSupport
import Testing

extension OverlapDetailTests {
    @Test("1.6 A token that ended does not keep the argument of a property that notifies manually")
    func argumentOfALeafByHand() {
        weak var weakTag: Pair.Tag?
        let pair = Pair()
        let token: KeyValueObservation
        do {
            let tag = Pair.Tag()
            weakTag = tag
            token = pair.observe(\.[byHand: tag], options: [.old, .new]) { _, _ in }
            token.invalidate()
        }
        #expect(weakTag == nil)
        withExtendedLifetime(token) {}
    }

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

    @Test("10.2 The first old value stays known when others register twice in a transaction")
    func registeredTwice() {
        let (pair, log) = (Pair(), Log())
        var tokens = [pair.observe(\.sum, options: [.old, .new]) { log.add($1) }]
        withKeyValueTransaction {
            pair.left = 1
            tokens.append(pair.observe(\.sum) { log.add($1, as: "late") })
            tokens.append(pair.observe(\.sum) { log.add($1, as: "later") })
        }
        #expect(log.take() == ["0→1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 10.3 Who registers in a transaction within an access in place has nothing read, and gets what follows")
    func registeredWithinAnAccess() async {
        await #expect(processExitsWith: .success) {
            let (pair, log) = (Pair(), Log())
            var tokens = [pair.observe(\.sum, options: [.old, .new]) { log.add($1) }]
            withKeyValueTransaction {
                pair.left.change {
                    $0 = 1
                    pair.right = 2
                    tokens.append(pair.observe(\.sum, options: [.old, .new]) { log.add($1, as: "late") })
                }
                pair.right = 5
            }
            #expect(log.take() == ["0→6", "late 3→6"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("10.3 One prior for who registers in the prior of another property, where somebody else ignores all changes")
    func onePriorForALateRegistration() {
        let (pair, log) = (Pair(), Log())
        let ignoring = pair.observe(\.sum, options: .prior) { log.add($1, as: "ignoring") }
        var late: KeyValueObservation?
        let token = pair.observe(\.left, options: .prior) { pair, change in
            guard change.isPrior else { return }
            late = pair.observe(\.sum, options: .prior) { log.add($1, as: "late") }
            pair.right = 6
        }
        withKeyValueTransaction {
            ignoring.ignoringChanges {
                pair.right = 5
                pair.left = 1
                pair.right = 7
            }
        }
        #expect(log.take() == ["late prior ·→·", "late ·→·"])
        withExtendedLifetime((token, late)) {}
    }

    @Test("10.2 10.3 An announced change of elements is delivered to who registered in the transaction")
    func elementsAfterARegistration() {
        let (roster, log) = (Roster(), Log())
        var tokens = [roster.observe(\.list, options: [.old, .new]) { log.add($1) }]
        withKeyValueTransaction {
            roster.set([0])
            tokens.append(roster.observe(\.list, options: [.old, .new]) { log.add($1, as: "late") })
            roster.append(1)
        }
        #expect(log.take() == ["[]→[0]", "insertion ·→[1]", "late insertion ·→[1]"])
        withExtendedLifetime(tokens) {}
    }

    @Test("10.3 An ended path is not taken for one that is made later in the transaction, in the same memory")
    func endedPaths() {
        let (dial, log) = (Dial(), Log())
        let token = dial.observe(\.quiet) { _, _ in }
        // One round would do if the first path that is made were given the memory of the last one that ended.
        for _ in 0..<20 {
            var ending = (0..<16).map { factor in dial.observe(\.[factor]) { _, _ in } }
            let pairs = (0..<16).map { _ in Pair() }
            dial.willChangeValue(for: \.quiet)
            var tokens: [KeyValueObservation] = []
            withKeyValueTransaction {
                ending = []
                dial.didChangeValue(for: \.quiet)
                tokens = pairs.map { pair in pair.observe(\.sum, options: .prior) { log.add($1) } }
                for pair in pairs { pair.left = 1 }
            }
            #expect(log.take() == Array(repeating: "prior ·→·", count: 16) + Array(repeating: "·→·", count: 16))
            withExtendedLifetime((tokens, ending)) {}
        }
        withExtendedLifetime(token) {}
    }

    @Test("3.5 What is accessed in place is not read to find out which property a getter means")
    func namedWithinAnAccess() async {
        await #expect(processExitsWith: .success) {
            let scale = PassingScale()
            var tokens = [scale.observe(\.level) { _, _ in }]
            scale.hold { tokens.append(scale.observe(\.shown) { _, _ in }) }
            #expect(scale.level == 1)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("4.1 5.1 A property that overrides a stored one, and notifies manually, is another one")
    func overriddenByHand() {
        let (scale, log) = (SeparateScale(), Log())
        let tokens = [
            scale.observe(\.below, options: [.old, .new]) { log.add($1, as: "below") },
            scale.observe(\.shown, options: [.old, .new]) { log.add($1, as: "shown") },
        ]
        scale.setBelow(5)
        #expect(log.take() == ["below 0→5"])
        scale.level = 2
        #expect(log.take() == ["shown 10→20"])
        withExtendedLifetime(tokens) {}
    }

    @Test("3.5 What a getter changes in place while an announced change ends is seen by the paths before it")
    func changedInPlaceByAGetter() {
        let (dial, log) = (Dial(), Log())
        let tokens = [
            dial.observe(\.first, options: [.old, .new]) { log.add($1, as: "first") },
            dial.observe(\.second, options: [.old, .new]) { log.add($1, as: "second") },
        ]
        dial.willChangeValue(for: \.quiet)
        dial.isTurning = true
        dial.didChangeValue(for: \.quiet)
        #expect(log.take() == ["first 0→10", "second 0→100"] && dial.first == 10)
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
        accessValue(for: \.list)
        return numbers
    }

    func set(_ list: [Int]) { changeValue(for: \.list) { numbers = list } }

    func append(_ number: Int) {
        let positions = RangeSet(numbers.count..<numbers.count + 1)
        willChange(.insertion, valuesAt: positions, for: \.list)
        numbers.append(number)
        didChange(.insertion, valuesAt: positions, for: \.list)
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

private class Scale: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0

    final func noteAccess() { accessValue(for: \.level) }
    final func announce(_ body: () -> Void) { changeValue(for: \.level, body) }
}

/// Has a getter that says it reads the level, and does not.
private final class PassingScale: Scale {
    override var level: Int {
        get { super.level }
        set { super.level = newValue }
    }
    var shown: Int {
        noteAccess()
        return 0
    }

    func hold(_ body: () -> Void) {
        super.level.change {
            $0 = 1
            body()
        }
    }
}

/// Has a level of its own.
private final class SeparateScale: Scale {
    private var own = 1
    override var level: Int {
        get {
            noteAccess()
            return own
        }
        set { announce { own = newValue } }
    }
    var below: Int { super.level }
    var shown: Int { level * 10 }

    func setBelow(_ level: Int) { super.level = level }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}
