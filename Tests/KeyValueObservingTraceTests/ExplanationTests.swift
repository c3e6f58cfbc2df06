// Explanations: 19.3.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("19.3 Explanations")
    struct ExplanationTests {
        private let cart = Cart()
        private let file = "KeyValueObservingTraceTests/ExplanationTests.swift"

        /// The explanation of the last call of a handler for a key path.
        private func explanation(of keyPath: String, in events: [KeyValueTrace.Event]) -> [String] {
            guard let call = events.last(where: { $0.kind == .delivery && $0.keyPath == keyPath }) else { return [] }
            return KeyValueTrace.explain(call, in: events).split(separator: "\n").map(String.init)
        }

        @Test("19.3 A handler was called because of a set outside of any handler")
        func set() {
            let line: UInt = #line + 1
            let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
            let events = traced { cart.count = 2 }
            let thread = events.of(cart)[0].thread
            #expect(
                explanation(of: "count", in: events.of(cart)) == [
                    "The handler registered at \(file):\(line) for count of Cart was called because count of Cart changed from 0 to 2.",
                    "count of Cart was set from 0 to 2 on thread \(thread), outside of any handler.",
                ])
            withExtendedLifetime(token) {}
        }

        @Test("19.3 The chain leads through a computed property, a binding and a handler to the set that began it")
        func chain() {
            let (shown, source) = (Cart(), Cart())
            let lines = Lines()
            lines.handler = #line + 1
            let handler = source.observe(\.count, options: [.old, .new]) { [cart] source, _ in cart.price = source.count
            }
            lines.binding = #line + 1
            let binding = cart.bind(\.total, to: shown, \.count)
            lines.last = #line + 1
            let last = shown.observe(\.count, options: [.old, .new]) { _, _ in }
            cart.count = 3
            let events = traced { source.count = 7 }.of(cart, shown, source)
            let call = events.last { $0.kind == .delivery && $0.object?.identity == ObjectIdentifier(shown) }
            #expect(
                call.map { KeyValueTrace.explain($0, in: events) }?.split(separator: "\n").map(String.init).dropLast()
                    == [
                        "The handler registered at \(file):\(lines.last) for count of Cart was called because count of Cart changed from 0 to 21.",
                        "count of Cart was set from 0 to 21 by the binding made at \(file):\(lines.binding).",
                        "The binding made at \(file):\(lines.binding) set count of Cart in the handler registered at \(file):\(lines.binding) for total of Cart.",
                        "The handler registered at \(file):\(lines.binding) for total of Cart was called because price of Cart, which total of Cart depends on, changed.",
                        "price of Cart was set in the handler registered at \(file):\(lines.handler) for count of Cart.",
                        "The handler registered at \(file):\(lines.handler) for count of Cart was called because count of Cart changed from 0 to 7.",
                    ])
            withExtendedLifetime((handler, binding, last)) {}
        }

        /// The lines that register.
        private final class Lines {
            var handler: UInt = 0
            var binding: UInt = 0
            var last: UInt = 0
        }

        @Test(
            "19.3 A path is explained by what was replaced on its way, and elements by what happened to them")
        func pathAndElements() {
            let token = cart.observe(\.next?.tags, options: []) { _, _ in }
            let other = Cart()
            let replaced = traced { cart.next = other }.of(cart)
            #expect(
                explanation(of: "next.tags", in: replaced).first?
                    .hasSuffix("because next of Cart, which next.tags of Cart depends on, changed.") ?? false)
            let inserted = traced { other.mutable(\.tags).append("x") }.of(cart, other)
            #expect(
                explanation(of: "next.tags", in: inserted).last?.hasPrefix(
                    "tags of Cart changed by insertion at 0..<1 on")
                    ?? false)
            withExtendedLifetime(token) {}
        }

        @Test("19.3 What a transaction delivers is explained by the change, the transaction and what ran that")
        func transaction() {
            let source = Cart()
            let tokens = [
                cart.observe(\.count, options: [.old, .new]) { _, _ in },
                source.observe(\.count) { [cart] _, _ in
                    withKeyValueTransaction {
                        cart.price = 1
                        cart.count = 2
                    }
                },
            ]
            let all = traced { source.count = 1 }
            let call = all.of(cart).last { $0.kind == .delivery }
            let sentences = call.map { KeyValueTrace.explain($0, in: all) }?.split(separator: "\n") ?? []
            #expect(sentences.count == 5)
            #expect(sentences[1].contains("count of Cart was set from 0 to 2 in a transaction."))
            #expect(sentences[2].contains("The transaction was run in the handler registered at \(file)"))
            #expect(sentences[4].hasSuffix("outside of any handler."))
            withExtendedLifetime(tokens) {}
        }

        @Test("19.3 The initial call, the registration and its end are explained")
        func registration() {
            let events = traced {
                _ = cart.observe(\.count, options: .initial) { _, _ in }
            }.of(cart)
            let texts = events.map { KeyValueTrace.explain($0, in: events) }
            #expect(texts[0].hasPrefix("count of Cart was observed at \(file):"))
            #expect(texts[1].hasSuffix("for count of Cart was called with the initial value."))
            #expect(texts[2].hasPrefix("The observation of count of Cart, made at \(file):"))
        }

        @Test("19.3 A call before the change is explained as such, and says so in its line")
        func prior() {
            let token = cart.observe(\.count, options: [.prior, .old, .new]) { _, _ in }
            let events = traced { cart.count = 2 }.of(cart)
            let call = events.first { $0.isPrior }
            let sentences = call.map { KeyValueTrace.explain($0, in: events) }?.split(separator: "\n") ?? []
            #expect(sentences.first?.contains("was called because count of Cart is about to change") == true)
            #expect(call.map { "\($0)".contains(" delivery count of Cart before the change at ") } == true)
            withExtendedLifetime(token) {}
        }

        @Test("19.3 What is not kept is said to be so")
        func dropped() {
            let token = cart.observe(\.count) { _, _ in }
            let events = traced { cart.count = 2 }.of(cart).of(.delivery)
            #expect(
                explanation(of: "count", in: events)[0].hasSuffix(
                    "was called because of a change that is not kept any more."))
            let texts = events.map { KeyValueTrace.explain($0, in: []) }
            #expect(texts.allSatisfy { $0.hasSuffix("because of a change that is not kept any more.") })
            withExtendedLifetime(token) {}
        }

        @Test("19.3 A property that has the name of the one that it depends on is told from it")
        func sameName() {
            final class Copy: KeyValueObservable {
                let keyValueRegistrar = KeyValueRegistrar()
                let cart: Cart
                var count: Int {
                    accessValue(for: \.count)
                    return cart.count
                }
                init(_ cart: Cart) { self.cart = cart }
            }
            let copy = Copy(cart)
            let token = copy.observe(\.count) { _, _ in }
            let events = traced { cart.count = 2 }
            let call = events.of(copy).of(.delivery).first
            #expect(
                call.map { KeyValueTrace.explain($0, in: events) }?.contains(
                    "because count of Cart, which count of Copy depends on, changed") == true)
            withExtendedLifetime(token) {}
        }

        @Test("19.3 An event is one line of text")
        func description() {
            let token = cart.observe(\.count, options: [.old, .new]) { _, _ in }
            let events = traced { cart.count = 2 }.of(cart)
            #expect("\(events[0])" == "#\(events[0].number) change count of Cart 0 → 2")
            let other = cart.observe(\.tags, options: .new) { _, _ in }
            let change = traced { cart.mutable(\.tags).append("x") }.of(cart)[0]
            #expect("\(change)" == "#\(change.number) change tags of Cart insertion at 0..<1 · → [\"x\"]")
            withExtendedLifetime(other) {}
            #expect(
                "\(events[1])"
                    == "#\(events[1].number) delivery count of Cart at \(file):\(events[1].line ?? 0), because of #\(events[0].number)"
            )
            withExtendedLifetime(token) {}
        }
    }
}
