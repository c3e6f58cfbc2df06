// Observing what an expression reads.
import KeyValueObserving
import TestSupport
import Testing

private final class Cart: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var price = 2
    @Observed var count = 3
    @Observed var isFree = false
    @Observed var label: Label?
    @Observed var marks: [Int] = []
    let plain = 1
}

private final class Label: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var text = ""
    @Observed var amount = 0
}

@Suite("16.2 C21 What an expression reads")
struct ExpressionTests {
    private let cart = Cart()
    private let log = Log()

    private func observe(options: KeyValueObservingOptions = [.old, .new]) -> KeyValueObservation {
        cart.observe(reading: { $0.price * $0.count }, options: options) { [log] in log.add($1) }
    }

    @Test("16.2 Each change of what it reads is one delivery, with old and new, an equal value too")
    func changes() {
        let token = observe()
        cart.price = 5
        cart.count = 1
        cart.count = 1
        cart.isFree = true
        #expect(log.take() == ["6→15", "15→5", "5→5"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "16.2 2.1 Values come as asked for",
        arguments: [[], .new, .old, [.initial, .new], [.prior, .old]] as [KeyValueObservingOptions])
    func options(options: KeyValueObservingOptions) {
        let token = observe(options: options)
        cart.price = 3
        let expected =
            options == []
            ? ["·→·"]
            : options == .new
                ? ["·→9"]
                : options == .old
                    ? ["6→·"]
                    : options.contains(.initial) ? ["·→6", "·→9"] : ["prior 6→·", "6→·"]
        #expect(log.take() == expected)
        withExtendedLifetime(token) {}
    }

    @Test("16.2 5.2 What it reads may change with each evaluation, in other objects, too")
    func branches() {
        let token = cart.observe(reading: { $0.isFree ? 0 : $0.price * ($0.label?.amount ?? 1) }, options: .new) {
            [log] in log.add($1)
        }
        let label = Label()
        cart.label = label
        label.amount = 4
        cart.isFree = true
        cart.price = 9
        label.amount = 5
        #expect(log.take() == ["·→0", "·→8", "·→0"])
        cart.isFree = false
        #expect(log.take() == ["·→45"])
        withExtendedLifetime(token) {}
    }

    @Test("16.2 1.3 2.4 What it sets when it is registered is not delivered to it", arguments: [false, true])
    func setsAtFirst(inTransaction: Bool) {
        cart.count = 9
        var token: KeyValueObservation?
        func register() {
            token = cart.observe(
                reading: { cart in
                    if cart.count > 5 { cart.count = 5 }
                    return cart.count
                }, options: [.initial, .prior, .old, .new]
            ) { [log] in log.add($1) }
        }
        if inTransaction { withKeyValueTransaction(register) } else { register() }
        #expect(cart.count == 5 && log.take() == ["·→5"])
        cart.count = 4
        #expect(log.take() == ["prior 5→·", "5→4"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "16.2 2.1 A change that is announced in a transaction after the expression set what it reads has an old value")
    func announcedAfterItSets() {
        cart.count = 9
        var token: KeyValueObservation?
        var other: KeyValueObservation?
        withKeyValueTransaction {
            other = cart.observe(\.count, options: [.old, .new]) { [log] in log.add($1, as: "other") }
            token = cart.observe(
                reading: { cart in
                    if cart.count > 5 { cart.count = 5 }
                    return cart.count
                }, options: [.old, .new]
            ) { [log] in log.add($1) }
            cart.willChangeValue(for: \.count)
        }
        #expect(log.take() == ["other 9→5"])
        cart.count = 4
        cart.didChangeValue(for: \.count)
        #expect(log.take() == ["other 5→4", "5→4"])
        withExtendedLifetime((token, other)) {}
    }

    @Test("16.2 10.2 A transaction is one delivery")
    func transaction() {
        let token = observe()
        withKeyValueTransaction {
            cart.price = 3
            cart.count = 4
            cart.price = 5
        }
        #expect(log.take() == ["6→20"])
        withExtendedLifetime(token) {}
    }

    @Test("16.2 Elements of what it reads are a setting of its value")
    func elements() {
        let token = cart.observe(reading: { $0.marks.count }, options: [.old, .new]) { [log] in log.add($1) }
        cart.mutable(\.marks).append(contentsOf: [1, 2])
        #expect(log.take() == ["0→2"])
        withExtendedLifetime(token) {}
    }

    @Test("16.2 It names nobody: no key path finds it, and the listing says where it was made")
    func names() {
        let token = cart.observe(reading: { $0.price }, options: .new, fileID: "App/Cart.swift", line: 7) {
            [log] _, change in log.add(change.keyPath == \Cart.self ? change.description : "?")
        }
        #expect(!cart.isObserved(\.price) && !cart.isObserved(\.self))
        let row = cart.observationInfo.first
        #expect(
            row.map { "\($0.keyPath) \($0.fileID):\($0.line)" } == "the expression at App/Cart.swift:7 App/Cart.swift:7"
        )
        cart.price = 1
        #expect(log.take() == ["setting of the expression at App/Cart.swift:7, → 1"])
        withExtendedLifetime(token) {}
    }

