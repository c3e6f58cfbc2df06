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