    @Test("16.2 6.4 It ends with its token and with the object, and holds neither")
    func lifetime() {
        var object: Cart? = Cart()
        weak let weakObject = object
        let token = object?.observe(reading: { $0.price }) { _, _ in }
        let other = object?.observe(reading: { $0.price }) { [log] _, _ in log.add("called") }
        other?.invalidate()
        object?.price = 1
        #expect(log.take() == [] && object?.observationInfo.count == 1)
        object = nil
        #expect(weakObject == nil && token?.isInvalidated == true)
    }

    @Test("16.2 Many expressions on one object are kept apart")
    func many() {
        let tokens = (0..<40).map { number in
            cart.observe(reading: { $0.price + number }, options: .new) { [log] in log.add($1) }
        }
        for token in tokens.dropLast(2) { token.invalidate() }
        cart.price = 0
        #expect(log.take() == ["·→38", "·→39"])
        withExtendedLifetime(tokens) {}
    }

    @Test("16.2 13.3 Changes may be ignored")
    func ignoring() {
        let token = observe()
        token.ignoringChanges { cart.price = 3 }
        cart.price = 4
        #expect(log.take() == ["6→12"])
    }

    @Test("16.2 A16 A controller takes the same line again as a repetition, another one as another expression")
    func controller() {
        let controller = KVOController(observer: log)
        for _ in 0..<3 {
            controller.observe(cart, reading: { $0.price }, options: .new) { log, _, change in log.add(change) }
        }
        controller.observe(cart, reading: { $0.price }, options: .new) { log, _, change in log.add(change, as: "other")
        }
        cart.price = 1
        #expect(log.take() == ["·→1", "other ·→1"])
        controller.unobserve(cart, \.price)
        cart.price = 2
        #expect(log.take() == ["·→2", "other ·→2"])
        controller.unobserve(cart)
        cart.price = 3
        #expect(log.take() == [])
    }

    @Test(
        "16.2 A16 Under .replace the same line replaces its own, under .allow all are kept",
        arguments: [(KVOController<Log>.DuplicatePolicy.replace, 1), (.allow, 2), (.ignore, 1)])
    func policies(policy: KVOController<Log>.DuplicatePolicy, count: Int) {
        let controller = KVOController(observer: log, duplicates: policy)
        for factor in [1, 2] {
            controller.observe(cart, reading: { $0.price * factor }, options: .new) { log, _, change in log.add(change)
            }
        }
        cart.price = 1
        #expect(log.take() == (count == 2 ? ["·→1", "·→2"] : policy == .replace ? ["·→2"] : ["·→1"]))
        controller.observe(cart, reading: { $0.count }) { _, _, _ in }
        #expect(cart.observationInfo.count == count + 1)
    }

    @Test("16.2 13.1 Several sources are bound to one target")
    func binding() {
        let label = Label()
        let binding = cart.bind(reading: { "\($0.count) × \($0.price)" }, to: label, \.text)
        #expect(label.text == "3 × 2")
        withKeyValueTransaction {
            cart.count = 1
            cart.price = 4
        }
        #expect(label.text == "1 × 4")
        binding.invalidate()
        cart.count = 2
        #expect(label.text == "1 × 4")
    }

    @Test("16.2 12.1 Values of an expression as a sequence")
    func sequence() async {
        var totals = cart.values(reading: { $0.price * $0.count }).makeAsyncIterator()
        #expect(await totals.next() == 6)
        cart.price = 3
        cart.mutable(\.marks).append(1)
        cart.count = 0
        #expect(await totals.next() == 9)
        #expect(await totals.next() == 0)
    }

    @Test("16.2 1.4 Reading nothing observable traps with a sentence that says where")
    func nothing() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Cart().observe(reading: { $0.plain }, fileID: "App/Cart.swift", line: 3) { _, _ in }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "the expression at App/Cart.swift:3 cannot be observed: it reads no @Observed property of the Cart"))
    }
}
